#include "harness/run/run.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "core/base/names.h"
#include "core/base/path.h"
#include "core/base/utf8.h"
#include "harness/backend/process_end.h"
#include "harness/run/alive_recorder.h"
#include "harness/run/attempt.h"
#include "harness/run/bookkeeping.h"
#include "harness/run/records.h"
#include "harness/run/retry.h"
#include "harness/run/run_events.h"
#include "harness/run/run_files.h"
#include "system/git/git.h"
#include "system/process/descriptor_limit.h"

namespace ralph::run {
namespace {

/// Whole seconds, rounded up; a shorter pause in milliseconds.
std::string shown_pause(Millis pause) {
  constexpr Millis kSecond{1000};
  return format_duration(pause < kSecond ? pause : std::chrono::ceil<std::chrono::seconds>(pause));
}

std::string utf8_of(const std::filesystem::path& path) { return utf8::repaired(path.native()); }

/// Relative to the current directory when the path is below it.
std::string shown_path(const std::filesystem::path& path) {
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  const auto full = path.lexically_normal();
  return error || !is_below(full, here) ? utf8_of(path) : utf8_of(full.lexically_relative(here));
}

/// When a run began, by both clocks.
struct Began {
  SteadyTime steady = std::chrono::steady_clock::now();
  UtcTime utc = now_utc();
};

/// What a run has before its agent starts.
struct Preparation {
  std::vector<std::string> warnings;
  backend::Plan plan;
  RunFiles files;
};

/// Changes the request to what the session to continue needs.
Result<Preparation> prepare_run(Request& request, const Began& began, stream::Summary& summary,
                                const Masker& masker) {
  TRY(process::check_descriptor_limit());
  auto warnings = request.warnings;
  TRY_ASSIGN(auto claim, WorkspaceClaim::take(request, warnings));
  TRY_ASSIGN(auto plan, prepare(request, warnings, &summary));
  TRY_ASSIGN(auto files, RunFiles::create(std::move(claim), request, plan, masker, began.utc));
  const auto git = git::read_head(request.host.workspace);
  files.journal().record("started", started_record(request, plan, git));
  return Preparation{std::move(warnings), std::move(plan), std::move(files)};
}

/// Runs the attempts of one run.
class Run {
 public:
  Run(Request request, const Began& began, Preparation prepared, const RunObservers& observers,
      Control& control)
      : request_(std::move(request)),
        observers_(observers),
        control_(control),
        began_(began),
        warnings_(std::move(prepared.warnings)),
        plan_(std::move(prepared.plan)),
        files_(std::move(prepared.files)),
        events_(request_, plan_, files_.journal(), observers_, began_.steady) {}

  Report go();

 private:
  stream::Verdict run_attempts();
  AttemptEnd attempt();
  stream::Verdict classify_attempt(AttemptEnd& end);
  stream::Verdict classify() const;
  std::optional<Millis> pause_after(const stream::Verdict& verdict) const;
  bool prepare_retry(const stream::Verdict& verdict, Millis pause);
  Millis wall_left() const;
  void report_leftovers(const AttemptEnd& end);
  void report_session();
  void report_unpriced();
  Result<> save(const stream::Verdict& verdict);
  void publish_result(const stream::Verdict& verdict);
  Report finish(const stream::Verdict& verdict);

