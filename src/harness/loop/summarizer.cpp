#include "harness/loop/summarizer.h"

#include <fmt/core.h>

#include "core/base/id.h"
#include "core/base/names.h"
#include "harness/loop/history.h"
#include "harness/loop/prompt_parts.h"
#include "harness/loop/run_requests.h"
#include "harness/loop/step_record.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kLongestHistory = std::size_t{256} << 10;

}  // namespace

std::vector<store::LoopRecord> records_to_summarize(const std::vector<store::LoopRecord>& records,
                                                    std::int64_t recent) {
  const auto* summary = last_summary(records);
  auto later = iterations_after(records, summary == nullptr ? 0 : summary->iteration);
  const auto stay = static_cast<std::size_t>(recent);
  later.resize(later.size() > stay ? later.size() - stay : 0);
  return later;
}

bool summary_is_due(const std::vector<store::LoopRecord>& records, std::int64_t every,
                    std::int64_t recent) {
  if (every <= 0) return false;
  std::int64_t since = 0;
  for (const auto& record : records) {
    if (record.step == store::LoopRecord::Step::iteration) ++since;
    const bool tried = record.step == store::LoopRecord::Step::summary ||
                       (record.step == store::LoopRecord::Step::attempt &&
                        record.is(store::LoopDecision::no_summary));
    if (tried) since = 0;
  }
  return since >= every && !records_to_summarize(records, recent).empty();
}

bool Summarizer::is_due() const {
  const auto& options = loop_.setup.options;
  return can_summarize(*loop_.setup.request.backend) &&
         summary_is_due(loop_.keeper.records(), options.summarize_every, options.recent);
}

RunOutcome Summarizer::run_agent(const store::Current& current,
                                 const std::vector<store::LoopRecord>& records) {
  const auto* before = last_summary(loop_.keeper.records());
  auto prompt = make_summary_prompt(before == nullptr ? "" : before->progress, records,
                                    kLongestHistory, loop_.setup.request.backend->tools.answer_tool,
                                    store::taken_back(loop_.keeper.records()));
  const auto iteration = loop_.keeper.totals().iterations;
  loop_.reporter.step(
      store::IterationStarted{iteration, store::AgentRole::summarizer, current.run_id});
  auto outcome = loop_.runner.run(loop_.budget.limited(summarizer_request(
                                      loop_.setup, current.run_id, {iteration}, std::move(prompt))),
                                  {store::AgentRole::summarizer, iteration, current.run_id});
  repair_after_run(loop_, outcome);
  return outcome;
}

MaybeStop Summarizer::summarize() {
  const auto records = records_to_summarize(loop_.keeper.records(), loop_.setup.options.recent);
  store::Current current;
  current.iteration = records.back().iteration;
  current.run_id = make_run_id();
  current.began = loop_.clock.now();
  current.phase = store::Phase::summary;
  if (!save_started(loop_, current)) return std::nullopt;
  const auto iteration = loop_.keeper.totals().iterations;
  const auto outcome = run_agent(current, records);
  auto record = make_record(store::LoopRecord::Step::summary, current, outcome,
                            loop_.setup.request.host.root(), loop_.clock.now());
  record.progress = outcome.answer.summary;
  if (outcome.answer.summary.empty()) {
    record.step = store::LoopRecord::Step::attempt;
    record.outcome = store::LoopDecision::no_summary;
    record.failure = outcome.verdict.message();
    loop_.reporter.warn(fmt::format("the history could not be summarized; next try after {}",
                                    counted(loop_.setup.options.summarize_every, "iteration")));
  }
  record_step(loop_, {store::AgentRole::summarizer, iteration, current.run_id}, std::move(record));
  if (outcome.verdict.outcome != stream::Outcome::cancelled) return std::nullopt;
  return stopped_run(loop_, outcome.verdict);
}

}  // namespace ralph::loop
