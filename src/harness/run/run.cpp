#include "harness/run/run.h"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/utf8.h"
#include "harness/run/alive_recorder.h"
#include "harness/run/attempt.h"
#include "harness/run/bookkeeping.h"
#include "harness/run/config_watch.h"
#include "harness/run/records.h"
#include "harness/run/retry.h"
#include "harness/run/sandbox.h"
#include "harness/run/sandbox_session.h"
#include "harness/store/journal.h"
#include "harness/store/raw_log.h"
#include "harness/store/workspace.h"
#include "system/git/git.h"
#include "system/process/descriptor_limit.h"

namespace ralph::run {
namespace {

std::string text_of(const std::filesystem::path& path) { return utf8::repaired(path.native()); }

/// As a person would type it: below the current folder without the way there.
std::string shown_path(const std::filesystem::path& path) {
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  const auto near = error ? path : path.lexically_relative(here);
  return near.empty() || near.native().starts_with("..") ? text_of(path) : text_of(near);
}

/// The program was found, but could not be started.
stream::Outcome outcome_of_start(const Error& error) {
  const bool refused = error.code == Code::permission || error.code == Code::malformed;
  return refused ? stream::Outcome::not_installed : outcome_of(error);
}

/// A run from the lock to the last record. One object per run; begin(), then go().
class Run {
 public:
  Run(Request request, const Audience& audience, Control& control, const Masker& masker)
      : request_(std::move(request)), audience_(audience), control_(control), masker_(masker) {}

  Result<> begin();
  Report go();

 private:
  std::unique_ptr<stream::Decoder> make_decoder(stream::Handler* overseer);
  void say(stream::Level level, std::string_view topic, std::string_view message);
  void say_first();
  AttemptEnd attempt();
  stream::Verdict judge(AttemptEnd& end);
  std::optional<Millis> pause_after(const stream::Verdict& verdict) const;
  void tell_leftovers(const AttemptEnd& end);
  Millis elapsed() const;
  Millis wall_left() const;
  void check_session();
  Result<> open_log();
  Result<> write_prompt();
  void report_protection();
  stream::Verdict attempts();
  bool try_again(const stream::Verdict& verdict, Millis pause);
  stream::Verdict judge_again() const;
  void tell_unpriced();
  Result<> save(const stream::Verdict& verdict);
  void publish(const stream::Verdict& verdict);

  Request request_;
  const Audience& audience_;
  Control& control_;
  const Masker& masker_;
  const SteadyTime began_ = std::chrono::steady_clock::now();
  const UtcTime start_ = now_utc();

