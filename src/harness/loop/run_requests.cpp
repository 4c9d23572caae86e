#include "harness/loop/run_requests.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "harness/loop/answer.h"
#include "harness/loop/reasoning.h"

namespace ralph::loop {
namespace {

/// What the user set for the agent stays.
void set_variable(backend::Host& host, std::string name, std::optional<std::string> value) {
  const auto known = std::ranges::find(host.own_env, name, &process::EnvChange::name);
  if (known == host.own_env.end()) host.own_env.push_back({std::move(name), std::move(value)});
}

void set_reasoning(run::Request& request, std::string_view reasoning) {
  if (request.backend->can.effort) request.ask.effort = effort_of(reasoning);
  if (!request.backend->can.conversation) return;
  const auto tokens = thinking_tokens(request.ask.model, reasoning);
  // Without thinking, one that we inherited must not ask for it.
  const auto value = tokens > 0 ? std::optional(fmt::format("{}", tokens)) : std::nullopt;
  set_variable(request.host, std::string(request.backend->thinking_variable), value);
}

/// Only a turn that failed for an invalid answer is corrected.
bool worth_correcting(const stream::Summary& summary) {
  if (summary.results.empty() || !summary.results.back().is_error) return true;
  return summary.results.back().end == stream::TurnEndReason::invalid_output;
}

std::optional<std::string> correction_of(const stream::Summary& summary, int sent,
                                         std::string_view answer_tool) {
  if (sent >= kMostCorrections || !worth_correcting(summary)) return std::nullopt;
  const auto answer = structured_answer(summary.structured, answer_tool);
  if (!answer.summary.empty()) return std::nullopt;
  return answer.correction;
}

/// The user's own word for the task comes last: long ones are cut.
std::string task_of(RunNumber number, std::string_view task) {
  auto name = fmt::format("iteration-{:04}", number.iteration);
  if (number.attempt > 1) name += fmt::format("-attempt-{}", number.attempt);
  return task.empty() ? name : fmt::format("{}-{}", name, task);
}

run::Request any_request(const Setup& setup, const std::string& run_id, RunNumber number,
                         std::string prompt) {
  auto request = setup.request;
  request.run_id = run_id;
  request.task = task_of(number, setup.request.task);
  request.keeps_budget = false;
  request.ask.prompt = std::move(prompt);
  request.lock_held = true;
  request.retries.most = 0;
  request.continue_session = false;
  // A run must end with its answer.
  set_variable(request.host, std::string(request.backend->no_background_variable), "1");
  if (answers_by_schema(*request.backend)) {
    request.ask.json_schema = kAnswerSchema;
    request.ask.conversation = true;
    request.follow_up = [tool = request.backend->tools.answer_tool](const auto& summary, int sent) {
      return correction_of(summary, sent, tool);
    };
  }
  return request;
}

}  // namespace

bool answers_by_schema(const backend::Backend& backend) {
  return backend.can.json_schema && backend.can.conversation;
}

bool can_summarize(const backend::Backend& backend) {
  return answers_by_schema(backend) && backend.can.model && backend.can.tool_lists;
}

run::Request worker_request(const Setup& setup, const std::string& run_id, RunNumber number,
                            std::string prompt) {
  auto request = any_request(setup, run_id, number, std::move(prompt));
  set_reasoning(request, setup.options.reasoning);
  return request;
}

run::Request summarizer_request(const Setup& setup, const std::string& run_id, RunNumber number,
                                std::string prompt) {
  auto request = any_request(setup, run_id, number, std::move(prompt));
  request.ask.model = setup.options.summary_model;
  if (answers_by_schema(*request.backend)) request.ask.json_schema = kSummarySchema;
  const auto tools = request.backend->tools.summarizer;
  request.ask.tools.assign(tools.begin(), tools.end());
  request.mode = "summarizer";
  request.keeps_session = false;
  set_reasoning(request, setup.options.summary_reasoning);
  return request;
}

run::Request correction_request(run::Request request, const std::string& run_id,
                                const std::string& session, std::string correction, int sent) {
  request.run_id = run_id;
  request.task += fmt::format("-correction-{}", sent + 1);
  request.ask.resume = session;
  request.ask.prompt = std::move(correction);
  return request;
}

}  // namespace ralph::loop
