#include "agent/instructions/instruction_files.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "core/base/text.h"

namespace ralph::instructions {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestImport = 5;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of all files together
constexpr std::string_view kCodeFence = "```";

/// Reads instruction files, each once, and follows their imports.
class Reader {
 public:
  /// `bytes_left` counts down over all readers.
  Reader(fs::path home, fs::path boundary, const settings::DeniedFiles& denied,
         std::size_t& bytes_left)
      : home_(std::move(home)),
        boundary_(std::move(boundary)),
        denied_(denied),
        bytes_left_(bytes_left) {}

  /// Empty: nothing to read. `anywhere`: imports may be outside the boundary.
  std::string read(const fs::path& path, bool anywhere, int depth = 0) {
    if (bytes_left_ == 0) return {};
    const auto file = settings::read_source_file(path, anywhere ? fs::path() : boundary_);
    if (!file || !done_.insert(file->path).second) return {};
    if (!anywhere && denied_.contains(path, file->path)) {
      return "(Left out: a permission rule denies reading this file.)\n";
    }
    if (file->text.size() > bytes_left_) {
      bytes_left_ = 0;
      return fmt::format("(Left out, with all that follows: instructions of more than {} KB.)\n",
                         kMostBytes >> 10);
    }
    bytes_left_ -= file->text.size();
    return with_imports(file->text, file->path.parent_path(), anywhere, depth);
  }

 private:
  std::string with_imports(const std::string& text, const fs::path& folder, bool anywhere,
                           int depth) {
    std::string out;
    bool fenced = false;
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find('\n', at), text.size());
      const auto line = std::string_view(text).substr(at, end - at);
      if (trim(line).starts_with(kCodeFence)) fenced = !fenced;
      out.append(line).append("\n");
      if (!fenced && depth < kDeepestImport) out += imports_of(line, folder, anywhere, depth);
      at = end + 1;
    }
    return out;
  }

  /// The imports of one line, to be inserted after it.
  std::string imports_of(std::string_view line, const fs::path& folder, bool anywhere, int depth) {
    std::string out;
    bool code = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == '`') code = !code;
      const bool begins = at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t';
      if (code || line[at] != '@' || !begins) continue;
      const auto end = std::min(line.find_first_of(" \t", at), line.size());
      const auto name = line.substr(at + 1, end - at - 1);
      const auto path = name.starts_with("~/") ? home_ / name.substr(2) : folder / name;
      const auto text = name.empty() ? "" : read(path, anywhere, depth + 1);
      if (!text.empty()) out += fmt::format("\n<import path=\"{}\">\n{}</import>\n", name, text);
    }
    return out;
  }

  fs::path home_;
  fs::path boundary_;
  const settings::DeniedFiles& denied_;
  std::size_t& bytes_left_;
  std::set<fs::path> done_;
};

std::vector<fs::path> folders_down_to(const fs::path& cwd) {
  std::vector<fs::path> folders;
  for (auto folder = cwd; !folder.empty(); folder = folder.parent_path()) {
    folders.push_back(folder);
    if (folder == folder.root_path()) break;
  }
  std::ranges::reverse(folders);
  return folders;
}

void add(std::vector<Instructions>& all, const fs::path& path, std::string text) {
  if (!is_blank(text)) all.push_back({path, std::move(text)});
}

}  // namespace

std::vector<Instructions> read_instructions(const settings::Options& options,
                                            const settings::Environment& environment,
                                            const fs::path& cwd,
                                            const settings::DeniedFiles& denied) {
  std::vector<Instructions> all;
  if (options.bare) return all;
  std::error_code error;
  const auto real = fs::canonical(cwd, error);
  if (error) return all;
  std::size_t bytes_left = kMostBytes;
  Reader reader(environment.home(), real, denied, bytes_left);
  if (settings::wants(options, "user")) {
    const auto path = environment.config_folder() / "CLAUDE.md";
    add(all, path, reader.read(path, true));
  }
  for (const auto& folder : folders_down_to(real)) {
    // Directories above the working directory may contain anything: read the file there, but not its imports.
    Reader of_folder(environment.home(), folder, denied, bytes_left);
    const int depth = folder == real ? 0 : kDeepestImport;
    if (settings::wants(options, "project")) {
      const bool own = fs::exists(folder / "CLAUDE.md", error);
      const auto path = folder / (own ? "CLAUDE.md" : "AGENTS.md");
      add(all, path, of_folder.read(path, false, depth));
    }
    if (settings::wants(options, "local")) {
      const auto path = folder / "CLAUDE.local.md";
      add(all, path, of_folder.read(path, false, depth));
    }
  }
  return all;
}

std::string instructions_text(const std::vector<Instructions>& all) {
  if (all.empty()) return {};
  std::string text =
      "<instructions>\nStanding instructions of the user and of this project. They hold for "
      "everything you do here.\n";
  for (const auto& one : all) {
    text += fmt::format("\nFrom {}:\n\n{}", one.path.string(), one.text);
  }
  return text + "</instructions>";
}

}  // namespace ralph::instructions
