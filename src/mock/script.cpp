#include "mock/script.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace ralph::mock {
namespace {

std::string numbered(std::string_view prefix, std::size_t number) {
  return fmt::format("{}_mock_{:06}", prefix, number);
}

std::string model_of(const json::Document& request) {
  const auto model = request.find("model");
  return model != request.end() && model->is_string() ? model->get<std::string>() : std::string();
}

bool some_string_contains(const json::Document& value, std::string_view text) {
  if (const auto* string = value.get_ptr<const std::string*>()) {
    return string->find(text) != std::string::npos;
  }
  return value.is_structured() && std::ranges::any_of(value, [&](const auto& inner) {
           return some_string_contains(inner, text);
         });
}

bool fits(const Match& match, const json::Document& request) {
  return model_of(request).find(match.model) != std::string::npos &&
         (match.contains.empty() || some_string_contains(request, match.contains));
}

bool calls_a_tool(const std::vector<Block>& content) {
  return std::ranges::any_of(
      content, [](const Block& block) { return std::holds_alternative<ToolUseBlock>(block); });
}

Usage settled(const UsageWish& wish, const std::vector<Block>& content, std::size_t request_bytes) {
  return {wish.input_tokens.value_or(estimated_tokens(request_bytes)),
          wish.cache_creation_input_tokens, wish.cache_read_input_tokens,
          wish.output_tokens.value_or(estimated_tokens(content_bytes(content)))};
}

}  // namespace

Script::Script(Scenario scenario) : scenario_(std::move(scenario)) {
  for (const auto& step : scenario_.steps) {
    if (!step.match) ordered_.push_back(&step);
  }
}

const Step* Script::matching(const json::Document& request) const {
  for (const auto& step : scenario_.steps) {
    if (step.match && fits(*step.match, request)) return &step;
  }
  return nullptr;
}

const Step* Script::in_order() {
  const std::scoped_lock lock(mutex_);
  if (position_ < ordered_.size()) return ordered_[position_++];
  if (ordered_.empty() || scenario_.then == Then::error) return nullptr;
  if (scenario_.then == Then::repeat_last) return ordered_.back();
  position_ = 1;
  return ordered_.front();
}

const Step* Script::next(const json::Document& request) {
  const auto* step = matching(request);
  return step != nullptr ? step : in_order();
}

Message Script::message(const Reply& reply, const json::Document& request,
                        std::size_t request_bytes) {
  Message message;
  message.model = reply.model.empty() ? model_of(request) : reply.model;
  message.content = reply.content;
  message.stop_reason = reply.stop_reason;
  if (message.stop_reason.empty()) {
    message.stop_reason = calls_a_tool(reply.content) ? "tool_use" : "end_turn";
  }
  message.usage = settled(reply.usage, reply.content, request_bytes);
  const std::scoped_lock lock(mutex_);
  message.id = numbered("msg", ++messages_);
  for (auto& block : message.content) {
    auto* call = std::get_if<ToolUseBlock>(&block);
    if (call != nullptr && call->id.empty()) call->id = numbered("toolu", ++tool_uses_);
  }
  return message;
}

std::string Script::request_id() {
  const std::scoped_lock lock(mutex_);
  return numbered("req", ++requests_);
}

}  // namespace ralph::mock
