#include "mock/script.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/json/field.h"

namespace ralph::mock {
namespace {

using json::Document;
using json::member;

std::string numbered(std::string_view prefix, std::size_t number) {
  return fmt::format("{}_mock_{:06}", prefix, number);
}

bool some_string_contains(const Document& value, std::string_view text) {
  if (const auto* string = value.get_ptr<const std::string*>()) {
    return string->find(text) != std::string::npos;
  }
  return value.is_structured() && std::ranges::any_of(value, [&](const auto& inner) {
           return some_string_contains(inner, text);
         });
}

const Document& last_user_message(const Document& request) {
  const auto& messages = member(request, "messages");
  for (auto n = messages.is_array() ? messages.size() : 0; n > 0; --n) {
    if (json::text(messages[n - 1], "role") == "user") return member(messages[n - 1], "content");
  }
  return member(request, "");
}

bool some_result_contains(const Document& content, std::string_view text) {
  return content.is_array() && std::ranges::any_of(content, [&](const Document& block) {
           return json::text(block, "type") == "tool_result" &&
                  some_string_contains(member(block, "content"), text);
         });
}

bool offers_tool(const Document& request, std::string_view name) {
  const auto& tools = member(request, "tools");
  return tools.is_array() && std::ranges::any_of(tools, [&](const Document& tool) {
           return json::text(tool, "name") == name;
         });
}

bool fits(const Match& match, const http::Request& request, const Document& body) {
  const auto holds = [](const std::string& wanted, auto&& look) {
    return wanted.empty() || look(wanted);
  };
  const auto in = [](const Document& value) {
    return [&value](const std::string& text) { return some_string_contains(value, text); };
  };
  return request.path.ends_with(match.path) && holds(match.model, in(member(body, "model"))) &&
         holds(match.tool, [&](const auto& name) { return offers_tool(body, name); }) &&
         holds(match.last, in(last_user_message(body))) &&
         holds(match.tool_result,
               [&](auto& text) { return some_result_contains(last_user_message(body), text); }) &&
         holds(match.system, in(member(body, "system"))) && holds(match.contains, in(body));
}

bool calls_a_tool(const std::vector<Block>& content) {
  return std::ranges::any_of(content, [](const Block& block) {
    const auto* const call = std::get_if<ToolUseBlock>(&block);
    return call != nullptr && call->type == "tool_use";
  });
}

/// As the API reports them, in its order.
std::string cache_members(const model::Tokens& tokens, const std::string& others) {
  Document members{{"cache_creation_input_tokens", tokens.cache_write_5m + tokens.cache_write_1h},
                   {"cache_read_input_tokens", tokens.cache_read},
                   {"cache_creation",
                    {{"ephemeral_5m_input_tokens", tokens.cache_write_5m},
                     {"ephemeral_1h_input_tokens", tokens.cache_write_1h}}}};
  members.update(Document::parse(others));
  return json::write(members);
}

}  // namespace

Script::Script(Scenario scenario, bool counts_cache)
    : scenario_(std::move(scenario)), used_(scenario_.steps.size(), 0) {
  if (counts_cache) cache_.emplace();
  for (const auto& step : scenario_.steps) {
    if (!step.match) ordered_.push_back(&step);
  }
}

const Step* Script::matching(const http::Request& request, const Document* body) {
  const Document nothing;
  for (std::size_t n = 0; n < scenario_.steps.size(); ++n) {
    const auto& step = scenario_.steps[n];
    if (!step.match || !fits(*step.match, request, body == nullptr ? nothing : *body)) continue;
    const std::scoped_lock lock(mutex_);
    if (step.times && used_[n] >= *step.times) continue;
    ++used_[n];
    return &step;
  }
  return nullptr;
}

const Step* Script::in_order() {
  const std::scoped_lock lock(mutex_);
  if (position_ == ordered_.size()) {
    if (ordered_.empty() || scenario_.then == Then::error) return nullptr;
    if (scenario_.then == Then::repeat_last) return ordered_.back();
    position_ = 0;
  }
  const auto* const step = ordered_[position_];
  auto& used = used_[static_cast<std::size_t>(step - scenario_.steps.data())];
  if (++used >= step->times.value_or(1)) {
    used = 0;
    ++position_;
  }
  return step;
}

Message Script::message(const Reply& reply, const http::Request& request, const Document* body) {
  Message message;
  message.id = reply.id;
  message.model = reply.model.empty() && body != nullptr ? json::text(*body, "model") : reply.model;
  message.content = reply.content;
  message.stop_sequence = reply.stop_sequence;
  message.stop_details = reply.stop_details;
  message.stop_reason = reply.stop_reason;
  if (message.stop_reason.empty()) {
    message.stop_reason = calls_a_tool(reply.content) ? "tool_use" : "end_turn";
  }
  message.usage = usage_of(reply, request, body);
  const std::scoped_lock lock(mutex_);
  ++messages_;
  if (message.id.empty()) message.id = numbered("msg", messages_);
  for (auto& block : message.content) {
    auto* const call = std::get_if<ToolUseBlock>(&block);
    if (call == nullptr || !call->id.empty()) continue;
    call->id = numbered(call->type == "tool_use" ? "toolu" : "srvtoolu", ++tool_uses_);
  }
  return message;
}

/// Usage given in the step overrides the counts of the cache.
Usage Script::usage_of(const Reply& reply, const http::Request& request, const Document* body) {
  const auto& wish = reply.usage;
  const auto output = wish.output_tokens.value_or(estimated_tokens(content_bytes(reply.content)));
  if (!cache_ || body == nullptr) {
    return {wish.input_tokens.value_or(estimated_tokens(request.body.size())), output, wish.others};
  }
  const auto tokens = cache_->charge(*body);
  return {wish.input_tokens.value_or(tokens.input), output, cache_members(tokens, wish.others)};
}

std::string Script::request_id() {
  const std::scoped_lock lock(mutex_);
  return numbered("req", ++requests_);
}

}  // namespace ralph::mock
