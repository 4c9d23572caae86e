#include "tool/grep.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tool/grep_hidden.h"
#include "tool/grep_results.h"
#include "tool/input.h"
#include "tool/ripgrep.h"
#include "tool/safe_file.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kUsualLimit = 250;
constexpr std::int64_t kMostContext = 10000;

constexpr std::string_view kDescription =
    "Searches the contents of files with ripgrep's regular expressions; git-ignored files are "
    "left out. output_mode: files_with_matches (names only, newest first), content (the lines, "
    "with numbers; -A, -B, -C add lines around them) or count. glob and type choose files. "
    "head_limit (250; 0 for all) and offset choose a part of the results. multiline lets a "
    "pattern span lines.";

constexpr std::string_view kSchema = R"({"type":"object","properties":{
"pattern":{"type":"string","description":"Regular expression to search for"},
"path":{"type":"string","description":"File or folder to search; the current folder if absent"},
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

/// Several patterns are parted by blanks, or by commas outside of braces.
std::vector<std::string> globs_of(std::string_view text) {
  std::vector<std::string> globs(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (c == ' ' || (c == ',' && depth == 0)) {
      globs.emplace_back();
    } else {
      globs.back() += c;
    }
  }
  std::erase(globs, "");
  return globs;
}

std::vector<std::string> arguments_of(const json::Document& input, std::string_view mode) {
  std::vector<std::string> arguments{"--hidden", "--max-columns=500"};
  for (const auto* const folder : kVersionControl) {
    arguments.push_back(fmt::format("--glob=!{}", folder));
  }
  if (flag_of(input, "multiline")) {
    arguments.insert(arguments.end(), {"--multiline", "--multiline-dotall"});
  }
  if (flag_of(input, "-i")) arguments.emplace_back("--ignore-case");
  if (mode == "content") {
    arguments.emplace_back("--sort=path");
    add_content_options(arguments, input);
  } else if (mode == "count") {
    arguments.insert(arguments.end(), {"--sort=path", "--count"});
  } else {
    arguments.insert(arguments.end(), {"--files-with-matches", "--null"});
  }
  for (const auto& glob : globs_of(text_of(input, "glob"))) arguments.push_back("--glob=" + glob);
  if (const auto type = text_of(input, "type"); !type.empty())
    arguments.push_back("--type=" + type);
  arguments.push_back("--regexp=" + text_of(input, "pattern"));
  return arguments;
}

std::unique_ptr<GrepResults> results_for(std::string_view mode, const Page& page,
                                         const fs::path& cwd) {
  if (mode == "content") return line_results(page);
  if (mode == "count") return count_results(page);
  return file_results(page, cwd);
}

Outcome grep(const json::Document& input, const fs::path& target, Workspace& workspace,
             const std::stop_token& stop) {
  const auto cwd = workspace.cwd();
  const auto mode = text_of(input, "output_mode");
  auto arguments = arguments_of(input, mode);
  const auto& rules = workspace.setup().unreadable;
  if (!rules.empty() &&
      shown_path(target, cwd) == target) {  // globs do not reach out of the folder
    return misuse(
        fmt::format("Rules keep some files from being searched, so only what is in the current "
                    "folder, {}, can be. Go to {} with cd, and search there.",
                    cwd.string(), target.string()));
  }
  std::ranges::move(hiding_options(cwd, workspace), std::back_inserter(arguments));
  if (target != cwd) {
    arguments.emplace_back("--");
    arguments.push_back(shown_path(target, cwd));
  }
  const auto results = results_for(mode, page_of(input), cwd);
  const char end = mode == "content" || mode == "count" ? '\n' : '\0';
  const auto searched = search(
      arguments, cwd, end, [&](std::string_view line) { results->add(line); }, workspace, stop);
  if (!searched) return failure(searched.error());
  if (searched->stopped) return failure("The search was stopped.");
  if (searched->rejected) {
    return failure(
        fmt::format("Search failed: ripgrep refused the pattern, glob or type, and "
                    "nothing was searched:\n{}",
                    searched->complaint));
  }
  return results->outcome(
      searched->cut_short ? "(The search took too long and was ended: there may be more)" : "",
      workspace);
}

std::string bad_text(const json::Document& input) {
  for (const auto* const key : {"pattern", "glob", "type"}) {
    if (auto why = bad_pattern(text_of(input, key)); !why.empty()) return why;
  }
  return {};
}

class Grep final : public Tool {
 public:
  std::string_view name() const override { return "Grep"; }
  std::string_view description() const override { return kDescription; }
  std::string_view schema() const override { return kSchema; }

  Access access(const json::Document& input, const Workspace& workspace) const override {
    return {Access::Kind::read, path_of(input, "path", workspace), {}};
  }

  Outcome run(const json::Document& input, const Access& access, Workspace& workspace,
              const std::stop_token& stop) const override {
    if (const auto why = bad_text(input); !why.empty()) return misuse(why);
    const auto& target = access.path;
    switch (kind_of(target)) {
      case FileKind::missing:
        return failure(
            fmt::format("Path does not exist: {}. Note: your current working directory is {}.",
                        target.string(), workspace.cwd().string()));
      case FileKind::folder:
      case FileKind::regular: return grep(input, target, workspace, stop);
      default:
        return failure(
            fmt::format("{} is no file and no folder: it cannot be searched.", target.string()));
    }
  }
};

}  // namespace

const Tool& grep_tool() {
  static const Grep tool;
  return tool;
}

}  // namespace ralph::tool
