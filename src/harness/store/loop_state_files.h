#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "harness/store/location.h"
#include "harness/store/loop_record.h"
#include "harness/store/loop_state.h"

namespace ralph::store {

/// The files of the loop in a workspace: `.ralph/state/loop.json`, `progress.ndjson`, `stop`. All private.
class LoopStateFiles {
 public:
  explicit LoopStateFiles(const std::filesystem::path& workspace);

  /// nullopt: there is none. One that cannot be read is moved aside and named in `warning`.
  Result<std::optional<LoopState>> load(std::string& warning) const;
  /// The same, read-only.
  std::optional<LoopState> peek(std::string& warning) const;
  Result<> save(const LoopState& state) const;

  /// In their order; a last line that was cut by a crash is left out. Lines that cannot be read are counted in `bad`.
  Result<std::vector<LoopRecord>> records(std::int64_t& bad) const;
  /// In the file, and on the disk, when this returns.
  Result<> append(const LoopRecord& record) const;
  /// Whether progress.ndjson is there, and is a plain file.
  bool has_records() const;
  /// Replaces it by these, in one step.
  Result<> rewrite(const std::vector<LoopRecord>& records) const;

  /// Before a new loop: renames loop.json to loop-ID.json …
  Result<> put_aside(const LoopState& old) const;
  /// … and progress-ID.ndjson; done before, it does nothing.
  Result<> put_records_aside(std::string_view id) const;
  /// The loop with that id is the current one again.
  void remove_aside(std::string_view id) const;

  /// The report of a loop, as its end showed it; empty: there is none.
  Result<> save_report(std::string_view id, std::string_view text) const;
  std::string report(std::string_view id) const;

  /// Asks the loop to end after this iteration.
  Result<> ask_to_stop() const;
  bool asked_to_stop() const;
  /// 'ralph stop --now' is about to send a signal: the loop recognizes the signal by this file.
  Result<> announce_stop() const;
  bool stop_announced() const;
  void forget_stop() const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  Location place_;
  std::filesystem::path folder_;
};

}  // namespace ralph::store
