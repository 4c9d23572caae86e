#include <optional>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/mcp/message_impl.h"
#include "core/json/field.h"
#include "core/json/writer.h"

namespace ralph::mcp {
namespace {

using json::Document;

constexpr std::size_t kLongestId = 256;

Error error_of(const Document& error) {
  auto message = json::text(error, "message");
  if (message.empty()) message = "unknown error";
  return {Code::unavailable,
          fmt::format("MCP error {}: {}", json::integer(error, "code"), message),
          {}};
}

std::optional<Message> read_answer(const Document& message) {
  const auto& id = json::member(message, "id");
  if (!id.is_number_integer()) return std::nullopt;
  if (const auto error = message.find("error"); error != message.end() && !error->is_null()) {
    return Answer{id.get<std::int64_t>(), std::unexpected(error_of(*error))};
  }
  const auto result = message.find("result");
  if (result == message.end()) return std::nullopt;
  return Answer{id.get<std::int64_t>(), *result};
}

std::optional<Message> read_message(const Document& message) {
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
  const auto parsed = json::parse(text);
  if (!parsed) return messages;
  const auto add = [&](const Document& one) {
    if (auto message = read_message(one)) messages.push_back(*std::move(message));
  };
  if (parsed->is_array()) {
    for (const auto& one : *parsed) add(one);
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
