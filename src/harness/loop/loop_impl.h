#pragma once
// Private to this room's .cpp files.
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "system/git/integrity.h"
#include "system/git/tree_files.h"
#include "system/git/work.h"
#include "harness/loop/answer.h"
#include "harness/loop/goal_file.h"
#include "harness/loop/guidance.h"
#include "harness/loop/loop.h"
#include "harness/loop/path_glob.h"
#include "harness/loop/start_files.h"
#include "harness/loop/state_store.h"
#include "harness/loop/verify.h"
#include "harness/run/config_watch.h"
#include "harness/run/protected_files.h"
#include "harness/store/state.h"
#include "harness/store/workspace.h"

namespace ralph::loop {

/// What a run of an agent came to.
struct RunOutcome {
  stream::Verdict verdict;
  Answer answer;
  stream::Summary summary;
  TimeSplit time;
  std::vector<stream::Summary> corrections = {};  // runs of their own
  bool spent_all = false;                         // it was stopped for what it cost
  std::filesystem::path raw_log = {};             // without those of corrections
  std::optional<stream::Summary> before_attempt =
      {};  // of a run read from its journal: before the last one
  double cost_at_least_usd = 0;
};

/// Why the loop is over, while it is not known to all yet.
struct LoopStop {
  StopReason end;
  std::string why = {};
  std::optional<int> exit_code = {};  // none: that of the reason
  Millis would_wait{0};               // StopReason::time: for what there is no time
};

/// What all loops of the workspace cost, by day: the newest days.
std::map<std::string, double> days_together(std::map<std::string, double> days,
                                            const std::map<std::string, double>& more);

/// Where the branches, tags and stashes of a loop's start are kept, below refs/ralph/.
std::string start_ref(std::string_view loop_id);

/// The end that a record stands for; nullopt: none.
std::optional<LoopStop> end_of(const Record& record);

/// What the next prompt is made of, from the files of the loop.
PromptParts prompt_parts(const Setup& setup, const std::vector<Record>& records,
                         const std::vector<Guidance::Message>& guidance,
                         const std::vector<std::string>& verify_names);

/// What the journal of a run tells of it, for a run whose ralph was killed. `bad`: lines that are not readable.
RunOutcome end_in_journal(std::string_view journal, const Setup& setup, std::int64_t& bad);
/// The agent's output reaches the raw log first: what a kill kept from the journal is only there. The journal counts where
/// the log cannot be read, says no more, or is not the one the journal was made from: of that one only a higher cost counts.
/// A warning; empty: none.
std::string add_from_log(RunOutcome& end, const Setup& setup, const store::Workspace& workspace);
/// Answer and verdict of a run whose end is not known.
void conclude_interrupted(RunOutcome& end, const Setup& setup);

/// Takes an agent's last words for its answer, where it has no form to answer in.
void take_words(const Setup& setup, RunOutcome& end);

/// The answer in what an agent said.
Answer answer_of(const Setup& setup, const stream::Summary& summary);

/// A loop from the lock to the report. One object per loop; begin(), then go().
class Loop {
 public:
  Loop(Setup setup, Observer& observer, Control& control, const Masker& masker);

  Result<> begin();
  Report go();
  /// begin() failed: what it had put aside is brought back.
  void give_up() { bring_back_stash(); }

 private:
  using Over = std::optional<LoopStop>;  // nullopt: the loop goes on

  // Set-up.
  Result<std::optional<State>> load_old();
  Result<> take_over(std::optional<State> old);
  Result<> settle_old(const State& old);
  Result<> check_unchanged(const State& old) const;
  Result<> open_git();
  Result<> begin_git();
  Result<> check_users_changes();
  Result<> stash_or_refuse();
  void name_goal();
  Result<> leave_out_inputs(std::vector<std::string>& dirty);
  Result<> leave_out_as_before();
  void keep_inputs();
  void check_verify_programs();
  void leave_out_edited_goal();
  Result<> begin_anew(const std::optional<State>& old);
  void remove_locks_left(const State& old);
  Result<> go_on_with(State old);
  bool did_nothing(const LoopStop& ending) const;
  Result<> bring_back_before();
  void bring_back_stash();
  Result<> prepare_git();
  Result<> protect_files();
  Result<> prepare_verification();

