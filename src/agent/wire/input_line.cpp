#include "agent/wire/input_line.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/json/field.h"

namespace ralph::wire {
namespace {

/// The API rejects empty texts and empty messages.
constexpr std::string_view kNothingSaid = "(an empty message)";

bool is_blank_block(const json::Document& block) {
  return json::text(block, "type") == "text" && is_blank(json::text(block, "text"));
}

Result<InputLine> user_message(const json::Document& line) {
  const auto message = line.find("message");
  const bool there = message != line.end() && message->is_object();
  const auto role = there ? json::text(*message, "role") : "undefined";
  if (role != "user") {
    return fail(Code::malformed,
                fmt::format("Error: Expected message role 'user', got '{}'", role));
  }
  const auto content = message->find("content");
  session::UserMessage said;
  said.content = content_of(content == message->end() ? json::Document() : *content);
  said.uuid = json::text(line, "uuid");
  if (content != message->end()) said.original = json::write(*content);
  return said;
}

Result<InputLine> control_request(const json::Document& line) {
  ControlRequest control;
  const auto id = line.find("request_id");
  control.id = id == line.end() ? "null" : json::write(*id);
  const auto request = line.find("request");
  if (request != line.end() && request->is_object()) {
    control.subtype = json::text(*request, "subtype");
    control.request = json::write(*request);
  }
  return control;
}

Result<InputLine> control_response(const json::Document& line) {
  const auto& response = json::member(line, "response");
  const auto id = json::text(response, "request_id");
  if (json::text(response, "subtype") != "success") {
    const auto error = json::text(response, "error");
    return ControlResponse{id, fail(Code::unavailable, error.empty() ? "no reason given" : error)};
  }
  return ControlResponse{id, json::member(response, "response")};
}

}  // namespace

std::string content_of(const json::Document& content) {
  auto blocks = json::Document::array();
  if (content.is_string() && !is_blank(content.get_ref<const std::string&>())) {
    blocks.push_back({{"type", "text"}, {"text", content}});
  }
  if (content.is_array()) {
    for (const auto& block : content) {
      if (block.is_string()) blocks.push_back({{"type", "text"}, {"text", block}});
      if (!block.is_object() || is_blank_block(block)) continue;
      blocks.push_back(block);
      blocks.back().erase("cache_control");
    }
  }
  if (blocks.empty()) blocks.push_back({{"type", "text"}, {"text", kNothingSaid}});
  return json::write(blocks);
}

Result<InputLine> read_input_line(std::string_view line) {
  if (is_blank(line)) return IgnoredLine{};
  auto parsed = json::parse(line, "the input line");
  if (!parsed || !parsed->is_object()) {
    const auto why = parsed ? "it is not a JSON object" : parsed.error().message;
    return fail(Code::malformed,
                fmt::format("Error parsing streaming input line ({} chars): {}", line.size(), why));
  }
  const auto type = json::text(*parsed, "type");
  if (type == "user") return user_message(*parsed);
  if (type == "control_request") return control_request(*parsed);
  if (type == "control_response") return control_response(*parsed);
  if (type == "control_cancel_request") {
    return ControlCancel{json::write(json::member(*parsed, "request_id"))};
  }
  return IgnoredLine{};
}

}  // namespace ralph::wire
