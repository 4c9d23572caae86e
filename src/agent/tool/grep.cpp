#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/tool/builtin_tools.h"
#include "agent/tool/grep_globs.h"
#include "agent/tool/grep_results.h"
#include "agent/tool/input.h"
#include "agent/tool/ripgrep.h"
#include "agent/tool/safe_file.h"
#include "agent/tool/search_exclusions.h"
#include "agent/tool/special_ignore_files.h"
#include "core/json/field.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kUsualLimit = 250;
constexpr std::int64_t kMostContext = 10000;

constexpr std::string_view kGrepDescription =
    "Searches the contents of files with ripgrep's regular expressions; git-ignored files are "
    "left out. output_mode: files_with_matches (names only, newest first), content (the lines, "
    "with numbers; -A, -B, -C add lines around them) or count. glob and type choose files. "
    "head_limit (250; 0 for all) and offset choose a part of the results. multiline lets a "
    "pattern span lines.";

constexpr std::string_view kGrepSchema = R"({"type":"object","properties":{
"pattern":{"type":"string","description":"Regular expression to search for"},
"path":{"type":"string","description":"File or directory to search; the current directory if absent"},
"glob":{"type":"string","description":"Only files whose names match, such as *.{ts,tsx}"},
"output_mode":{"type":"string","enum":["content","files_with_matches","count"]},
"-B":{"type":"integer","minimum":0,"description":"Lines to show before a match"},
"-A":{"type":"integer","minimum":0,"description":"Lines to show after a match"},
"-C":{"type":"integer","minimum":0,"description":"Lines to show around a match"},
"context":{"type":"integer","minimum":0,"description":"The same as -C"},
"-n":{"type":"boolean","description":"Line numbers; shown unless false"},
"-i":{"type":"boolean","description":"Ignore case"},
"-o":{"type":"boolean","description":"Show only the matching part of a line"},
"type":{"type":"string","description":"Only files of this ripgrep type, such as py"},
"head_limit":{"type":"integer","minimum":0,"description":"How many results to show; 0: all"},
"offset":{"type":"integer","minimum":0,"description":"How many results to leave out first"},
"multiline":{"type":"boolean","description":"The pattern may span lines"}},
"required":["pattern"],"additionalProperties":false})";

/// What a search returns; the values of "output_mode".
enum class GrepOutput { files, content, count };
GrepOutput grep_output(const json::Document& input) {
  const auto mode = json::text(input, "output_mode");
  if (mode == "content") return GrepOutput::content;
  return mode == "count" ? GrepOutput::count : GrepOutput::files;
}

constexpr std::array kVersionControl{".git", ".svn", ".hg", ".bzr", ".jj", ".sl"};

Page page_of(const json::Document& input) {
  const auto natural = [&](std::string_view key, std::int64_t otherwise) {
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, number_of(input, key).value_or(otherwise)));
  };
  return {natural("offset", 0), natural("head_limit", kUsualLimit)};
}

void add_content_options(std::vector<std::string>& arguments, const json::Document& input) {
  if (flag_of(input, "-n", true)) arguments.emplace_back("--line-number");
  if (flag_of(input, "-o")) arguments.emplace_back("--only-matching");
  const auto lines = [&](std::string_view option, std::optional<std::int64_t> count) {
    if (!count) return;
    arguments.push_back(
        fmt::format("{}={}", option, std::clamp<std::int64_t>(*count, 0, kMostContext)));
  };
  const auto around = number_of(input, "context");
  lines("--context", around ? around : number_of(input, "-C"));
  lines("--before-context", number_of(input, "-B"));
  lines("--after-context", number_of(input, "-A"));
}

std::vector<std::string> arguments_of(const json::Document& input, GrepOutput output) {
  std::vector<std::string> arguments{"--hidden", "--max-columns=500"};
  for (const auto* const folder : kVersionControl) {
    arguments.push_back(fmt::format("--glob=!{}", folder));
  }
  if (flag_of(input, "multiline")) {
    arguments.insert(arguments.end(), {"--multiline", "--multiline-dotall"});
  }
  if (flag_of(input, "-i")) arguments.emplace_back("--ignore-case");
  switch (output) {
    case GrepOutput::content:
      arguments.emplace_back("--sort=path");
      add_content_options(arguments, input);
      break;
    case GrepOutput::count: arguments.insert(arguments.end(), {"--sort=path", "--count"}); break;
    case GrepOutput::files:
      arguments.insert(arguments.end(), {"--files-with-matches", "--null"});
      break;
  }
  if (const auto type = json::text(input, "type"); !type.empty())
    arguments.push_back("--type=" + type);
  arguments.push_back("--regexp=" + json::text(input, "pattern"));
  return arguments;
}

/// The opened search target, so that exactly what was decided on is searched.
struct Target {
  OpenFolder folder;             // where ripgrep starts
  std::optional<OpenFile> file;  // set: search only this file in `folder`
  std::string file_name;
  fs::path below;      // from the current directory to `folder`; empty: the same, or elsewhere
  std::string prefix;  // prepended to names in results
};