  std::optional<store::Workspace> workspace_;
  std::optional<store::Lock> lock_;
  std::optional<store::Journal> journal_;
  std::optional<store::TempFile> prompt_file_;
  std::unique_ptr<SandboxSession> sandbox_;
  std::optional<ConfigWatch> config_watch_;
  std::optional<store::RawLog> log_;
  backend::Plan plan_;
  std::vector<std::string> warnings_;
  std::unique_ptr<stream::Decoder> announcer_;  // for events of our own
  stream::Ending ending_;                       // of the last attempt
  int attempts_ = 0;
  std::int64_t skipped_ = 0;  // lines of all attempts
};

Result<> Run::begin() {
  TRY(process::check_descriptor_limit());
  TRY_ASSIGN(workspace_, store::Workspace::open(request_.host.root()));
  warnings_ = request_.warnings;
  if (!request_.lock_held) {
    TRY_ASSIGN(auto lock,
               store::Lock::take(workspace_->lock_file(), store::Lock::kRun, request_.run_id));
    lock_.emplace(std::move(lock));
    store::sweep_tmp(*workspace_);
    TRY_ASSIGN(auto watch, ConfigWatch::begin(request_.state_folder, request_.obeyed_files,
                                              request_.host.root()));
    config_watch_.emplace(std::move(watch));
    const auto removed = workspace_->run_folder(request_.run_id).path() / "removed";
    const auto told =
        ProtectedFiles::recover(request_.host.workspace, request_.state_folder, removed);
    warnings_.insert(warnings_.end(), told.begin(), told.end());
  }
  if (request_.host.sandboxed()) TRY(make_folders(request_.log_dir));
  TRY_ASSIGN(plan_, prepare(request_, warnings_, &audience_.summary));
  TRY(write_prompt());
  if (request_.host.sandboxed()) {
    const auto state = request_.lock_held ? std::filesystem::path() : request_.state_folder;
    TRY_ASSIGN(sandbox_, SandboxSession::open(plan_, request_.host, state, request_.run_id));
  }
  TRY_ASSIGN(journal_, store::Journal::open(workspace_->run_folder(request_.run_id), masker_));
  TRY(open_log());
  const auto git = git::read_head(request_.host.workspace);
  journal_->record("started", started_record(request_, plan_, git));
  return {};
}

std::unique_ptr<stream::Decoder> Run::make_decoder(stream::Handler* overseer) {
  std::vector<stream::Handler*> handlers{&audience_.summary, &*journal_};
  handlers.insert(handlers.end(), audience_.handlers.begin(), audience_.handlers.end());
  if (overseer != nullptr) handlers.push_back(overseer);
  return std::make_unique<stream::Decoder>(plan_.make_dialect(), std::move(handlers),
                                           request_.run_id, request_.max_line);
}

void Run::say(stream::Level level, std::string_view topic, std::string_view message) {
  const auto text = utf8::repaired(message);
  announcer_->publish(stream::Notice{level, topic, text, {}}, elapsed().count());
}

void Run::say_first() {
  announcer_ = make_decoder(nullptr);
  for (const auto& warning : warnings_) say(stream::Level::warning, "run", warning);
  const auto level = request_.warnings_told ? stream::Level::info : stream::Level::warning;
  for (const auto& warning : plan_.warnings) say(level, "run", warning);
  for (const auto& note : request_.notes) say(stream::Level::info, "run", note);
  for (const auto& note : plan_.notes) say(stream::Level::info, "run", note);
}

AttemptEnd Run::attempt() {
  const Overseer::Rules rules{request_.limits, request_.ask.max_cost, request_.backend->can.cost,
                              request_.denials_allowed, request_.follow_up,
                              request_.backend->encode_message};
  const AttemptParts parts{
      .command = plan_.command,
      .rules = rules,
      .wall_left = wall_left(),
      .run_began = began_,
      .summary = audience_.summary,
      .log = *log_,
      .control = control_,
      .hurry = audience_.hurry,
      .pause = [this]() -> Result<> {
        journal_->flush();
        audience_.flush();
        if (journal_->failure()) return std::unexpected(*journal_->failure());
        return {};
      },
  };
  std::unique_ptr<stream::Decoder> decoder;
  auto end = run_attempt(parts, [&](stream::Handler& overseer) -> stream::Decoder& {
    decoder = make_decoder(&overseer);
    decoder->count_from(announcer_->seq());
    return *decoder;
  });
  announcer_->count_from(decoder->seq());
  end.ending.raw_log = text_of(log_->paths().out);
  end.ending.attempts = attempts_;
  end.ending.auth_hint = request_.backend->auth_hint;
  skipped_ += end.ending.skipped_lines;
  end.ending.skipped_lines = skipped_;
  if (const auto stored = log_->finish(); !stored && !end.ending.storage_error) {
    end.ending.storage_error = stored.error();
  }
  return end;
}

stream::Verdict Run::judge(AttemptEnd& end) {
  ending_ = std::move(end.ending);
  if (end.not_started) {
    return {outcome_of_start(*end.not_started), describe(*end.not_started), {}, {}, 0};
  }
  return judge_again();
}

/// Nothing: this was the last attempt.
std::optional<Millis> Run::pause_after(const stream::Verdict& verdict) const {
  const auto pause =
      pause_before_retry(verdict, audience_.summary, attempts_, request_.retries, now_utc());
  if (!pause) return std::nullopt;
  const bool in_time = request_.limits.wall == Millis::zero() || *pause < wall_left();
  return in_time ? pause : std::nullopt;
}

void Run::tell_leftovers(const AttemptEnd& end) {
  if (!end.exit) return;
  if (end.exit->left > 0) {
    say(stream::Level::warning, "left",
        fmt::format("cannot end {} of the agent: running as another user",
                    counted(end.exit->left, "process")));
  }
  if (end.exit->strays > 0) {
    say(stream::Level::info, "strays",
        fmt::format("ended {} that the agent left behind", counted(end.exit->strays, "process")));
  }
}

Millis Run::elapsed() const {
  return std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - began_);
}

/// Zero: there is no limit. At least a millisecond is left when there is one.
Millis Run::wall_left() const {
  if (request_.limits.wall == Millis::zero()) return Millis::zero();
  return std::max(Millis{1}, request_.limits.wall - elapsed());
}

/// The agent may have begun another session than it was asked for, or work elsewhere.
void Run::check_session() {
  const auto& summary = audience_.summary;
  if (went_on_elsewhere(request_, summary)) {
    say(stream::Level::warning, "session_fork",
        fmt::format("the agent forked the session: {} was asked for, {} came", request_.ask.resume,
                    summary.session_id));
  }
  std::error_code error;
  if (!summary.cwd.empty() &&
      !std::filesystem::equivalent(summary.cwd, request_.host.workspace, error)) {
    say(stream::Level::warning, "cwd",
        fmt::format("the agent works in '{}', not in '{}'", summary.cwd,
                    request_.host.workspace.native()));
  }
}

void Run::publish(const stream::Verdict& verdict) {
  const auto texts = stream::result_texts(audience_.summary, verdict);
  auto result = stream::make_result(audience_.summary, ending_, verdict, texts);
  if (result.duration_ms == 0) result.duration_ms = elapsed().count();
  announcer_->publish(result, elapsed().count());
  audience_.flush();
}

/// Anew for every start: an agent may have changed it, or removed it.
Result<> Run::write_prompt() {
  if (!plan_.prompt_file) return {};
  prompt_file_.reset();
  const auto place = workspace_->tmp() / plan_.prompt_file->path.filename().native();
  TRY_ASSIGN(auto file, store::TempFile::write(place, plan_.prompt_file->bytes));
  prompt_file_.emplace(std::move(file));
  return {};
}

/// Once nothing of the agent is left.
void Run::report_protection() {
  if (sandbox_) {
    for (const auto& line : sandbox_->close()) say(stream::Level::warning, "sandbox", line);
  }
  if (!config_watch_) return;
  const auto changed = config_watch_->finish();
  for (const auto& line : changed_settings(*config_watch_, changed, request_.host.workspace)) {
    say(stream::Level::warning, "settings", line);
  }
}

/// Everything that is refused here is about the disk.
Result<> Run::open_log() {
  const auto open = [&]() -> Result<store::RawLog> {
    TRY(workspace_->check());
    TRY_ASSIGN(const auto folder, log_folder(request_.log_dir, *workspace_));
    return store::RawLog::open(folder / request_.backend->name,
                               raw_log_base(request_, start_).filename().native(), now_utc());
  };
  auto opened = open();
  if (!opened) return fail(Code::storage, opened.error().message, opened.error().hint);
  log_ = *std::move(opened);
  return {};
}

/// Starts the agent until it is over with it.
stream::Verdict Run::attempts() {
  const AliveRecorder recorder(*journal_);
  for (;;) {
    if (control_.cancelled_by() != 0) {
      ending_.cancelled_by = control_.cancelled_by();
      return judge_again();
    }
    ++attempts_;
    say(stream::Level::info, "raw_log", "raw log " + shown_path(log_->paths().out));
    journal_->record("attempt", attempt_record(attempts_, text_of(log_->paths().out)));
    audience_.flush();
    auto end = attempt();
    const auto verdict = judge(end);
    const auto pause = pause_after(verdict);
    journal_->record("attempt_ended", attempt_ended_record(attempts_, verdict, end.exit, pause));
    tell_leftovers(end);
    if (!pause || !try_again(verdict, *pause)) return pause ? judge_again() : verdict;
  }
}

/// False: the run was stopped meanwhile, or the disk is full; ending_ says so.
bool Run::try_again(const stream::Verdict& verdict, Millis pause) {
  say(stream::Level::warning, "retry",
      fmt::format("{}; starting it again in {}", verdict.message(), format_duration(pause)));
  audience_.flush();
  if (!control_.wait(pause)) {
    ending_.cancelled_by = control_.cancelled_by();
    return false;
  }
  auto ready = open_log();
  if (ready) ready = write_prompt();
  if (!ready) {
    ending_.storage_error = ready.error();
    return false;
  }
  audience_.summary.next_attempt(
      request_.ask.resume.empty() ? 0 : audience_.summary.session_total_usd());
  return true;
}

stream::Verdict Run::judge_again() const {
  auto verdict = stream::classify(audience_.summary, ending_);
  verdict.raw_log = shown_path(ending_.raw_log);
  return verdict;
}

Result<> Run::save(const stream::Verdict& verdict) {
  TRY(workspace_->check());
  return save_state(request_, *workspace_, audience_.summary, verdict, warnings_);
}

/// A limit that nobody could keep must not look kept.
void Run::tell_unpriced() {
  const auto& summary = audience_.summary;
  if (!request_.ask.max_cost || summary.cost_usd() || summary.usage().output == 0) return;
  say(stream::Level::warning, "cost",
      fmt::format("the cost limit was not kept by ralph: no price is known for '{}'",
                  summary.model));
}

Report Run::go() {
  say_first();
  auto verdict = attempts();
  report_protection();
  check_session();
  tell_unpriced();
  warnings_.clear();
  if (auto saved = save(verdict); !saved) {
    if (!ending_.storage_error) ending_.storage_error = saved.error();
    verdict = judge_again();
  }
  for (const auto& warning : warnings_) say(stream::Level::warning, "state", warning);
  publish(verdict);
  journal_->record("ended", ended_record(verdict, audience_.summary, elapsed(), attempts_,
                                         git::read_head(request_.host.workspace)));
  Report report{verdict, {}, log_->paths().out, journal_->path(), {}};
  if (auto stored = journal_->finish(); !stored) report.not_recorded = stored.error();
  return report;
}

}  // namespace

std::filesystem::path raw_log_base(const Request& request, UtcTime start) {
  return request.log_dir / request.backend->name /
         store::raw_log_name(start, request.mode, request.task);
}

Result<backend::Plan> prepare(Request& request, std::vector<std::string>& warnings,
                              stream::Summary* summary) {
  TRY(check_price(request));
  const double known_total = find_session(request, warnings);
  if (summary != nullptr) summary->know_total(known_total);
  auto plan = backend::plan(*request.backend, request.ask, request.host, request.run_id);
  if (!plan && plan.error().code == Code::permission) plan.error().code = Code::not_found;
  if (!plan || !request.host.sandboxed()) return plan;
  if (auto done = put_into_sandbox(*plan, request.host, request.run_id); !done) {
    return fail(Code::usage, done.error().message, done.error().hint);
  }
  return plan;
}

Report run(Request request, const Audience& audience, Control& control, const Masker& masker) {
  Run one(std::move(request), audience, control, masker);
  if (auto begun = one.begin(); !begun) {
    return {
        {outcome_of(begun.error()), describe(begun.error()), {}, {}, 0}, begun.error(), {}, {}, {}};
  }
  return one.go();
}

}  // namespace ralph::run
