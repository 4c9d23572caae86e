#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "harness/store/loop_limits.h"
#include "harness/store/loop_state.h"
#include "harness/store/stop_reason.h"

namespace ralph::store {

/// A commit made since the loop began.
struct MadeCommit {
  std::string id, subject;
  bool by_loop = true;
};

/// A file that differs from what it was at the start of the loop.
struct ChangedFile {
  char kind = 'M';  // added, modified, deleted, or another type: A, M, D, T, as git names them
  std::string path;
  std::int64_t added = 0, removed = 0;  // lines; -1: not text
};

/// The result of a loop, for people and programs.
struct LoopReport {
  std::optional<Error> start_error;
  StopReason reason = StopReason::agent;
  std::string why;  // one sentence more than the reason's own
  int exit_code = 0;
  std::string loop_id;
  std::string restored_loop;  // this one was empty: --resume, status and undo use the previous loop
  bool nothing_ran =
      false;  // a resumed loop that ended again at once: the report of its end counts
  UtcTime started, ended;
  std::int64_t guidance_left = 0;        // messages of 'ralph tell' that no iteration got
  std::string stash;                     // ref of the user's changes, where they are stashed still
  std::string stash_entry;               // the same in git's list: "stash@{0}"
  std::string last_model;                // empty: not known
  std::vector<ModelUse> models;          // in the order of their first run; empty: not known
  std::vector<std::int64_t> taken_back;  // iterations, by 'ralph undo'
  LoopTotals totals;
  std::map<std::string, double> days;   // cost by UTC day, all loops of this workspace
  Millis elapsed{0};                    // all starts of this loop
  std::vector<ChangedFile> files;       // since the start; only in a git repository
  bool files_known = false;             // in a git repository that could be read
  std::optional<std::string> from, to;  // trees or commits those are between
  bool has_git = false;
  std::filesystem::path state_folder;
  std::string verified;  // "verified by `make test` in the working tree"; empty: not at all
  bool changed_since_verified = false;  // files, since a loop that is resumed was done
  std::vector<MadeCommit> commits;      // the newest, the newest first
  std::int64_t commit_count = 0;        // of those by the loop
  std::int64_t other_commits = 0;       // made by others since the loop began
  LoopLimits budget;
  Millis waited{0};                   // of `elapsed`
  Millis would_wait{0};               // the wait that does not fit into the time limit
  bool state_is_trusted = true;       // false: --resume needs --accept-changes
  std::vector<std::string> findings;  // what looks like tampering
};

}  // namespace ralph::store
