#include <utility>

#include <fmt/core.h>

#include "agent/session/text.h"
#include "agent/session/turn.h"
#include "core/base/id.h"
#include "core/json/writer.h"

namespace ralph::session {
namespace {

constexpr std::string_view kStructuredDone = "Structured output provided successfully";
constexpr std::string_view kInterrupted = "[Request interrupted by user for tool use]";
constexpr std::string_view kStopped =
    "The user interrupted this call; it may have run in part. Stop, and wait for what the user "
    "says.";
/// Clients give up on longer lines; what the model gets cannot be shortened, what the client gets beside it can.
constexpr std::size_t kLongestLine = std::size_t{1} << 20;

std::string result_block(const ToolCallResult& served) {
  std::string block;
  json::ObjectWriter writer(block);
  writer.text("tool_use_id", served.call->id)
      .text("type", "tool_result")
      .raw("content", served.outcome.content);
  if (served.outcome.is_error) writer.boolean("is_error", *served.outcome.is_error);
  writer.close();
  return block;
}

std::string denial(const api::Block& call) {
  std::string denial;
  json::ObjectWriter(denial)
      .text("tool_name", call.name)
      .text("tool_use_id", call.id)
      .raw("tool_input", call.input)
      .close();
  return denial;
}

ToolCallResult stopped(const api::Block& call) {
  ToolCallResult served{&call, tool::failure(kStopped), {}, {}};
  served.outcome.detail = json_string("User rejected tool use");
  served.meta =
      fmt::format(R"({{"id":{},"non_execution_kind":"user-rejected"}})", json_string(call.id));
  return served;
}

}  // namespace

Turn::Ended Turn::run_tools(const api::Reply& reply, const std::stop_token& stop) {
  std::vector<const api::Block*> calls;
  for (const auto& block : reply.content) {
    if (block.type != "tool_use") continue;
    if (parts_.structured != nullptr && block.name == StructuredOutput::kName) {
      tell(take_structured(block));
    } else {
      calls.push_back(&block);
    }
  }
  parts_.toolbox.set_read_room(read_room());
  parts_.toolbox.set_media_room(media_room(parts_.conversation.messages(), window()));
  parts_.toolbox.run_calls(
      calls,
      [&](ToolCallResult served) {
        const bool interrupted = stop.stop_requested() && !parts_.control.abandoned();
        tell(interrupted ? stopped(*served.call) : std::move(served));
      },
      stop);
  keep_follow_ups();
  if (parts_.control.abandoned()) return std::nullopt;
  if (stop.stop_requested()) return interrupted_tools(reply);
  return after_tools(reply);
}

/// Estimates of tokens can be too low by a third.
std::int64_t Turn::read_room() const {
  const auto used = parts_.context.tokens() + parts_.conversation.added_tokens();
  return (parts_.context.policy().limit(window()) - used) * 3 / 5;
}

Turn::Ended Turn::after_tools(const api::Reply& reply) {
  if (structured_) return finished("", reply.stop_reason);
  if (structured_failures_ >= parts_.max_structured_failures) {
    return limit("error_max_structured_output_retries", "structured_output_retry_exhausted",
                 fmt::format("Failed to provide valid structured output after {} attempts",
                             structured_failures_),
                 reply.stop_reason);
  }
  const auto most = parts_.options.max_turns.value_or(0);
  if (most > 0 && requests_ >= most) {
    return limit("error_max_turns", "max_turns",
                 fmt::format("Reached maximum number of turns ({})", most), reply.stop_reason);
  }
  if (auto ended = check_loop()) return ended;
  fold_in_messages();
  return std::nullopt;
}

ToolCallResult Turn::take_structured(const api::Block& call) {
  const auto meta =
      fmt::format(R"({{"id":{},"permission_decision":{{"decision":"accept","source":"config"}}}})",
                  json_string(call.id));
  if (const auto complaint = parts_.structured->complaint(call.input)) {
    ++structured_failures_;
    return {&call, tool::failure(*complaint), meta, {}};
  }
  structured_ = call.input;
  const auto text = json_string(kStructuredDone);
  return {&call, {text, std::nullopt, text}, meta, {}};
}

/// To the client, to the session's file, and to the model with the next request.
void Turn::tell(ToolCallResult served) {
  if (served.denied) {
    parts_.writer.event(parts_.events.permission_denied(*served.call, *served.denied));
    denials_ += (denials_.empty() ? "" : ",") + denial(*served.call);
  }
  if (!served.outcome.task.empty()) tell_task(served);
  if (!served.outcome.is_error.value_or(false)) {
    parts_.kept.add_call(served.call->name, served.call->input);
  }
  guard_.add(served.call->name, served.call->input, served.outcome.content);
  const auto content = "[" + result_block(served) + "]";
  UserExtras extras;
  extras.uuid = make_uuid();
  extras.tool_use_result = std::move(served.outcome.detail);
  if (content.size() + extras.tool_use_result.size() > kLongestLine) {
    extras.tool_use_result = json_string("(left out: it is too long to be shown twice)");
  }
  if (!served.meta.empty()) extras.tool_result_meta = "[" + served.meta + "]";
  ++added_messages_;
  parts_.conversation.add_user(content, extras.uuid, "\"toolUseResult\":" + extras.tool_use_result);
  parts_.writer.event(parts_.events.user(content, extras));
  if (!served.outcome.follow_up.empty()) tell_follow_up(served.outcome.follow_up);
}

void Turn::tell_follow_up(std::string_view text) {
  UserExtras extras;
  extras.uuid = make_uuid();
  extras.synthetic = true;
  ++added_messages_;
  follow_ups_.push_back({text_content(text), extras.uuid});
  parts_.writer.event(parts_.events.user(follow_ups_.back().content, extras));
}

/// The API takes nothing between the results of one message's calls.
void Turn::keep_follow_ups() {
  for (const auto& [content, uuid] : std::exchange(follow_ups_, {})) {
    parts_.conversation.add_user(content, uuid, "\"isMeta\":true");
  }
}

/// The call has left a command running.
void Turn::tell_task(const ToolCallResult& served) {
  parts_.tasks.set_call(served.outcome.task, served.call->id);
  const auto running = parts_.tasks.list();
  parts_.writer.event(parts_.events.tasks_changed(running));
  for (const auto& task : running) {
    if (task.task_id == served.outcome.task) parts_.writer.event(parts_.events.task_started(task));
  }
}

ResultFacts Turn::interrupted_tools(const api::Reply& reply) {
  note_interrupt(kInterrupted);
  return limit("error_during_execution", "aborted_tools", "the turn was interrupted",
               reply.stop_reason);
}

/// What the user said while the tools ran goes to the model with their results.
void Turn::fold_in_messages() {
  for (const auto& message : parts_.inbox.take_now()) {
    if (!message.uuid.empty()) {
      folded_.push_back(message.uuid);
      parts_.writer.event(parts_.events.command_lifecycle(message.uuid, "started"));
    }
    hear(message);
  }
}

}  // namespace ralph::session