  Request request_;
  const RunObservers& observers_;
  Control& control_;
  const Began began_;
  std::vector<std::string> warnings_;  // not published yet
  backend::Plan plan_;
  RunFiles files_;
  RunEvents events_;
  stream::ProcessEnd end_;  // of the last attempt
  std::string saved_session_;
  int attempts_ = 0;
  std::int64_t skipped_ = 0;  // lines of all attempts
};

Report Run::go() {
  events_.publish_warnings(std::exchange(warnings_, {}));
  auto verdict = run_attempts();
  for (const auto& remark : files_.finish_protection(request_)) {
    events_.notice(stream::Level::warning, remark.topic, remark.text);
  }
  report_session();
  report_unpriced();
  if (auto saved = save(verdict); !saved) {
    if (!end_.storage_error) end_.storage_error = saved.error();
    verdict = classify();
  }
  for (const auto& warning : warnings_) events_.notice(stream::Level::warning, "state", warning);
  publish_result(verdict);
  return finish(verdict);
}

/// Starts the agent until an attempt is the last one.
stream::Verdict Run::run_attempts() {
  auto& journal = files_.journal();
  const AliveRecorder recorder(journal);
  for (;;) {
    end_.cancelled_by = control_.cancelled_by();
    if (end_.cancelled_by) return classify();
    ++attempts_;
    const auto& log = files_.log().paths().out;
    events_.notice(stream::Level::info, "raw_log", "raw log " + shown_path(log));
    journal.record("attempt", attempt_record(attempts_, utf8_of(log)));
    events_.flush();
    auto end = attempt();
    const auto verdict = classify_attempt(end);
    const auto pause = pause_after(verdict);
    journal.record("attempt_ended", attempt_ended_record(attempts_, verdict, end.exit, pause));
    report_leftovers(end);
    if (!pause) return verdict;
    if (!prepare_retry(verdict, *pause)) return classify();
  }
}

AttemptEnd Run::attempt() {
  const Watchdog::Rules rules{
      request_.limits,          request_.ask.max_cost, request_.backend->can.cost,
      request_.denials_allowed, request_.follow_up,    request_.backend->encode_message};
  const AttemptParts parts{
      .command = plan_.command,
      .rules = rules,
      .wall_left = wall_left(),
      .run_began = began_.steady,
      .summary = observers_.summary,
      .log = files_.log(),
      .control = control_,
      .set_drain_timeout = observers_.set_drain_timeout,
      .pause = [this]() -> Result<> {
        auto& journal = files_.journal();
        journal.flush();
        observers_.flush();
        if (journal.failure()) return std::unexpected(*journal.failure());
        if (const auto& id = observers_.summary.session_id; id != saved_session_) {
          saved_session_ = id;
          return save_new_session(request_, files_.workspace(), observers_.summary, warnings_);
        }
        return {};
      },
      .end_policy = request_.end_policy,
      .on_output = observers_.on_output,
  };
  auto end = run_attempt(parts, [this](stream::Handler& watchdog) -> stream::Decoder& {
    return events_.begin_attempt(watchdog);
  });
  events_.end_attempt();
  skipped_ += end.process.skipped_lines;
  end.process.skipped_lines = skipped_;
  end.process.raw_log = utf8_of(files_.log().paths().out);
  end.process.attempts = attempts_;
  backend::add_backend_details(*request_.backend, request_.ask.auth, request_.host, end.process);
  if (const auto stored = files_.log().finish(request_.durable_logs);
      !stored && !end.process.storage_error) {
    end.process.storage_error = stored.error();
  }
  return end;
}

stream::Verdict Run::classify_attempt(AttemptEnd& end) {
  end_ = std::move(end.process);
  if (end.start_error) {
    return {.outcome = stream::outcome_of(end.start_error->code, stream::ErrorSource::agent_start),
            .detail = describe(*end.start_error)};
  }
  return classify();
}

stream::Verdict Run::classify() const {
  auto verdict = stream::classify(observers_.summary, end_);
  verdict.raw_log = shown_path(end_.raw_log);
  return verdict;
}

/// None: this was the last attempt.
std::optional<Millis> Run::pause_after(const stream::Verdict& verdict) const {
  const auto pause =
      pause_before_retry(verdict, observers_.summary, attempts_, request_.retries, now_utc());
  if (!pause) return std::nullopt;
  const bool in_time = request_.limits.wall == Millis::zero() || *pause < wall_left();
  return in_time ? pause : std::nullopt;
}

/// False: the run was stopped during the pause, or the disk is full; end_ says which.
bool Run::prepare_retry(const stream::Verdict& verdict, Millis pause) {
  events_.notice(stream::Level::warning, "retry",
                 fmt::format("{}; retrying in {}", verdict.reason(), shown_pause(pause)));
  events_.flush();
  if (!control_.wait(pause)) {
    end_.cancelled_by = control_.cancelled_by();
    return false;
  }
  if (auto ready = files_.next_attempt(request_, plan_, began_.utc); !ready) {
    end_.storage_error = ready.error();
    return false;
  }
  observers_.summary.next_attempt(
      request_.ask.resume.empty() ? 0 : observers_.summary.session_total_usd());
  return true;
}

/// Zero: no limit. With a limit at least a millisecond is left.
Millis Run::wall_left() const {
  if (request_.limits.wall == Millis::zero()) return Millis::zero();
  return std::max(Millis{1}, request_.limits.wall - events_.elapsed());
}

void Run::report_leftovers(const AttemptEnd& end) {
  if (!end.exit) return;
  if (end.exit->left > 0) {
    events_.notice(stream::Level::warning, "left",
                   fmt::format("cannot end {} of the agent: running as another user",
                               counted(end.exit->left, "process")));
  }
  if (end.exit->strays > 0) {
    events_.notice(
        stream::Level::info, "strays",
        fmt::format("ended {} that the agent left running", counted(end.exit->strays, "process")));
  }
}

/// The agent may work in another session or directory than requested.
void Run::report_session() {
  const auto& summary = observers_.summary;
  if (forked_session(request_, summary)) {
    events_.notice(stream::Level::warning, "session_fork",
                   fmt::format("the agent forked the session: {} was requested, {} is new",
                               request_.ask.resume, summary.session_id));
  }
  std::error_code error;
  if (!summary.cwd.empty() &&
      !std::filesystem::equivalent(summary.cwd, request_.host.workspace, error)) {
    events_.notice(stream::Level::warning, "cwd",
                   fmt::format("the agent works in '{}', not in '{}'", summary.cwd,
                               request_.host.workspace.native()));
  }
}

void Run::report_unpriced() {
  const auto& summary = observers_.summary;
  if (!request_.ask.max_cost || summary.cost_usd() || summary.usage().output == 0) return;
  const auto& model = summary.unpriced_model.empty() ? summary.model : summary.unpriced_model;
  events_.notice(stream::Level::warning, "cost",
                 fmt::format("cost limit not enforced: the price of '{}' is unknown", model));
}

Result<> Run::save(const stream::Verdict& verdict) {
  TRY(files_.workspace().check());
  return save_state(request_, files_.workspace(), observers_.summary, verdict, warnings_);
}

void Run::publish_result(const stream::Verdict& verdict) {
  const auto texts = stream::result_texts(observers_.summary, verdict);
  auto result = stream::make_result(observers_.summary, end_, verdict, texts);
  if (result.duration_ms == 0) result.duration_ms = events_.elapsed().count();
  events_.publish(result);
}

Report Run::finish(const stream::Verdict& verdict) {
  auto& journal = files_.journal();
  journal.record("ended", ended_record(verdict, observers_.summary, events_.elapsed(), attempts_,
                                       git::read_head(request_.host.workspace)));
  Report report{verdict, {}, files_.log().paths().out, journal.path(), {}, end_};
  if (auto stored = journal.finish(request_.durable_logs); !stored)
    report.not_recorded = stored.error();
  return report;
}

}  // namespace

Report run(Request request, const RunObservers& observers, Control& control, const Masker& masker) {
  const Began began;
  auto prepared = prepare_run(request, began, observers.summary, masker);
  if (!prepared) {
    return {{.outcome = stream::outcome_of(prepared.error().code, stream::ErrorSource::run),
             .detail = describe(prepared.error())},
            prepared.error(),
            {},
            {},
            {},
            {}};
  }
  return Run(std::move(request), began, *std::move(prepared), observers, control).go();
}

}  // namespace ralph::run
