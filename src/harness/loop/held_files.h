#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "harness/store/user_state.h"

namespace ralph::loop {

/// The files that verification moved away, so that the next ralph can restore them after a crash. Kept in the user's
/// state directory: an agent could write a list in the workspace, and files are moved by it.
struct HeldFiles {
  struct File {
    std::string path;      // in `workspace`
    bool existed = false;  // there was a version, which is held
    std::string digest;    // digest_of() the version that was put in its place
  };
  std::string folder;  // a name in `.ralph/state`
  std::vector<File> files;
  std::string workspace;  // absolute
};

Result<> save_held(const store::UserState& user, const HeldFiles& list);
/// nullopt: nothing is held.
Result<std::optional<HeldFiles>> load_held(const store::UserState& user);
void forget_held(const store::UserState& user);

}  // namespace ralph::loop
