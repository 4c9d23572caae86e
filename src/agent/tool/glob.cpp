#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "agent/tool/builtin_tools.h"
#include "agent/tool/input.h"
#include "agent/tool/ripgrep.h"
#include "agent/tool/safe_file.h"
#include "agent/tool/search_exclusions.h"
#include "core/base/time.h"
#include "core/base/utf8.h"
#include "core/json/field.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFilesShown = 100;

constexpr std::string_view kGlobDescription =
    "Finds files by name. A pattern such as *.h matches at any depth; with a slash it counts from "
    "the directory that is searched: src/**/*.{cpp,h}. Hidden and git-ignored files are found too. "
    "The oldest come first, at most 100.";

constexpr std::string_view kGlobSchema = R"({"type":"object","properties":{
"pattern":{"type":"string","description":"The pattern file names must match"},
"path":{"type":"string","description":"The directory to search; the current one if absent"}},
"required":["pattern"],"additionalProperties":false})";

struct GlobRequest {
  std::string pattern;
  fs::path folder;
};

bool has_wildcard(const std::string& part) {
  return part.find_first_of("*?[{\\") != std::string::npos;
}

/// The directory of an absolute pattern is its part before the first wildcard.
GlobRequest glob_request(const json::Document& input, const Workspace& workspace) {
  GlobRequest request{json::text(input, "pattern"), path_of(input, "path", workspace)};
  const fs::path pattern(request.pattern);
  if (!pattern.is_absolute()) return request;
  fs::path folder("/");
  fs::path rest;
  const auto parts = pattern.relative_path();
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    const bool is_name = std::next(part) == parts.end();
    if (rest.empty() && !is_name && !has_wildcard(part->string())) {
      folder /= *part;
    } else {
      rest /= *part;
    }
  }
  return {"/" + rest.string(), workspace.resolve(folder.string())};
}

bool climbs(const std::string& pattern) {
  const fs::path parts(pattern);
  return std::find(parts.begin(), parts.end(), "..") != parts.end();
}

Outcome found(const std::vector<std::string>& names, std::size_t total, bool complete,
              Millis duration) {
  std::string text = names.empty() ? "No files found" : fmt::format("{}", fmt::join(names, "\n"));
  if (total > names.size()) {
    text += fmt::format("\n(Showing {} of {} matching files; use a narrower pattern or path)",
                        names.size(), total);
  }
  if (!complete) text += "\n(The search took too long and was ended: there may be more)";
  return success(text, {{"filenames", names},
                        {"durationMs", duration.count()},
                        {"numFiles", names.size()},
                        {"truncated", total > names.size() || !complete},
                        {"totalMatches", total},
                        {"countIsComplete", complete}});
}

Outcome glob(const GlobRequest& request, const OpenFolder& folder, const Workspace& workspace,
             const std::stop_token& stop) {
  const auto began = std::chrono::steady_clock::now();
  const auto cwd = workspace.cwd();
  std::vector<std::string> names;
  std::size_t total = 0;
  std::vector<std::string> arguments{"--files",     "--hidden",
                                     "--no-ignore", "--sort=modified",
                                     "--null",      "--glob=" + literal_start(request.pattern)};
  std::ranges::move(exclusion_options(request.folder, workspace), std::back_inserter(arguments));
  const auto searched = search(
      arguments, folder, '\0',
      [&](std::string_view name) {
        if (++total > kMostFilesShown) return;
        names.push_back(utf8::repaired(shown_path(request.folder / name, cwd)));
      },
      workspace, stop);
  if (!searched) return failure(searched.error());
  if (searched->stopped) return failure("The search was stopped.");
  if (searched->rejected) {
    return failure(fmt::format("ripgrep refused the pattern:\n{}", searched->complaint));
  }
  if (searched->cut_short && names.empty()) {
    return failure("The search took too long and was ended. Search a smaller directory.");
  }
  return found(names, total, !searched->cut_short, since(began));
}

class Glob final : public Tool {
 public:
  std::string_view name() const override { return "Glob"; }
  std::string_view description() const override { return kGlobDescription; }
  std::string_view schema() const override { return kGlobSchema; }
  bool is_parallel(const json::Document&) const override { return true; }

  Access access(const json::Document& input, const Workspace& workspace) const override {
    return {Access::Kind::read, glob_request(input, workspace).folder, {}};
  }

  Outcome run(const json::Document& input, const Access& access, Workspace& workspace,
              const std::stop_token& stop) const override {
    auto request = glob_request(input, workspace);
    request.folder = access.path;
    if (const auto why = bad_pattern(request.pattern); !why.empty()) return misuse(why);
    if (request.pattern.empty()) return misuse("The pattern is empty.");
    if (climbs(request.pattern)) {
      return misuse("The pattern contains '..'. Give the directory to search as path instead.");
    }
    switch (kind_of(request.folder)) {
      case FileKind::missing:
        return failure(
            fmt::format("Directory does not exist: {}. Note: your current working directory is {}.",
                        request.folder.string(), workspace.cwd().string()));
      case FileKind::folder: break;
      default: return failure(fmt::format("Path is not a directory: {}", request.folder.string()));
    }
    const auto folder = open_folder(request.folder);
    if (!folder) return failure(folder.error());
    return glob(request, *folder, workspace, stop);
  }
};

}  // namespace

const Tool& glob_tool() {
  static const Glob tool;
  return tool;
}

}  // namespace ralph::tool
