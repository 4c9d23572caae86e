#include <optional>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/mcp/message_impl.h"
#include "core/base/number.h"
#include "core/json/field.h"
#include "core/json/raw.h"
#include "core/json/writer.h"

namespace ralph::mcp {
namespace {

using json::Document;

constexpr std::size_t kLongestId = 256;
constexpr std::size_t kMostValues = 200'000;

Error error_of(const Document& error) {
  auto message = json::text(error, "message");
  if (message.empty()) message = "unknown error";
  return {Code::unavailable,
          fmt::format("MCP error {}: {}", json::integer(error, "code"), message),
          {}};
}

/// Small values take up to 60 times their size in memory, so their number is limited before any of them is built.
bool has_too_many_values(std::string_view text) {
  if (text.size() <= kMostValues) return false;
  std::size_t values = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;
    if (!in_string && (c == ',' || c == '[' || c == '{') && ++values > kMostValues) return true;
  }
  return false;
}

/// The answer with the id of this message; an error, because the message is not read.
std::vector<Message> refuse(std::string_view text) {
  const auto id = parse_number<std::int64_t>(json::locate(text, {"id"}));
  if (!id) return {};
  return {Answer{
      *id, fail(Code::limit, fmt::format("its answer has more than {} JSON values", kMostValues))}};
}

std::optional<Message> read_answer(Document& message) {
  const auto& id = json::member(message, "id");
  if (!id.is_number_integer()) return std::nullopt;
  if (const auto error = message.find("error"); error != message.end() && !error->is_null()) {
    return Answer{id.get<std::int64_t>(), std::unexpected(error_of(*error))};
  }
  const auto result = message.find("result");
  if (result == message.end()) return std::nullopt;
  return Answer{id.get<std::int64_t>(), std::move(*result)};
}

std::optional<Message> read_message(Document& message) {
  if (!message.is_object()) return std::nullopt;
  const auto* const method = json::find_text(message, "method");
  if (method == nullptr) return read_answer(message);
  const auto id = message.find("id");
  if (id == message.end()) return Notification{*method, json::member(message, "params")};
  if (!id->is_string() && !id->is_number()) return std::nullopt;
  auto text = json::write(*id);
  if (text.size() > kLongestId) return std::nullopt;
  return ServerRequest{std::move(text), *method};
}

json::ObjectWriter begin(std::string& out) {
  json::ObjectWriter writer(out);
  writer.text("jsonrpc", "2.0");
  return writer;
}

}  // namespace

std::vector<Message> read_messages(std::string_view text) {
  std::vector<Message> messages;
  if (has_too_many_values(text)) return refuse(text);
  auto parsed = json::parse(text);
  if (!parsed) return messages;
  const auto add = [&](Document& one) {
    if (auto message = read_message(one)) messages.push_back(*std::move(message));
  };
  if (parsed->is_array()) {
    for (auto& one : *parsed) add(one);
  } else {
    add(*parsed);
  }
  return messages;
}

std::string request_json(std::int64_t id, std::string_view method, const Document& params) {
  std::string out;
  auto writer = begin(out);
  writer.number("id", id).text("method", method);
  if (!params.is_null()) writer.raw("params", json::write(params));
  writer.close();
  return out;
}

std::string notification_json(std::string_view method, const Document& params) {
  std::string out;
  auto writer = begin(out);
  writer.text("method", method);
  if (!params.is_null()) writer.raw("params", json::write(params));
  writer.close();
  return out;
}

std::string answer_json(std::string_view id, std::string_view result) {
  std::string out;
  begin(out).raw("id", id).raw("result", result).close();
  return out;
}

std::string refusal_json(std::string_view id, std::int64_t code, std::string_view message) {
  std::string error, out;
  json::ObjectWriter(error).number("code", code).text("message", message).close();
  begin(out).raw("id", id).raw("error", error).close();
  return out;
}

}  // namespace ralph::mcp
