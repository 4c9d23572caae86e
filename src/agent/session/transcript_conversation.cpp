#include <algorithm>

#include <nlohmann/json.hpp>

#include "agent/session/message_json.h"
#include "agent/session/transcript_impl.h"
#include "core/base/text.h"
#include "core/json/field.h"

namespace ralph::session {

using api::Role;
using json::Document;

namespace {

constexpr std::string_view kInterruptedCall =
    "[This call was interrupted: the session ended before it returned a result. Whether it took "
    "effect is unknown.]";
constexpr std::string_view kUnanswered = "[The session ended before this was answered.]";

/// The API rejects blocks of the other role and blank texts.
bool is_usable(const Document& block, Role role) {
  const auto type = json::text(block, "type");
  if (type == "text") return !is_blank(json::text(block, "text"));
  if (type == "tool_use") return role == Role::assistant && !json::text(block, "id").empty();
  if (is_thinking(block)) return role == Role::assistant;
  if (type == "tool_result") return role == Role::user;
  return !type.empty();
}

void drop_cache_marks(Document& block) {
  block.erase("cache_control");
  const auto content = block.find("content");
  if (content == block.end() || !content->is_array()) return;
  for (auto& inner : *content) {
    if (inner.is_object()) inner.erase("cache_control");
  }
}

std::string interrupted_result(const std::string& call) {
  return json::write({{"type", "tool_result"},
                      {"tool_use_id", call},
                      {"content", std::string(kInterruptedCall)},
                      {"is_error", true}});
}

}  // namespace

void MessageMaker::assistant(Document blocks) {
  close_calls();
  if (turns_.empty()) return;
  auto& list = blocks.get_ref<Document::array_t&>();
  std::erase_if(list, [](const Document& block) { return !is_usable(block, Role::assistant); });
  while (!list.empty() && is_thinking(list.back())) list.pop_back();  // the reply broke off there
  if (list.empty()) return;

  if (turns_.back().role == Role::user) turns_.push_back({Role::assistant});
  for (auto& block : list) {
    if (json::text(block, "type") == "tool_use") {
      auto id = json::text(block, "id");
      if (std::ranges::count(open_, id) != 0) continue;
      open_.push_back(std::move(id));
      if (!block.contains("input") || !block["input"].is_object())
        block["input"] = Document::object();
    }
    drop_cache_marks(block);
    turns_.back().blocks.push_back(json::write(block));
  }
}

MessageMaker::Turn& MessageMaker::user_turn() {
  if (turns_.empty() || turns_.back().role != Role::user) turns_.push_back({Role::user});
  return turns_.back();
}

void MessageMaker::user(Document blocks) {
  for (auto& block : blocks) {
    if (!is_usable(block, Role::user)) continue;
    const bool result = json::text(block, "type") == "tool_result";
    if (result && std::erase(open_, json::text(block, "tool_use_id")) == 0) continue;
    failed_ = false;
    drop_cache_marks(block);
    auto& turn = user_turn();
    const auto place = result ? turn.results++ : turn.blocks.size();
    turn.blocks.insert(turn.blocks.begin() + static_cast<std::ptrdiff_t>(place),
                       json::write(block));
  }
}

void MessageMaker::close_calls() {
  for (const auto& call : std::exchange(open_, {})) {
    auto& turn = user_turn();
    turn.blocks.insert(turn.blocks.begin() + static_cast<std::ptrdiff_t>(turn.results++),
                       interrupted_result(call));
  }
}

std::vector<api::Message> MessageMaker::finish() {
  close_calls();
  if (!turns_.empty() && turns_.back().role == Role::user && !failed_) {
    turns_.push_back({Role::assistant});
    turns_.back().blocks.push_back(
        json::write({{"type", "text"}, {"text", std::string(kUnanswered)}}));
  }
  std::vector<api::Message> messages;
  for (auto& turn : turns_) {
    std::string content = "[";
    for (auto& block : turn.blocks) {
      if (content.size() > 1) content += ',';
      content += std::exchange(block, {});
    }
    messages.push_back({turn.role, content + "]"});
  }
  return messages;
}

}  // namespace ralph::session
