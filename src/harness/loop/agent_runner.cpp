#include "harness/loop/agent_runner.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/base/id.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "harness/loop/answer_capture.h"
#include "harness/loop/excerpt.h"
#include "harness/loop/run_requests.h"
#include "harness/loop/run_timer.h"
#include "harness/run/run.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kLongestProgress = 8000;  // bytes of a text that is no answer

std::string correction_note(std::int64_t n) {
  return fmt::format("no valid answer from the agent; asking again ({} of {})", n,
                     kMostCorrections);
}

}  // namespace

Answer answer_of(const Setup& setup, const stream::Summary& summary) {
  if (answers_by_schema(*setup.request.backend)) {
    return structured_answer(summary.structured, setup.request.backend->tools.answer_tool);
  }
  return text_answer(last_message(summary), setup.options.done_marker);
}

const std::string& last_message(const stream::Summary& summary) {
  return summary.text.empty() ? summary.streamed_text : summary.text;
}

std::string end_of_message(std::string_view text) {
  return utf8::repaired(end_of(trim_end(text), kLongestProgress).text);
}

void answer_from_text(const Setup& setup, RunOutcome& outcome) {
  if (!outcome.answer.summary.empty() || answers_by_schema(*setup.request.backend)) return;
  outcome.answer.summary = end_of_message(last_message(outcome.summary));
}

RunOutcome AgentRunner::run_once(run::Request request, const store::RunInfo& info) {
  RunOutcome outcome{{}, {}, stream::Summary(setup_.request.models), {}};
  RunTimer timer;
  AnswerCapture capture;
  auto& observer = reporter_.observer();
  auto handlers = observer.run_started(info, outcome.summary);
  handlers.insert(handlers.begin(), {&timer, &capture});
  const run::RunObservers observers{outcome.summary, handlers, [&] { observer.flush(); },
                                    [&](Millis patience) { observer.set_drain_timeout(patience); }};
  const bool limited = request.ask.max_cost.has_value();
  if (request.follow_up) {
    // Called from the thread of the events.
    request.follow_up = [this, ask = std::move(request.follow_up)](const auto& summary, int sent) {
      auto text = ask(summary, sent);
      if (text) reporter_.info(correction_note(sent + 1));
      return text;
    };
  }
  request.warnings_shown = std::exchange(warnings_shown_, true);
  const auto report = run::run(std::move(request), observers, control_.runs(), masker_);
  outcome.verdict = report.verdict;
  outcome.raw_log = report.raw_log;
  outcome.not_recorded = report.not_recorded;
  outcome.time = timer.split();
  outcome.answer = answer_of(setup_, outcome.summary);
  outcome.hit_cost_limit = outcome.verdict.outcome == stream::Outcome::limit_reached && limited &&
                           (report.process.cost_limit || outcome.summary.ended_at_cost_limit());
  // The agent hit its cost limit after giving an answer: the answer counts.
  if (outcome.hit_cost_limit && outcome.answer.summary.empty()) {
    outcome.answer =
        structured_answer(capture.structured(), setup_.request.backend->tools.answer_tool);
  }
  return outcome;
}

/// An agent that answers in text is corrected in its session.
RunOutcome AgentRunner::run(run::Request request, const store::RunInfo& info) {
  auto outcome = run_once(request, info);
  const auto& can = request.backend->can;
  for (int sent = 0; sent < kMostCorrections; ++sent) {
    const bool answered = outcome.verdict.status() == stream::Status::success;
    const bool possible = can.resume && !can.json_schema && !outcome.summary.session_id.empty();
    if (!answered || !possible || !outcome.answer.summary.empty() || control_.cause()) break;
    reporter_.info(correction_note(sent + 1));
    auto again = info;
    again.run_id = make_run_id();
    auto more = run_once(correction_request(request, again.run_id, outcome.summary.session_id,
                                            outcome.answer.correction, sent),
                         again);
    outcome.time += more.time;
    outcome.answer = more.answer;
    outcome.verdict = more.verdict;
    if (more.not_recorded) outcome.not_recorded = more.not_recorded;
    outcome.corrections.push_back(std::move(more.summary));
  }
  return outcome;
}

}  // namespace ralph::loop
