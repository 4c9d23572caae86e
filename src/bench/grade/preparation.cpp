// What graders need to know, or to keep, before the agent runs.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "bench/grade/grader.h"
#include "core/json/field.h"
#include "harness/run/clean_clone.h"

namespace ralph::grade {
namespace {

constexpr std::string_view kCodeGrader = "command";
constexpr std::string_view kDiffGrader = "git-diff";

json::Document config_of(const trial::GraderSpec& spec) {
  return json::parse(spec.config).value_or(json::Document::object());
}

}  // namespace

Confinement find_confinement(std::span<const trial::GraderSpec> specs) {
  if (std::ranges::none_of(specs, [](const auto& spec) { return spec.name == kCodeGrader; })) {
    return {};
  }
  auto found = run::find_bubblewrap();
  return found ? Confinement{*std::move(found), {}} : Confinement{{}, describe(found.error())};
}

Result<git::PathGlobs> protected_paths(std::span<const trial::GraderSpec> specs) {
  std::vector<std::string> all;
  for (const auto& spec : specs) {
    if (spec.name != kCodeGrader) continue;
    auto patterns = json::texts(config_of(spec), "protect");
    // Each list must be right; here a pattern that takes back those of another grader has no place.
    TRY(git::PathGlobs::make(patterns, "protect"));
    std::erase_if(patterns, [](const auto& pattern) { return pattern.starts_with('!'); });
    all.insert(all.end(), patterns.begin(), patterns.end());
  }
  return git::PathGlobs::make(all, "protect");
}

std::vector<std::string> unmatched_patterns(std::span<const trial::GraderSpec> specs,
                                            std::span<const std::string> paths) {
  std::vector<std::string> unmatched;
  for (const auto& spec : specs) {
    if (spec.name != kCodeGrader) continue;
    for (const auto& pattern : json::texts(config_of(spec), "protect")) {
      const auto glob = git::PathGlobs::make({pattern}, "protect");
      const auto matches = [&](const auto& path) {
        return glob->matches(path) || glob->excludes(path);
      };
      if (glob && std::ranges::none_of(paths, matches)) unmatched.push_back(pattern);
    }
  }
  return unmatched;
}

std::vector<std::string> named_commits(std::span<const trial::GraderSpec> specs) {
  std::vector<std::string> names;
  for (const auto& spec : specs) {
    if (spec.name != kDiffGrader) continue;
    auto name = json::text(config_of(spec), "base_commit");
    if (!name.empty() && name != "HEAD") names.push_back(std::move(name));
  }
  return names;
}

}  // namespace ralph::grade
