#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "harness/store/loop_state_files.h"
#include "harness/store/trusted_state.h"

namespace ralph::store {

/// State and records of a loop. Written to the user's state directory, which is trusted, and to `.ralph/state/`, which
/// is for people and other programs: an agent can write there.
class LoopStateStore {
 public:
  /// `state_folder`: user_state_folder().
  LoopStateStore(const std::filesystem::path& workspace, std::filesystem::path state_folder);

  /// An error: nothing can be kept outside of the workspace; then only `.ralph/state/` is written, and load() does
  /// not trust it.
  Result<> prepare();

  enum class Source {
    trusted,    // the user's state directory only. Code::permission: none, or not what ralph wrote
    workspace,  // `.ralph/state/` counts where the other is missing or bad: the user wants it
  };
  struct Loaded {
    LoopState state;
    std::vector<LoopRecord> records;
    bool trusted = true;
    std::vector<std::string> warnings;  // what was found changed or unreadable
  };
  /// nullopt: no loop is known.
  Result<std::optional<Loaded>> load(Source source);

  Result<> save(const LoopState& state);
  Result<> append(const LoopRecord& record);
  /// What load() took from the workspace is trusted from now on.
  Result<> adopt(const LoopState& state, const std::vector<LoopRecord>& records);
  /// Makes `.ralph/state/progress.ndjson` hold exactly these.
  Result<> rewrite_copy(const std::vector<LoopRecord>& records) const;
  /// The records before are those of another loop: kept in `.ralph/state/` under its name.
  Result<> put_records_aside(std::string_view id) const;

  const LoopStateFiles& files() const { return files_; }
  /// After prepare(); null: nothing can be kept outside of the workspace.
  const UserState* user() const { return outside_ ? &trusted_.user() : nullptr; }

 private:
  Result<Loaded> load_copy(const LoopState& state) const;
  /// `different`: what is wrong with loop.json; empty: nothing.
  void warn_about_copy(Loaded& loaded, std::string_view different) const;

  LoopStateFiles files_;
  TrustedState trusted_;
  bool outside_ = false;  // the user's state directory can be written
};

}  // namespace ralph::store
