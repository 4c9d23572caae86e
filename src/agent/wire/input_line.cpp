#include "agent/wire/input_line.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/settings/text.h"

namespace ralph::wire {
namespace {

std::string text_of(const json::Document& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  return found->get<std::string>();
}

/// The API takes no text without anything in it, and no message without anything.
constexpr std::string_view kNothingSaid = "(an empty message)";

bool is_empty_text(const json::Document& block) {
  return text_of(block, "type") == "text" && settings::is_blank(text_of(block, "text"));
}

Result<InputLine> user_message(const json::Document& line) {
  const auto message = line.find("message");
  const bool there = message != line.end() && message->is_object();
  const auto role = there ? text_of(*message, "role") : "undefined";
  if (role != "user") {
    return fail(Code::malformed,
                fmt::format("Error: Expected message role 'user', got '{}'", role));
  }
  const auto content = message->find("content");
  session::UserMessage said;
  said.content = content_of(content == message->end() ? json::Document() : *content);
  said.uuid = text_of(line, "uuid");
  if (content != message->end()) said.original = json::write(*content);
  return said;
}

Result<InputLine> control_request(const json::Document& line) {
  ControlRequest control;
  const auto id = line.find("request_id");
  control.id = id == line.end() ? "null" : json::write(*id);
  const auto request = line.find("request");
  if (request != line.end() && request->is_object()) {
    control.subtype = text_of(*request, "subtype");
    control.request = json::write(*request);
  }
  return control;
}

}  // namespace

std::string content_of(const json::Document& content) {
  auto blocks = json::Document::array();
  if (content.is_string() && !settings::is_blank(content.get_ref<const std::string&>())) {
    blocks.push_back({{"type", "text"}, {"text", content}});
  }
  if (content.is_array()) {
    for (const auto& block : content) {
      if (block.is_string()) blocks.push_back({{"type", "text"}, {"text", block}});
      if (!block.is_object() || is_empty_text(block)) continue;
      blocks.push_back(block);
      blocks.back().erase("cache_control");
    }
  }
  if (blocks.empty()) blocks.push_back({{"type", "text"}, {"text", kNothingSaid}});
  return json::write(blocks);
}

Result<InputLine> read_input_line(std::string_view line) {
  if (settings::is_blank(line)) return NothingToDo{};
  auto parsed = json::parse(line, "the input line");
  if (!parsed || !parsed->is_object()) {
    const auto why = parsed ? "it is no JSON object" : parsed.error().message;
    return fail(Code::malformed,
                fmt::format("Error parsing streaming input line ({} chars): {}", line.size(), why));
  }
  const auto type = text_of(*parsed, "type");
  if (type == "user") return user_message(*parsed);
  if (type == "control_request") return control_request(*parsed);
  return NothingToDo{};
}

}  // namespace ralph::wire
