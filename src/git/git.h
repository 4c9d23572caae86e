#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace ralph::git {

/// Where a working tree stands.
struct State {
  std::string head;    // commit id; empty: no commit yet
  std::string branch;  // empty: detached
  bool dirty = false;  // tracked files differ from head
};

/// nullopt: `folder` is in no repository, or git is not installed. Starts no program for a folder without a
/// .git above it. Bounded: 10 s.
Result<std::optional<State>> read_state(const std::filesystem::path& folder);

}  // namespace ralph::git
