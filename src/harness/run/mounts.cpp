#include <algorithm>
#include <fstream>

#include "core/base/program_file.h"
#include "harness/run/mounts_impl.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;
constexpr int kMostInterpreters = 4;

/// The outermost node_modules directory above the file: a package's own dependencies are there too.
fs::path packages_of(const fs::path& file) {
  fs::path folder;
  for (const auto& part : file) {
    folder /= part;
    if (part == "node_modules") return folder;
  }
  return {};
}

/// The program that the first line of a script names: "/usr/bin/env node" is node. Empty: none.
std::string interpreter_of(const fs::path& file) {
  std::string line(256, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  const auto words = shebang_words(line);
  if (words.empty() || base_name(words.front()) != "env") {
    return words.empty() ? std::string() : words.front();
  }
  const auto program = std::ranges::find_if(words.begin() + 1, words.end(), [](const auto& word) {
    return !word.starts_with('-') && !word.contains('=');
  });
  return program == words.end() ? std::string() : *program;
}

void append(std::vector<std::string>& words, std::string_view option, const fs::path& from,
            const fs::path& to) {
  words.insert(words.end(), {std::string(option), from.string(), to.string()});
}

}  // namespace

fs::path real_parent(const fs::path& path) {
  std::error_code error;
  const auto parent = fs::canonical(path.parent_path(), error);
  return error ? path : parent / path.filename();
}

void Mounts::hide(const fs::path& place) {
  std::error_code error;
  const auto real = fs::canonical(place, error);
  if (!error && std::ranges::find(hidden_, real) == hidden_.end()) hidden_.push_back(real);
}

bool Mounts::hidden(const fs::path& path) const {
  const auto holds = [&](const fs::path& place) { return is_below(path, place); };
  return std::ranges::any_of(hidden_, holds) || std::ranges::any_of(emptied_, holds);
}

void Mounts::show(const fs::path& path, Access access) {
  std::error_code error;
  const auto real = fs::canonical(path, error);
  if (error) return;
  const auto* const option = access == Access::writable ? "--bind" : "--ro-bind";
  append(shown_, option, real, real);
  if (access == Access::writable) pinned_.push_back(real);
  // A link to it that lies in a hidden place is gone: the name has to lead there all the same.
  const auto name = path.lexically_normal();
  if (name == real || !hidden(name)) return;
  // A second mount of a writable directory would lack what is read-only in the first.
  append(shown_, access == Access::writable ? "--symlink" : option, real, name);
}

void Mounts::show_hidden(const fs::path& real) {
  if (hidden(real)) show(real, Access::read_only);
}

void Mounts::protect(const fs::path& path) {
  std::error_code error;
  const auto status = fs::symlink_status(path, error);
  if (!fs::exists(status) || fs::is_symlink(status)) return;
  const auto real = real_parent(path);
  protected_.push_back(real);
  show_as(real, real, Access::read_only);  // the user may remove it while a loop runs
}

void Mounts::pin(const fs::path& folder) {
  const auto holds = [&](const fs::path& place) { return is_below(folder, place); };
  if (std::ranges::any_of(protected_, holds)) return;
  if (std::ranges::find(pinned_, folder) != pinned_.end()) return;
  pinned_.push_back(folder);
  show_as(folder, folder, Access::writable);
}

void Mounts::pin_parents(const fs::path& from, const fs::path& path) {
  if (!is_below(path, from)) return;
  auto folder = from;
  for (const auto& part : path.parent_path().lexically_relative(from)) {
    if (part == ".") continue;
    folder /= part;
    pin(folder);
  }
}

bool Mounts::hides_part_of(const fs::path& folder) const {
  return std::ranges::any_of(hidden_,
                             [&](const fs::path& place) { return is_below(place, folder); });
}

void Mounts::show_empty(const fs::path& folder) {
  std::error_code error;
  const auto real = fs::canonical(folder, error);
  if (error) return;
  emptied_.push_back(real);
  shown_.insert(shown_.end(), {"--tmpfs", real.string()});
  const auto name = folder.lexically_normal();
  if (name == real || !hidden(name)) return;
  emptied_.push_back(name);
  append(shown_, "--bind", real, name);
}

void Mounts::block_folder(const fs::path& folder) {
  shown_.insert(shown_.end(), {"--tmpfs", folder.string(), "--remount-ro", folder.string()});
}

void Mounts::show_as(const fs::path& file, const fs::path& name, Access access) {
  append(shown_, access == Access::writable ? "--bind-try" : "--ro-bind-try", file, name);
}

fs::path Mounts::show_links(fs::path file) {
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    file = real_parent(file);
    if (!fs::is_symlink(file, error)) break;
    const auto target = fs::read_symlink(file, error);
    if (error) break;
    if (hidden(file)) append(links_, "--symlink", target, file);
    file = file.parent_path() / target;
  }
  return file;
}

void Mounts::show_program(const fs::path& program, const backend::Host& host) {
  std::error_code error;
  const auto workspace = fs::weakly_canonical(host.workspace, error);
  fs::path file = program;
  for (int i = 0; i < kMostInterpreters && !file.empty(); ++i) {
    if (is_below(real_parent(file), workspace)) return;
    // PATH may name it by a directory that is a link.
    if (const auto name = file.lexically_normal(); name != real_parent(name) && hidden(name)) {
      show(name, Access::read_only);
    }
    file = show_links(file);
    if (hidden(file)) show(file, Access::read_only);
    if (const auto packages = packages_of(file); hidden(packages)) {
      show(packages, Access::read_only);
    }
    const auto interpreter = interpreter_of(file);
    const auto next =
        interpreter.empty() ? Result<fs::path>() : backend::find_program(interpreter, host);
    file = next.value_or(fs::path{});
  }
}

std::vector<std::string> Mounts::words() const {
  auto places = hidden_;
  std::ranges::sort(places);  // a directory before what is in it
  std::vector<std::string> words;
  for (const auto& place : places) {
    std::error_code error;
    if (fs::is_directory(place, error)) {
      words.insert(words.end(), {"--tmpfs", place.string()});
    } else {
      append(words, "--ro-bind", "/dev/null", place);
    }
  }
  words.insert(words.end(), links_.begin(), links_.end());
  words.insert(words.end(), shown_.begin(), shown_.end());
  return words;
}

}  // namespace ralph::run
