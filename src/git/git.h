#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace ralph::git {

/// Where a working tree stands.
struct State {
  std::string head;    // commit id; empty: no commit yet
  std::string branch;  // empty: detached
  bool dirty = false;  // tracked files differ from head
};

/// nullopt: `folder` is in no repository, or git is not installed. Starts no program for a folder without a
/// .git above it. What git refuses (a broken repository, one of another user) is an error in git's words.
Result<std::optional<State>> read_state(const std::filesystem::path& folder,
                                        Millis limit = std::chrono::seconds(10));

}  // namespace ralph::git
