#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/names.h"
#include "core/json/document.h"
#include "core/json/field.h"
#include "harness/loop/loop_impl.h"
#include "harness/loop/run_timer.h"
#include "harness/store/journal.h"
#include "harness/stream/event_json.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kLargestJournal = std::size_t{256} << 20;
constexpr std::string_view kOwnRecord = "{\"record\":";  // of the run itself, not an event
constexpr std::string_view kAttempt = "{\"record\":\"attempt\"";

std::string raw_log_in(std::string_view record) {
  const auto parsed = json::parse(record, "a record of the journal");
  return parsed && parsed->is_object() ? json::text(*parsed, "raw_log") : "";
}

}  // namespace

std::optional<LoopStop> end_of(const Record& record) {
  if (!record.done || record.is(LoopDecision::refused)) return std::nullopt;
  if (record.is(LoopDecision::unchanged)) return LoopStop{StopReason::unchanged};
  if (record.is(LoopDecision::tampered)) return LoopStop{StopReason::tampered};
  if (record.is(LoopDecision::not_committed)) return LoopStop{StopReason::not_committed};
  return LoopStop{StopReason::done};
}

RunOutcome end_in_journal(std::string_view text, const Setup& setup, std::int64_t& bad) {
  RunOutcome end{{}, {}, stream::Summary(setup.request.models), {}};
  RunTimer time;
  stream::EventReader reader;
  std::string_view rest = text;
  bad = 0;
  for (auto at = rest.find('\n'); at != std::string_view::npos; at = rest.find('\n')) {
    const auto line = rest.substr(0, at);
    if (const auto event = reader.decode(line)) {
      stream::dispatch(*event, end.summary);
      stream::dispatch(*event, time);
    } else if (line.starts_with(kAttempt)) {
      end.raw_log = raw_log_in(line);
      end.before_attempt = end.summary;
    } else if (!line.starts_with(kOwnRecord)) {
      ++bad;
    }
    rest.remove_prefix(at + 1);
  }
  end.time = time.split();
  conclude_interrupted(end, setup);
  return end;
}

void conclude_interrupted(RunOutcome& end, const Setup& setup) {
  end.answer = answer_of(setup, end.summary);
  // Its own end is not known; what it said is.
  stream::Ending unknown;
  unknown.cancelled_by = 9;
  end.verdict = stream::classify(end.summary, unknown);
}

/// A cost that cannot be known must not count as none unnoticed.
Result<RunOutcome> Loop::end_of_interrupted(const Current& current, std::string& warning) const {
  const auto place = workspace_->run_folder(current.run_id) / store::Journal::kName;
  const auto shown = place.path().native();
  const auto folder = place.parent();
  auto text = folder ? folder->read(place.name(), kLargestJournal)
                     : Result<std::string>(std::unexpected(folder.error()));
  const bool missing = !text && text.error().code == Code::not_found;
  if (!text && !missing && !setup_.options.accept_changes) {
    return fail(
        Code::storage,
        fmt::format("what run {} cost cannot be read: {}", current.run_id, text.error().message),
        "put its journal back, or --accept-changes counts that run as $0");
  }
  std::int64_t bad = 0;
  auto end = end_in_journal(text.value_or(""), setup_, bad);
  warning = add_from_log(end, setup_, *workspace_);
  if (!text) {
    const auto why =
        missing ? fmt::format("it left no journal ('{}')", shown) : text.error().message;
    warning = fmt::format("run {} counts as $0: {}", current.run_id, why);
  } else if (bad > 0) {
    warning = fmt::format("{} of '{}' cannot be read: that run may have cost more than is counted",
                          counted(bad, "line"), shown);
  }
  return end;
}

/// The iteration had failed, and its files were being put back.
Loop::Over Loop::finish_rollback(const Current& current, const RunOutcome& end) {
  auto record = make_record(Record::Step::iteration, current, end);
  record.failed = true;
  record.outcome = LoopDecision::interrupted;
  record.progress = failure_progress("it failed, and its files were put back");
  if (auto done = roll_back(current, record); !done) {
    note(stream::Level::warning, describe(done.error()));
  }
  const RunInfo run{RunInfo::Kind::worker, current.iteration, current.run_id};
  if (auto kept = keep(run, std::move(record)); !kept) storage_ = kept.error();
  return std::nullopt;
}

/// The last ralph was killed, or left in the middle of a step: what its run had cost and said is in the journal.
Loop::Over Loop::recover() {
  if (!state_.current) return std::nullopt;
  const auto current = *state_.current;
  const auto recorded = std::ranges::find(records_, current.run_id, &Record::run_id);
  if (recorded != records_.end()) {
    if (recorded->step == Record::Step::iteration) guidance_.remove(current.guidance);
    state_.current.reset();
    return end_of(*recorded);
  }
  std::string warning;
  auto known = end_of_interrupted(current, warning);
  if (!warning.empty()) note(stream::Level::warning, warning);
  if (!known) {
    storage_ = known.error();
    return std::nullopt;
  }
  auto end = *std::move(known);
  ran_before_ += end.time.total();
  if (current.phase == Phase::rollback) return finish_rollback(current, end);
  const bool ended = end.summary.result_count > 0 && !end.summary.results.back().is_error;
  if (ended) take_words(setup_, end);
  const bool finished = ended && !end.answer.summary.empty();
  const bool summary = current.phase == Phase::summary;
  const RunInfo run{summary ? RunInfo::Kind::summarizer : RunInfo::Kind::worker, current.iteration,
                current.run_id};
  if (finished && !summary) {
    note(stream::Level::info,
         fmt::format("iteration {} had ended: it is not repeated", current.iteration));
    return settle_answer(current, end);
  }
  auto record = make_record(finished ? Record::Step::summary : Record::Step::attempt, current, end);
  record.progress = finished ? end.answer.summary : failure_progress("interrupted");
  if (!finished) record.outcome = LoopDecision::interrupted;
  record.tree = content();  // what is there from now on is known
  record.changed = !summary && (record.tree.empty() || record.tree != current.tree_before);
  record_moved_head(current, record);
  if (auto kept = keep(run, std::move(record)); !kept) storage_ = kept.error();
  return std::nullopt;
}

}  // namespace ralph::loop
