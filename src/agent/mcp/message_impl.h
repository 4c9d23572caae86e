#pragma once
// Private to this module's .cpp files.
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/json/document.h"

namespace ralph::mcp {

/// The server's answer to one of our requests.
struct Answer {
  std::int64_t id = 0;
  Result<json::Document> result;
};

/// A request of the server to us.
struct ServerRequest {
  std::string id;  // JSON: a string or a number
  std::string method;
};

struct Notification {
  std::string method;
  json::Document params;
};

using Message = std::variant<Answer, ServerRequest, Notification>;

/// Reads what a server sent: a JSON-RPC message, or several in an array. What is neither is left out; ids of answers must be
/// numbers, as ours are.
std::vector<Message> read_messages(std::string_view text);

/// One line of JSON each, without its newline. `id` is JSON.
std::string request_json(std::int64_t id, std::string_view method, const json::Document& params);
std::string notification_json(std::string_view method, const json::Document& params);
std::string answer_json(std::string_view id, std::string_view result);
std::string refusal_json(std::string_view id, std::int64_t code, std::string_view message);

}  // namespace ralph::mcp
