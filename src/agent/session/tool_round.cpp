#include "agent/session/tool_round.h"

#include <utility>

#include <fmt/core.h>

#include "agent/session/json_text.h"
#include "core/base/id.h"
#include "core/json/writer.h"

namespace ralph::session {
namespace {

constexpr std::string_view kStructuredDone = "Structured output provided successfully";
constexpr std::string_view kStopped =
    "The user interrupted this call; it may have run in part. Stop, and wait for what the user "
    "says.";
constexpr std::string_view kRejected =
    "The user rejected this call; it was not run. Stop, and wait for what the user says.";
/// Clients reject longer lines. The result itself cannot be shortened, the details for the client can.
constexpr std::size_t kLongestLine = std::size_t{1} << 20;

std::string result_block(const ToolCallResult& result) {
  std::string block;
  json::ObjectWriter writer(block);
  writer.text("tool_use_id", result.call->id)
      .text("type", "tool_result")
      .raw("content", result.outcome.content);
  if (result.outcome.is_error) writer.boolean("is_error", *result.outcome.is_error);
  writer.close();
  return block;
}

ToolCallResult stopped(const api::Block& call, std::string_view text) {
  ToolCallResult result{.call = &call,
                        .outcome = tool::failure(text),
                        .decision = CallDecision{.kind = CallDecision::Kind::interrupted}};
  result.outcome.detail = json_string("User rejected tool use");
  return result;
}

}  // namespace

void ToolRound::run(const api::Reply& reply, const std::stop_token& stop) {
  std::vector<const api::Block*> calls;
  for (const auto& block : reply.content) {
    if (block.type != api::BlockType::tool_use) continue;
    if (state_.config.structured != nullptr && block.name == StructuredOutput::kName) {
      report(check_structured(block));
    } else {
      calls.push_back(&block);
    }
  }
  // Also stopped if the user rejects a call and wants the turn to end.
  std::stop_source calls_stop;
  const std::stop_callback forward(stop, [&] { calls_stop.request_stop(); });
  state_.links.tools.run_calls(
      calls, room(),
      [&](ToolCallResult result) {
        interrupted_ = interrupted_ || result.interrupt;
        if (interrupted_) calls_stop.request_stop();
        const bool ended = calls_stop.stop_requested() && !state_.links.control.abandoned();
        report(ended ? ended_early(std::move(result)) : std::move(result));
      },
      calls_stop.get_token());
  append_follow_ups();
}

ToolCallResult ToolRound::ended_early(ToolCallResult result) {
  const bool asked = result.denied && result.denied->asked;
  if (asked) deny(*result.call);
  return stopped(*result.call, asked ? kRejected : kStopped);
}

/// Estimates of tokens can be too low by a third.
CallRoom ToolRound::room() const {
  const auto free = state_.context.policy().limit(state_.window()) - state_.tokens();
  return {free * 3 / 5, media_room(state_.conversation.messages(), state_.window())};
}

ToolCallResult ToolRound::check_structured(const api::Block& call) {
  if (const auto complaint = state_.config.structured->complaint(call.input)) {
    ++structured_failures_;
    return {.call = &call, .outcome = tool::failure(*complaint), .decision = CallDecision{}};
  }
  structured_ = call.input;
  const auto text = json_string(kStructuredDone);
  return {.call = &call, .outcome = {text, std::nullopt, text}, .decision = CallDecision{}};
}

void ToolRound::deny(const api::Block& call) {
  stats_.denials.push_back({call.name, call.id, call.input});
}

/// To the client, the transcript, and the conversation.
void ToolRound::report(ToolCallResult result) {
  if (result.denied) {
    const auto reason = result.denied->reason_type;
    const bool asked = result.denied->asked || reason == permission::Reason::user;
    if (!asked && reason != permission::Reason::hook) {
      state_.events.emit(CallDenied{*result.call, *result.denied});
    }
    deny(*result.call);
  }
  if (!result.outcome.task.empty()) report_task(result);
  if (!result.outcome.is_error.value_or(false)) {
    state_.preserved.add_call(result.call->name, result.call->input);
  }
  guard_.add(result.call->name, result.call->input, result.outcome.content);
  const auto content = "[" + result_block(result) + "]";
  UserExtras extras;
  extras.uuid = make_uuid();
  extras.tool_use_result = std::move(result.outcome.detail);
  if (content.size() + extras.tool_use_result.size() > kLongestLine) {
    extras.tool_use_result = json_string("(omitted: too long to be shown twice)");
  }
  if (result.decision) extras.call = {result.call->id, *result.decision};
  ++stats_.added_messages;
  state_.conversation.add_user(content, extras.uuid, "\"toolUseResult\":" + extras.tool_use_result);
  state_.events.emit(UserInput{content, extras});
  if (!result.outcome.follow_up.empty()) report_follow_up(result.outcome.follow_up);
  for (const auto& text : result.contexts) add_context(text);
  if (result.stop) stopped_by_hook_ = std::move(result.stop);
}

/// Only the model sees it.
void ToolRound::add_context(std::string_view text) {
  follow_ups_.push_back({text_content(text), make_uuid()});
}

void ToolRound::report_follow_up(std::string_view text) {
  UserExtras extras;
  extras.uuid = make_uuid();
  extras.synthetic = true;
  ++stats_.added_messages;
  follow_ups_.push_back({text_content(text), extras.uuid});
  state_.events.emit(UserInput{follow_ups_.back().content, extras});
}

/// The API accepts nothing between the results of one message's calls.
void ToolRound::append_follow_ups() {
  for (const auto& [content, uuid] : std::exchange(follow_ups_, {})) {
    state_.conversation.add_user(content, uuid, "\"isMeta\":true");
  }
}

/// The call has left a command running.
void ToolRound::report_task(const ToolCallResult& result) {
  const auto running = state_.links.tools.running_tasks();
  state_.events.emit(TasksChanged{running});
  for (const auto& task : running) {
    if (task.task_id == result.outcome.task) state_.events.emit(TaskStarted{task});
  }
}

}  // namespace ralph::session
