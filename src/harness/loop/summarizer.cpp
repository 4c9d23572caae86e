#include <algorithm>

#include <fmt/core.h>

#include "core/base/id.h"
#include "core/base/names.h"
#include "harness/loop/loop_impl.h"
#include "harness/loop/run_requests.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kLongestHistory = std::size_t{256} << 10;

const Record* last_summary(const std::vector<Record>& records) {
  const auto found = std::find_if(records.rbegin(), records.rend(), [](const Record& record) {
    return record.step == Record::Step::summary;
  });
  return found == records.rend() ? nullptr : &*found;
}

std::int64_t covered(const std::vector<Record>& records) {
  const auto* summary = last_summary(records);
  return summary == nullptr ? 0 : summary->iteration;
}

std::vector<Record> behind(const std::vector<Record>& records, std::int64_t iteration) {
  std::vector<Record> later;
  for (const auto& record : records) {
    if (record.step == Record::Step::iteration && record.iteration > iteration) {
      later.push_back(record);
    }
  }
  return later;
}

/// What 'ralph undo' said last, where no iteration ran since: each says what the files are like after it.
std::vector<std::string> undone_since(const std::vector<Record>& records) {
  std::vector<std::string> texts;
  for (const auto& record : records) {
    if (record.step == Record::Step::iteration) texts.clear();
    if (record.step == Record::Step::undo) texts = {record.progress};
  }
  return texts;
}

/// Why the last DONE did not count; empty where its files are gone.
std::string refusal(const std::vector<Record>& records) {
  const auto last = behind(records, 0);
  if (last.empty() || !last.back().verification || last.back().verification->passed) return {};
  const auto gone = taken_back(records);
  if (std::ranges::find(gone, last.back().iteration) != gone.end()) return {};
  const auto& said = *last.back().verification;
  return fmt::format("`{}` failed: {}\n{}", said.command, said.reason, said.tail);
}

}  // namespace

PromptParts prompt_parts(const Setup& setup, const std::vector<Record>& records,
                         const std::vector<Guidance::Message>& guidance,
                         const std::vector<std::string>& verify_names) {
  PromptParts parts;
  parts.goal = setup.goal;
  parts.max_iterations = setup.options.budget.iterations;
  parts.agents_md =
      read_agents_md(setup.request.host.workspace, setup.options.caps.agents, parts.agents_md_size);
  std::error_code error;
  parts.claude_md =
      std::filesystem::is_regular_file(setup.request.host.workspace / "CLAUDE.md", error);
  if (const auto* summary = last_summary(records)) {
    parts.history_summary = summary->progress;
    parts.summary_covers = summary->iteration;
  }
  parts.recent = behind(records, parts.summary_covers);
  parts.iteration = parts.summary_covers + static_cast<std::int64_t>(parts.recent.size()) + 1;
  parts.verification = refusal(records);
  parts.taken_back = taken_back(records);
  parts.guidance = undone_since(records);
  for (const auto& each : guidance) parts.guidance.push_back(each.text);
  parts.verify_commands = verify_names;
  parts.answer_in_text = !answers_by_schema(*setup.request.backend);
  parts.done_marker = setup.options.done_marker;
  parts.commits = setup.options.commit;
  return parts;
}

Result<NextPrompt> next_prompt(const Setup& setup, std::vector<std::string>& cuts,
                               std::string& refused) {
  const auto& host = setup.request.host;
  const StateFiles files(host.root());
  std::int64_t bad = 0;
  std::vector<Record> records;
  if (setup.resumed) {
    TRY_ASSIGN(records, files.records(bad));
  }
  TRY_ASSIGN(const auto verifier,
             Verifier::make({host.workspace, {}, {}, {}, host.root()}, setup.options.verify));
  const auto guidance = Guidance(host.root(), setup.state_folder).pending(refused);
  const auto parts = prompt_parts(setup, records, guidance, verifier.names());
  return NextPrompt{make_prompt(setup.form, parts, setup.options.caps, cuts), parts.iteration};
}

/// Those the summary will cover then.
std::vector<Record> Loop::to_fold() const {
  auto later = behind(records_, covered(records_));
  const auto stay = static_cast<std::size_t>(setup_.options.recent);
  later.resize(later.size() > stay ? later.size() - stay : 0);
  return later;
}

/// Every so many iterations; a failed try counts as one.
bool Loop::summary_is_due() const {
  const auto every = setup_.options.summarize_every;
  if (every <= 0 || !can_summarize(*setup_.request.backend)) return false;
  std::int64_t since = 0;
  for (const auto& record : records_) {
    if (record.step == Record::Step::iteration) ++since;
    const bool tried = record.step == Record::Step::summary ||
                       (record.step == Record::Step::attempt && record.is(LoopDecision::no_summary));
    if (tried) since = 0;
  }
  return since >= every && !to_fold().empty();
}

Loop::Over Loop::summarize() {
  left_content_.clear();  // it takes a while
  const auto fold = to_fold();
  const auto covers = fold.back().iteration;
  const auto* before = last_summary(records_);
  begin_run(Phase::summary, covers, make_run_id());
  const auto current = *state_.current;
  if (auto saved = save(); !saved) {
    storage_ = saved.error();
    return std::nullopt;
  }
  auto prompt = make_summary_prompt(before == nullptr ? "" : before->progress, fold,
                                    kLongestHistory, taken_back(records_));
  const RunInfo run{RunInfo::Kind::summarizer, totals_.iterations, current.run_id};
  const auto end = this->run(within_budget(summarizer_request(
                                 setup_, current.run_id, {totals_.iterations}, std::move(prompt))),
                             run);
  auto record = make_record(Record::Step::summary, current, end);
  record.progress = end.answer.summary;
  if (end.answer.summary.empty()) {
    record.step = Record::Step::attempt;
    record.outcome = LoopDecision::no_summary;
    record.progress = failure_progress(end.verdict.message());
    note(stream::Level::warning,
         fmt::format("the history could not be condensed; next try after {}",
                     counted(setup_.options.summarize_every, "iteration")));
  }
  if (auto kept = keep(run, std::move(record)); !kept) storage_ = kept.error();
  return end.verdict.outcome == stream::Outcome::cancelled ? stopped(end.verdict) : std::nullopt;
}

}  // namespace ralph::loop
