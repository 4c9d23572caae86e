#pragma once
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/mask.h"
#include "core/base/result.h"
#include "system/git/work.h"
#include "harness/loop/policy.h"
#include "harness/loop/prompt.h"
#include "harness/loop/state.h"
#include "core/model/model.h"
#include "harness/run/control.h"
#include "harness/run/request.h"
#include "harness/run/run.h"

namespace ralph::loop {

/// What a loop does beside working on its goal.
struct Options {
  Budget budget;
  std::vector<std::string> verify;
  Millis verify_limit{0};
  std::vector<std::string> protect;  // globs: files that verification takes from the start
  bool verify_clean = false;         // verification runs in a clone of its own
  std::int64_t summarize_every = 10, recent = 5;
  std::string summary_model = "haiku", summary_reasoning = "high";
  std::string reasoning = "med";
  std::string done_marker = "LOOP_DONE";
  std::int64_t loop_guard = 0;
  bool commit = false, rollback = false, stash = false;
  Millis git_timeout{0};        // of calls that only read; zero: none
  bool allow_secrets = false;   // in the goal
  bool accept_changes = false;  // of verification and settings, when a loop is resumed
  PromptCaps caps;
};

/// What a loop begins with: everything read and checked, nothing started.
struct Setup {
  std::string loop_id;  // of a resumed one: its own
  bool resumed = false;
  std::string goal, goal_file;
  std::filesystem::path goal_path;  // of a goal that is a file: absolute
  std::string goal_seen;            // goal_id() of that file
  std::string goal_note;            // of a resumed one: the goal is another one
  std::vector<std::filesystem::path>
      inputs;  // files of the user's that the loop is told by, absolute
  Template form = Template::builtin();
  Options options;
  run::Request request;  // as for one run, without a prompt
  std::map<std::string, std::vector<std::string>> flags;
  std::map<std::string, std::string> settings;         // those that must not change unseen
  std::map<std::string, std::string> settings_before;  // of a resumed one: without what is said now
  std::vector<std::string> warnings;
  std::filesystem::path state_folder;  // user_state_folder()
};

/// A part of the loop that takes a while.
struct RunInfo {
  enum class Kind { worker, summarizer };
  Kind kind = Kind::worker;
  std::int64_t iteration = 0;
  std::string run_id;
};

/// Who looks on. Called from the thread of the loop, but for the handlers, and note() from theirs.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void started(const State& state, const std::vector<Record>& before) = 0;
  /// A run begins: who shall see its events, after the summary.
  virtual std::vector<stream::Handler*> begin(const RunInfo& run, const stream::Summary& summary) = 0;
  virtual void ended(const RunInfo& run, const Record& record, const Totals& totals) = 0;
  virtual void verifying(const std::vector<std::string>& commands) = 0;
  virtual void output_of_verification(std::string_view bytes) = 0;
  virtual void verified(const Verification& verification) = 0;
  virtual void committed(const std::string& commit, std::int64_t iteration) = 0;
  virtual void rolled_back(const std::string& commit, std::int64_t iteration) = 0;
  /// About once a second while the loop waits. True: go on now.
  virtual bool waiting(std::string_view why, Millis left) = 0;
  virtual void note(stream::Level level, std::string_view text) = 0;
  virtual void flush() = 0;
  virtual void hurry(Millis patience) = 0;
};

/// A commit made during the loop.
struct MadeCommit {
  std::string id, subject;
};

/// How it went.
struct Report {
  std::optional<Error> start_error;
  StopReason end = StopReason::agent;
  std::string why;  // one sentence more than the reason's own
  int exit_code = 0;
  std::string loop_id;
  std::string
      gave_way_to;  // it did nothing: --resume, status and undo are about this loop, the one before
  UtcTime started, ended;
  std::int64_t guidance_left = 0;        // messages of 'ralph tell' that no iteration got
  std::string stash;                     // ref of the user's changes, where they are stashed still
  std::string stash_entry;               // the same in git's list: "stash@{0}"
  std::string model;                     // the agent used last; empty: not known
  std::vector<std::int64_t> taken_back;  // iterations, by 'ralph undo'
  Totals totals;
  std::map<std::string, double> days;   // cost by UTC day, all loops of this workspace
  Millis elapsed{0};                    // all starts of this loop
  std::vector<git::FileChange> files;   // since the start; only in a git repository
  std::optional<std::string> from, to;  // trees or commits those are between
  bool has_git = false;
  std::filesystem::path state_folder;
  std::string verified;  // "verified by `make test` in the working tree"; empty: not at all
  bool changed_since_verified = false;  // files, since a loop that is resumed was done
  std::vector<MadeCommit> commits;      // the newest, the newest first
  std::int64_t commit_count = 0;        // of all of them
  Budget budget;
  Millis waited{0};                   // of `elapsed`
  Millis would_wait{0};               // the wait that does not fit into the time limit
  bool state_is_trusted = true;       // false: --resume needs --accept-changes
  std::vector<std::string> findings;  // what looks like tampering
};

/// How somebody outside stops a loop; from any thread.
class Control {
 public:
  /// The first time: after this iteration. The second: now. False: it was the first.
  bool stop(int signal_number);
  void stop_now(int signal_number);

  bool wants_end() const { return asked_.load() != 0; }
  int signal() const { return asked_.load(); }
  /// For a rate limit, an outage or the next try: there is no iteration to end.
  bool waiting() const { return waiting_.load(); }
  void set_waiting(bool waiting) { waiting_ = waiting; }
  run::Control& runs() { return runs_; }

 private:
  std::atomic<int> asked_ = 0;
  std::atomic<bool> waiting_ = false;
  run::Control runs_;
};

/// Works on the goal, iteration by iteration, until it is done or a limit is reached. Holds the workspace's lock all the
/// while; state and progress are on the disk after every step.
Report work(Setup setup, Observer& observer, Control& control, const Masker& masker);

/// The prompt the next iteration would get; starts and writes nothing. `refused`: guidance that is not used, and why.
struct NextPrompt {
  std::string text;
  std::int64_t iteration = 0;
};
Result<NextPrompt> next_prompt(const Setup& setup, std::vector<std::string>& cuts,
                               std::string& refused);

}  // namespace ralph::loop
