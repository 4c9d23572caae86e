#include "agent/api/request.h"

#include <algorithm>
#include <cstddef>

#include <nlohmann/json.hpp>

#include "agent/api/cache_mark_impl.h"
#include "core/base/utf8.h"
#include "core/json/document.h"
#include "core/json/writer.h"

namespace ralph::api {
namespace {

std::string_view cache_mark(const Request& request) {
  return request.shape.caching == Caching::hour
             ? R"(,"cache_control":{"type":"ephemeral","ttl":"1h"})"
             : R"(,"cache_control":{"type":"ephemeral"})";
}

bool has_marks(const Request& request) {
  return request.cache_marks && request.shape.caching != Caching::none;
}

constexpr std::size_t kMarkedUserMessages = 2;
constexpr std::size_t kRoomForTheRest = 4096;

void append_text(std::string& out, std::string_view text) {
  if (utf8::valid(text)) {
    json::append_string(out, text);
  } else {
    json::append_string(out, utf8::repaired(text));
  }
}

void append_thinking(std::string& out, const Shape& shape) {
  switch (shape.thinking) {
    case ThinkingMode::omitted: return;
    case ThinkingMode::disabled:
      out += R"(,"thinking":{"type":"disabled"},"temperature":1)";
      return;
    case ThinkingMode::enabled:
      out += R"(,"thinking":{"type":"enabled","budget_tokens":)";
      json::append_number(out, shape.thinking_budget);
      out += '}';
      return;
    case ThinkingMode::adaptive:
      out += R"(,"thinking":{"type":"adaptive")";
      if (!shape.thinking_display.empty()) {
        out += R"(,"display":)";
        append_text(out, shape.thinking_display);
      }
      out += '}';
  }
}

void append_settings(std::string& out, const Request& request) {
  out += R"({"model":)";
  append_text(out, request.shape.model);
  out += R"(,"max_tokens":)";
  json::append_number(out, request.shape.max_tokens);
  out += request.stream ? R"(,"stream":true)" : R"(,"stream":false)";
  append_thinking(out, request.shape);
  if (!request.shape.effort.empty()) {
    out += R"(,"output_config":{"effort":)";
    append_text(out, request.shape.effort);
    out += '}';
  }
  if (request.user_id.empty()) return;
  out += R"(,"metadata":{"user_id":)";
  append_text(out, request.user_id);
  out += '}';
}

/// Appends an array of blocks or tools; its last one gets the mark if that is allowed; empty: no mark.
void append_array(std::string& out, std::string_view array, std::string_view mark) {
  if (mark.empty() || !may_be_marked(array)) {
    out += array;
    return;
  }
  constexpr std::size_t kEnd = sizeof("}]") - 1;
  out += array.substr(0, array.size() - kEnd);
  out += mark;
  out += array.substr(array.size() - kEnd);
}

bool has_text(const std::vector<std::string>& texts) {
  return !std::ranges::all_of(texts, [](const std::string& text) { return text.empty(); });
}

void append_system(std::string& out, const Request& request) {
  auto last = request.system.size();
  while (request.system[last - 1].empty()) --last;
  const char* before = R"(,"system":[{"type":"text","text":)";
  for (std::size_t i = 0; i < last; ++i) {
    if (request.system[i].empty()) continue;  // the API rejects an empty text
    out += before;
    append_text(out, request.system[i]);
    if (i + 1 == last && has_marks(request)) out += cache_mark(request);
    out += '}';
    before = R"(,{"type":"text","text":)";
  }
  out += ']';
}

/// The first message that gets a mark, if it is a user's.
std::size_t first_marked(std::span<const Message> messages) {
  std::size_t users = 0;
  for (std::size_t i = messages.size(); i > 0; --i) {
    if (messages[i - 1].role == Role::user && ++users == kMarkedUserMessages) return i - 1;
  }
  return 0;
}

void append_messages(std::string& out, const Request& request) {
  out += R"(,"messages":[)";
  const auto marked = first_marked(request.messages);
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const auto& message = request.messages[i];
    const bool wanted = i >= marked && !(request.is_last && i + 1 == request.messages.size());
    const bool mark = has_marks(request) && wanted && message.role == Role::user;
    out += i == 0 ? R"({"role":")" : R"(,{"role":")";
    out += to_string(message.role);
    out += R"(","content":)";
    append_array(out, message.content, mark ? cache_mark(request) : std::string_view());
    out += '}';
  }
  out += ']';
}

/// Parses the whole body, so only used with CLAUDE_CODE_EXTRA_BODY.
std::string with_extra(const std::string& body, const std::string& extra) {
  auto document = json::parse(body, "the request");
  const auto members = json::parse(extra, "the extra body");
  if (!document || !members || !members->is_object()) return body;
  document->update(*members);
  return json::write(*document);
}

std::size_t size_of(const Request& request) {
  auto size = kRoomForTheRest + request.tools.size();
  for (const auto& text : request.system) size += text.size() + text.size() / 8 + 64;
  for (const auto& message : request.messages) size += message.content.size() + 64;
  return size;
}

}  // namespace

std::string body_of(const Request& request) {
  std::string out;
  out.reserve(size_of(request));
  append_settings(out, request);
  const bool with_system = has_text(request.system);
  if (!request.tools.empty()) {
    const bool mark = has_marks(request) && !with_system;
    out += R"(,"tools":)";
    append_array(out, request.tools, mark ? cache_mark(request) : std::string_view());
  }
  if (with_system) append_system(out, request);
  append_messages(out, request);
  out += '}';
  return request.shape.extra_body.empty() ? out : with_extra(out, request.shape.extra_body);
}

}  // namespace ralph::api