Result<Target> open_target(const fs::path& path, FileKind kind, const fs::path& cwd) {
  Target target;
  const auto folder = kind == FileKind::folder ? path : path.parent_path();
  TRY_ASSIGN(target.folder, open_folder(folder));
  if (kind != FileKind::folder) {
    TRY_ASSIGN(target.file, open_for_reading(path));
    target.file_name = path.filename().string();
  }
  if (folder == cwd) return target;
  const fs::path shown = shown_path(folder, cwd);
  target.prefix = (shown / "").string();
  if (shown.is_relative()) target.below = shown;
  return target;
}

/// False: the globs exclude everything.
Result<bool> add_globs(std::vector<std::string>& arguments, const json::Document& input,
                       const Target& target) {
  bool wanted = false;
  bool possible = false;
  for (const auto& glob : split_globs(json::text(input, "glob"))) {
    TRY_ASSIGN(const auto rebased, rebased_globs(glob, target.below));
    for (const auto& one : rebased) arguments.push_back("--glob=" + one);
    if (glob.starts_with('!')) continue;
    wanted = true;
    possible = possible || !rebased.empty();
  }
  return !wanted || possible || target.file;
}

std::unique_ptr<GrepResults> results_for(GrepOutput output, const Page& page,
                                         const Target& target) {
  switch (output) {
    case GrepOutput::content: return line_results(page);
    case GrepOutput::count: return count_results(page);
    case GrepOutput::files: break;
  }
  return file_results(page, target.folder.fd.get(), target.prefix);
}

/// Adds a line of ripgrep with paths relative to the current directory.
void add_line(GrepResults& results, GrepOutput output, std::string_view line,
              const Target& target) {
  if (output == GrepOutput::files) {
    return results.add(target.file ? std::string_view(target.file_name) : line);
  }
  if (target.file || target.prefix.empty() || line == "--") return results.add(line);
  results.add(std::string(target.prefix).append(line));
}

constexpr std::string_view kCutShort =
    "(The search took too long and was ended: there may be more)";
constexpr std::string_view kNothingIgnored =
    "(Git-ignored files were searched, too: a .gitignore or info/exclude here is not a regular "
    "file)";

Outcome ended(const Searched& searched, bool special, GrepResults& results, Workspace& workspace) {
  if (searched.stopped) return failure("The search was stopped.");
  if (searched.rejected) {
    return failure(
        fmt::format("Search failed: ripgrep refused the pattern, glob or type, and "
                    "nothing was searched:\n{}",
                    searched.complaint));
  }
  return results.outcome(searched.cut_short ? kCutShort
                         : special          ? kNothingIgnored
                                            : "",
                         workspace);
}

Outcome grep(const json::Document& input, const fs::path& path, const Target& target,
             Workspace& workspace, const std::stop_token& stop) {
  const auto output = grep_output(input);
  auto arguments = arguments_of(input, output);
  const auto results = results_for(output, page_of(input), target);
  const auto some = add_globs(arguments, input, target);
  if (!some) return misuse(some.error().message);
  if (!*some) return results->outcome("", workspace);
  const auto folder = target.file ? path.parent_path() : path;
  std::ranges::move(exclusion_options(folder, workspace), std::back_inserter(arguments));
  const bool special = has_special_ignore_files(folder);
  if (special) arguments.emplace_back("--no-ignore-vcs");
  if (folder == folder.root_path()) arguments.emplace_back("--glob=!/proc");
  if (target.file) {
    arguments.emplace_back("--");
    arguments.push_back(path_of_descriptor(target.file->fd.get()).string());
  }
  const char end = output == GrepOutput::files ? '\0' : '\n';
  const auto searched = search(
      arguments, target.folder, end,
      [&](std::string_view line) { add_line(*results, output, line, target); }, workspace, stop);
  if (!searched) return failure(searched.error());
  return ended(*searched, special, *results, workspace);
}

std::string bad_text(const json::Document& input) {
  for (const auto* const key : {"pattern", "glob", "type"}) {
    if (auto why = bad_pattern(json::text(input, key)); !why.empty()) return why;
  }
  return {};
}

class Grep final : public Tool {
 public:
  std::string_view name() const override { return "Grep"; }
  std::string_view description() const override { return kGrepDescription; }
  std::string_view schema() const override { return kGrepSchema; }
  bool is_parallel(const json::Document&) const override { return true; }

  Access access(const json::Document& input, const Workspace& workspace) const override {
    return {Access::Kind::read, path_of(input, "path", workspace), {}};
  }

  Outcome run(const json::Document& input, const Access& access, Workspace& workspace,
              const std::stop_token& stop) const override {
    if (const auto why = bad_text(input); !why.empty()) return misuse(why);
    const auto& path = access.path;
    const auto cwd = workspace.cwd();
    const auto kind = kind_of(path);
    if (kind == FileKind::missing) {
      return failure(
          fmt::format("Path does not exist: {}. Note: your current working directory is {}.",
                      path.string(), cwd.string()));
    }
    if ((kind != FileKind::folder && kind != FileKind::regular) || is_process_information(path)) {
      return failure(fmt::format("{} is neither a file nor a directory and cannot be searched.",
                                 path.string()));
    }
    const auto target = open_target(path, kind, cwd);
    if (!target) return failure(target.error());
    return grep(input, path, *target, workspace, stop);
  }
};

}  // namespace

const Tool& grep_tool() {
  static const Grep tool;
  return tool;
}

}  // namespace ralph::tool
