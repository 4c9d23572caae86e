#include <algorithm>

#include <fmt/core.h>

#include "base/file.h"
#include "loop/loop_impl.h"
#include "loop/time_keeper.h"
#include "stream/event_json.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kLargestJournal = std::size_t{256} << 20;

}  // namespace

std::optional<Ending> end_of(const Record& record) {
  if (!record.done || record.outcome == "refused") return std::nullopt;
  return Ending{end_named(record.outcome).value_or(End::done)};
}

RunEnd end_in_journal(const std::filesystem::path& journal, const Setup& setup) {
  RunEnd end{{}, {}, stream::Summary(setup.models), {}};
  TimeKeeper time;
  const auto text = read_file(journal, kLargestJournal).value_or("");
  stream::EventReader reader;
  std::string_view rest = text;
  for (auto at = rest.find('\n'); at != std::string_view::npos; at = rest.find('\n')) {
    if (const auto event = reader.decode(rest.substr(0, at))) {
      stream::dispatch(*event, end.summary);
      stream::dispatch(*event, time);
    }
    rest.remove_prefix(at + 1);
  }
  end.time = time.split();
  end.answer = answer_of(setup, end.summary);
  // Its own end is not known; what it said is.
  stream::Ending unknown;
  unknown.cancelled_by = 9;
  end.verdict = stream::classify(end.summary, unknown);
  return end;
}

/// The iteration had failed, and its files were being put back.
Loop::Over Loop::finish_rollback(const Current& current, const RunEnd& end) {
  auto record = make_record(Record::Step::iteration, current, end);
  record.failed = true;
  record.outcome = "interrupted";
  record.progress = "ERROR: it failed, and its files were put back";
  if (auto done = roll_back(current, record); !done) {
    note(stream::Level::warning, describe(done.error()));
  }
  const Run run{Run::Kind::worker, current.iteration, current.run_id};
  if (auto kept = keep(run, std::move(record)); !kept) storage_ = kept.error();
  return std::nullopt;
}

/// The last ralph was killed, or left in the middle of a step: what its run had cost and said is in the journal.
Loop::Over Loop::recover() {
  if (!state_.current) return std::nullopt;
  const auto current = *state_.current;
  const auto recorded = std::ranges::find(records_, current.run_id, &Record::run_id);
  if (recorded != records_.end()) {
    if (recorded->step == Record::Step::iteration) files_.take_guidance(current.guidance);
    state_.current.reset();
    return end_of(*recorded);
  }
  auto end = end_in_journal(workspace_->run_folder(current.run_id) / "journal.ndjson", setup_);
  ran_before_ += end.time.total();
  if (current.phase == "rollback") return finish_rollback(current, end);
  const bool ended = end.summary.result_count > 0 && !end.summary.results.back().is_error;
  if (ended) take_words(setup_, end);
  const bool finished = ended && !end.answer.summary.empty();
  const bool summary = current.phase == "summary";
  const Run run{summary ? Run::Kind::summarizer : Run::Kind::worker, current.iteration,
                current.run_id};
  if (finished && !summary) {
    note(stream::Level::info,
         fmt::format("iteration {} had ended: it is not repeated", current.iteration));
    return settle_answer(current, end);
  }
  auto record = make_record(finished ? Record::Step::summary : Record::Step::attempt, current, end);
  record.progress = finished ? end.answer.summary : "ERROR: interrupted";
  if (!finished) record.outcome = "interrupted";
  record.tree = content();  // what is there from now on is known
  record_moved_head(current, record);
  if (auto kept = keep(run, std::move(record)); !kept) storage_ = kept.error();
  return std::nullopt;
}

}  // namespace ralph::loop
