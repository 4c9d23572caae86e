#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "harness/backend/plan.h"
#include "harness/loop/state.h"
#include "harness/loop/trusted_state.h"

namespace ralph::loop {

/// $XDG_STATE_HOME/ralph or ~/.local/state/ralph, by ralph's own environment; empty: neither is known.
std::filesystem::path user_state_folder();

/// Where ralph and the agents it knows keep settings, keys and sessions of their own: no work of an iteration, even
/// where the home is a repository.
std::vector<std::filesystem::path> own_paths(const backend::Host& host);

/// State and records of a loop. Written to the user's state folder, which is trusted, and to `.ralph/state/`, which is
/// for people and other programs: an agent can write there.
class StateStore {
 public:
  /// `state_folder`: user_state_folder().
  StateStore(const std::filesystem::path& workspace, std::filesystem::path state_folder);

  /// An error: nothing can be kept outside of the workspace; then only `.ralph/state/` is written, and load() refuses to
  /// go by it.
  Result<> prepare();

  enum class Source {
    trusted,    // the user's state folder only. Code::permission: none, or not what ralph wrote
    workspace,  // `.ralph/state/` counts where the other is missing or bad: the user wants it
  };
  struct Loaded {
    State state;
    std::vector<Record> records;
    bool trusted = true;
    std::vector<std::string> warnings;  // what was found changed or unreadable
  };
  /// nullopt: no loop is known.
  Result<std::optional<Loaded>> load(Source source) const;

  Result<> save(const State& state) const;
  Result<> append(const Record& record) const;
  /// What load() took from the workspace is trusted from now on.
  Result<> adopt(const State& state, const std::vector<Record>& records) const;
  /// Makes `.ralph/state/progress.ndjson` hold exactly these.
  Result<> rewrite_copy(const std::vector<Record>& records) const;
  /// The records before are those of another loop: kept in `.ralph/state/` under its name.
  Result<> put_records_aside(std::string_view id) const;

  const StateFiles& files() const { return files_; }
  /// After prepare(); null: nothing can be kept outside of the workspace.
  const UserState* user() const { return outside_ ? &trusted_.user() : nullptr; }

 private:
  Result<Loaded> load_copy(const State& state) const;
  /// `different`: what is wrong with loop.json; empty: nothing.
  void warn_about_copy(Loaded& loaded, std::string_view different) const;

  StateFiles files_;
  TrustedState trusted_;
  bool outside_ = false;  // the user's state folder can be written
};

}  // namespace ralph::loop
