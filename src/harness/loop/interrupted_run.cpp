#include "harness/loop/interrupted_run.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <ranges>

#include <fmt/core.h>

#include "core/base/names.h"
#include "harness/loop/agent_runner.h"
#include "harness/loop/run_requests.h"
#include "harness/loop/run_timer.h"
#include "harness/run/bookkeeping.h"
#include "harness/store/journal.h"
#include "harness/stream/decoder.h"
#include "harness/stream/event_json.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kLargestJournal = std::size_t{256} << 20;
constexpr std::string_view kOwnRecord = "{\"record\":";  // of the run itself, not an event
constexpr std::size_t kLargestLog = std::size_t{256} << 20;

Result<std::string> read_log(const Setup& setup, const store::Workspace& workspace,
                             const std::string& name) {
  TRY_ASSIGN(const auto folder, run::log_folder(setup.request.log_dir, workspace));
  const auto place = folder / setup.request.backend->name / name;
  TRY_ASSIGN(const auto parent, place.parent());
  return parent.read(place.name(), kLargestLog);
}

/// Whether what the log says begins with what the journal has.
bool log_continues(const stream::Summary& log, const stream::Summary& journal) {
  const auto same = [](const stream::TurnRecord& a, const stream::TurnRecord& b) {
    return a.is_error == b.is_error && a.reason == b.reason && a.turns == b.turns &&
           a.duration_ms == b.duration_ms;
  };
  // Of longer lists only the newest are kept.
  const bool complete = log.result_count == std::ssize(log.results) &&
                        journal.result_count == std::ssize(journal.results);
  return complete && log.results.size() >= journal.results.size() &&
         std::ranges::equal(journal.results, log.results | std::views::take(journal.result_count),
                            same) &&
         log.tool_calls >= journal.tool_calls && log.turns >= journal.turns &&
         (journal.session_id.empty() || log.session_id == journal.session_id) &&
         log.cost_usd().value_or(0) >= journal.cost_usd().value_or(0);
}

/// What a journal tells of its run.
struct JournalContent {
  RunOutcome outcome;
  std::optional<stream::Summary> before_attempt;  // what was known before the last attempt
  std::int64_t bad = 0;                           // lines that are not readable
};

JournalContent read_journal(std::string_view text, const Setup& setup) {
  JournalContent journal{{{}, {}, stream::Summary(setup.request.models), {}}, {}, 0};
  auto& summary = journal.outcome.summary;
  RunTimer timer;
  stream::EventReader reader;
  std::string_view rest = text;
  std::optional<UtcTime> started, alive;
  for (auto at = rest.find('\n'); at != std::string_view::npos; at = rest.find('\n')) {
    const auto line = rest.substr(0, at);
    if (const auto event = reader.decode(line)) {
      stream::dispatch(*event, summary);
      stream::dispatch(*event, timer);
    } else if (auto log = store::Journal::raw_log_of(line)) {
      journal.outcome.raw_log = *std::move(log);
      journal.before_attempt = summary;
    } else if (!line.starts_with(kOwnRecord)) {
      ++journal.bad;
    } else if (const auto when = store::Journal::time_of(line, "alive")) {
      alive = when;
    } else if (!started) {
      started = store::Journal::time_of(line, "started");
    }
    rest.remove_prefix(at + 1);
  }
  if (started && alive) timer.lasted_until((std::min(*alive, now_utc()) - *started).count());
  journal.outcome.time = timer.split();
  return journal;
}

/// The journal counts where the log cannot be read, says no more, or is not the one the journal was made from: of that
/// one only a higher cost counts. A warning; empty: none.
std::string add_from_log(JournalContent& journal, const Setup& setup,
                         const store::Workspace& workspace) {
  auto& outcome = journal.outcome;
  const auto& backend = *setup.request.backend;
  const auto name =
      answers_by_schema(backend) ? outcome.raw_log.filename().string() : std::string();
  if (name.empty()) return {};
  const auto log = read_log(setup, workspace, name);
  if (!log) return {};
  auto summary = journal.before_attempt.value_or(stream::Summary(setup.request.models));
  stream::Decoder decoder(backend.make_dialect(std::string(backend.display_name)), {&summary}, "",
                          setup.request.max_line);
  decoder.feed(*log, 0);
  decoder.finish(0);
  const auto cost = summary.cost_usd().value_or(0);
  const bool more = summary.result_count > outcome.summary.result_count ||
                    cost > outcome.summary.cost_usd().value_or(0);
  if (!more) return {};
  outcome.cost_at_least_usd = cost;
  if (!log_continues(summary, outcome.summary)) {
    return fmt::format(
        "the log '{}' does not match the run's journal: it may have been replaced, "
        "and is ignored",
        name);
  }
  outcome.summary = std::move(summary);
  return {};
}

/// The end of the process is not known; what the agent said is.
void classify(RunOutcome& outcome, const Setup& setup) {
  outcome.answer = answer_of(setup, outcome.summary);
  stream::ProcessEnd unknown;
  unknown.cancelled_by = SIGKILL;
  outcome.verdict = stream::classify(outcome.summary, unknown);
}

}  // namespace

Result<InterruptedRun> read_interrupted_run(const Setup& setup, const store::Workspace& workspace,
                                            const std::string& run_id) {
  const auto place = workspace.run_folder(run_id) / store::Journal::kName;
  const auto shown = place.path().native();
  const auto folder = place.parent();
  const auto text = folder ? folder->read(place.name(), kLargestJournal)
                           : Result<std::string>(std::unexpected(folder.error()));
  const bool missing = !text && text.error().code == Code::not_found;
  if (!text && !missing && !setup.options.accept_changes) {
    return fail(Code::storage,
                fmt::format("cannot read the cost of run {}: {}", run_id, text.error().message),
                "restore its journal, or use --accept-changes to count that run as $0");
  }
  auto journal = read_journal(text ? std::string_view(*text) : "", setup);
  auto warning = add_from_log(journal, setup, workspace);
  classify(journal.outcome, setup);
  if (!text) {
    const auto why =
        missing ? fmt::format("it has no journal ('{}')", shown) : text.error().message;
    warning = fmt::format("run {} counts as $0: {}", run_id, why);
  } else if (journal.bad > 0) {
    warning = fmt::format("{} of '{}' cannot be read: that run may have cost more than is counted",
                          counted(journal.bad, "line"), shown);
  }
  return InterruptedRun{std::move(journal.outcome), std::move(warning)};
}

}  // namespace ralph::loop
