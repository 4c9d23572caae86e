#include "tool/bash_environment.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace ralph::tool {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kGitSettings{
    {{"safe.bareRepository", "explicit"},
     {"core.fsmonitor", "false"},
     {"core.pager", "cat"},
     {"diff.autoRefreshIndex", "false"}}};  // else `git diff` writes the index, and runs a hook

constexpr std::string_view kCount = "GIT_CONFIG_COUNT";

bool sets_git_settings(const Workspace& workspace) {
  const auto& changes = workspace.setup().environment;
  return !workspace.variable(kCount).empty() ||
         std::ranges::find(changes, kCount, &process::EnvChange::name) != changes.end();
}

}  // namespace

std::vector<process::EnvChange> command_environment(const Workspace& workspace) {
  std::vector<process::EnvChange> changes{
      {"GIT_PAGER", "cat"}, {"GIT_OPTIONAL_LOCKS", "0"}, {"GIT_EXTERNAL_DIFF", std::nullopt}};
  if (!sets_git_settings(workspace)) {
    changes.push_back({std::string(kCount), std::to_string(kGitSettings.size())});
    for (std::size_t i = 0; i < kGitSettings.size(); ++i) {
      changes.push_back({fmt::format("GIT_CONFIG_KEY_{}", i), std::string(kGitSettings[i].first)});
      changes.push_back(
          {fmt::format("GIT_CONFIG_VALUE_{}", i), std::string(kGitSettings[i].second)});
    }
  }
  const auto& own = workspace.setup().environment;
  changes.insert(changes.end(), own.begin(), own.end());
  return changes;
}

}  // namespace ralph::tool