  // The steps.
  Over step();
  Over iterate();
  Over recover();
  Result<RunOutcome> end_of_interrupted(const Current& current, std::string& warning) const;
  Over end_not_written() const;
  Over finish_rollback(const Current& current, const RunOutcome& end);
  Over settle(const Current& current, RunOutcome end);
  Over settle_answer(const Current& current, const RunOutcome& end);
  Over settle_failure(const Current& current, const RunOutcome& end);
  enum class Why { failure, stopped, time, cost, over, rate_limit, outage };
  Why why_failed(const RunOutcome& end) const;
  Over stopped(const stream::Verdict& verdict) const;
  Over go_on_after(Why why, const RunOutcome& end);
  std::optional<StopReason> limit_now() const;
  std::string why_limit(StopReason limit) const;
  Over verify(Record& record);
  Over run_verification(Record& record);
  Result<Verification> verify_in_place();
  Result<Verification> verify_in_clone(const std::string& tree);
  Result<> read_protected();
  Result<> recover_protected();
  std::string in_workspace(const std::string& path) const;
  Result<> check_not_changed_meanwhile(Record& record);
  void report_commits(Report& report) const;
  void report_tests(const std::vector<git::FileChange>& files);
  void report_inner_repositories();
  std::string goal_name() const;
  bool may_hold_secrets(const std::string& path) const;
  void report_edited_goal(const std::vector<std::string>& kept);
  void report_ignored(const std::vector<git::FileChange>& files);
  void report_left_out(const std::vector<git::FileChange>& files);
  void report_inputs();
  void add_finding(std::string text);
  Over summarize();
  bool summary_is_due() const;
  std::vector<Record> to_fold() const;
  void use_edited_goal();
  void check_goal_after_run();
  std::int64_t attempt_of(std::int64_t iteration) const;
  RunOutcome run(run::Request request, const RunInfo& run);
  RunOutcome run_with_corrections(run::Request request, const RunInfo& run);
  run::Request within_budget(run::Request request) const;
  Over wait(std::string_view why, Millis pause);
  Over wait_after_failure();
  Over stop_asked() const;
  void note_changed_settings();

  // The workspace.
  std::string content();
  Over tampered(Record& record) const;
  Over refuse_uncommitted(const Result<>& committed) const;
  Result<> check_on_branch() const;
  Result<std::string> present_branch() const;
  void report_branch(const LoopStop& ending);
  std::string protection_notice() const;
  std::string git_digest() const;
  Result<> commit(const Current& current, Record& record);
  Result<> roll_back(const Current& current, Record& record);
  void keep_refs();
  void report_lost_refs();
  void record_moved_head(const Current& current, Record& record) const;
  std::string head() const;

  // The files.
  Record make_record(Record::Step step, const Current& current, const RunOutcome& end) const;
  Result<> keep(const RunInfo& run, Record record);
  Result<> save();
  Result<> save_budget();
  /// True: `.ralph` was not as we left it, and was written again.
  Result<bool> mend_workspace();
  bool is_same_folder();
  void begin_run(Phase phase, std::int64_t iteration, std::string run_id);
  Millis elapsed() const;
  void note(stream::Level level, std::string_view text);
  Report report(const LoopStop& ending);

  Setup setup_;
  Observer& observer_;
  Control& control_;
  const Masker& masker_;
  const SteadyTime began_ = std::chrono::steady_clock::now();

  std::optional<store::Workspace> workspace_;
  std::optional<store::Lock> lock_;
  std::optional<run::ConfigWatch> config_watch_;
  std::optional<run::ProtectedFiles> protected_;  // in a sandbox, which verification runs in too
  UniqueFd folder_;                               // `.ralph`
  bool log_removed_ = false;                      // while the last run wrote it
  StateStore store_;
  const StateFiles& files_ = store_.files();
  Guidance guidance_;
  State state_;
  Millis ran_before_{0};
  bool ended_before_ = false;        // the loop that is resumed had come to an end
  bool changed_since_done_ = false;  // files, since the loop that is resumed was done
  bool unsure_of_end_ = false;       // its state is what the workspace says
  std::vector<Record> records_;
  Totals totals_;
  std::optional<store::Budget> saved_budget_;
  struct Before {
    State state;
    std::vector<Record> records;
  };
  std::optional<Before> before_;  // the loop that this one replaced, if it had iterations
  std::optional<Verifier> verifier_;
  std::optional<git::Work> git_;
  std::optional<git::Integrity> integrity_;
  bool stashed_ = false;            // the user's changes, by this loop
  std::vector<OwnOutput> outputs_;  // of this loop, and of those before it
  PathGlobs protect_;
  StartFiles start_files_;             // what they match
  std::set<std::string> not_in_git_;   // of those: ignored by git
  std::string bubblewrap_;             // its path; empty: it is not used
  std::vector<std::string> findings_;  // that look like tampering, for the report
  std::string tampered_;               // how the repository was; empty: it was not
  std::string left_content_;           // by the last iteration, when nothing could happen since
  bool content_unknown_ = false;       // was told
  std::string refused_guidance_;       // was told
  std::string goal_note_;              // for the next record: the goal is another one
  bool goal_protected_ = false;        // the agent cannot write its file
  bool warnings_told_ = false;         // about how the agent is started
  std::optional<Error> storage_;       // a step could not be recorded
  int pauses_ = 0;                     // in a row
  std::mt19937 random_{std::random_device{}()};
};

}  // namespace ralph::loop
