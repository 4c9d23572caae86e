#include "agent/session/conversation.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "agent/session/compaction.h"
#include "agent/session/json_text.h"
#include "agent/session/message_json.h"
#include "core/base/id.h"
#include "core/json/document.h"

namespace ralph::session {
namespace {

/// Empty: nothing is left.
std::string without_thinking(const std::string& content) {
  const auto parsed = json::parse(content);
  if (!parsed || !parsed->is_array()) return content;
  auto kept = json::Document::array();
  for (const auto& block : *parsed) {
    if (!is_thinking(block)) kept.push_back(block);
  }
  return kept.empty() ? "" : json::write(kept);
}

}  // namespace

Conversation::Conversation(std::vector<api::Message> messages, TranscriptRecorder transcript)
    : messages_(std::move(messages)),
      transcript_(std::move(transcript)),
      last_uuid_(transcript_.last_uuid()) {
  count_media();
}

/// The API wants roles to alternate: two user messages in a row become one.
void Conversation::add_user(std::string content, const std::string& uuid, std::string members) {
  added_tokens_ += content_tokens(content);
  media_items_ += media_items(content);
  last_uuid_ = uuid;
  transcript_.add_user(content, uuid, std::move(members));
  if (!messages_.empty() && messages_.back().role == api::Role::user &&
      messages_.back().content != "[]") {
    if (content == "[]") return;
    auto& before = messages_.back().content;
    before.back() = ',';
    before.append(content, 1);
    return;
  }
  messages_.push_back({api::Role::user, std::move(content)});
}

void Conversation::introduce(const std::vector<std::string>& texts) {
  for (const auto& text : texts) {
    if (!text.empty()) add_user(text_content(text), make_uuid(), "\"isMeta\":true");
  }
}

void Conversation::add_assistant(const api::Reply& reply, const std::vector<std::string>& uuids) {
  added_tokens_ = 0;
  if (reply.content.empty()) return;
  last_uuid_ = uuids.back();
  transcript_.add_reply(reply, uuids);
  std::string content = "[";
  for (const auto& block : reply.content) {
    if (content.size() > 1) content += ',';
    content += block.json;
  }
  messages_.push_back({api::Role::assistant, content + "]"});
}

void Conversation::start_over(const std::string& uuid, std::string members) {
  transcript_.add_boundary(uuid, std::move(members));
  messages_.clear();
  added_tokens_ = 0;
  media_items_ = 0;
  last_uuid_ = uuid;
}

bool Conversation::has_answer() const {
  return std::ranges::find(messages_, api::Role::assistant, &api::Message::role) != messages_.end();
}

void Conversation::retract_answer() {
  if (!messages_.empty() && messages_.back().role == api::Role::assistant) messages_.pop_back();
}

void Conversation::drop_thinking() {
  for (auto& message : messages_) {
    if (message.role == api::Role::assistant) message.content = without_thinking(message.content);
  }
  std::erase_if(messages_, [](const api::Message& message) { return message.content.empty(); });
}

void Conversation::count_media() {
  media_items_ = 0;
  for (const auto& message : messages_) {
    if (message.role == api::Role::user) media_items_ += media_items(message.content);
  }
}

void Conversation::limit_media(std::int64_t most) {
  if (media_items_ <= most) return;
  session::limit_media(messages_, most);
  count_media();
}

api::MediaKind Conversation::remove_refused(const api::MediaRefusal& refusal, Removal removal) {
  const auto removed = session::remove_refused(messages_, refusal, removal);
  count_media();
  return removed;
}

}  // namespace ralph::session
