#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "agent/session/inbox.h"
#include "core/base/result.h"
#include "core/json/document.h"

namespace ralph::wire {

/// A request of the client that is not for the model.
struct ControlRequest {
  std::string id;  // JSON, usually a string
  std::string subtype;
  std::string request;  // JSON object with the subtype and its parameters
};

/// The client's answer to one of our requests.
struct ControlResponse {
  std::string id;
  Result<json::Document> payload;  // of success: null if there is none
};

/// The client no longer wants the answer to its request.
struct ControlCancel {
  std::string id;  // JSON
};

/// An empty line, "keep_alive", or an unknown type.
struct IgnoredLine {};

using InputLine =
    std::variant<IgnoredLine, session::UserMessage, ControlRequest, ControlResponse, ControlCancel>;

/// Parses one line of stream-json input, without its newline. The error is what Claude Code prints before it exits.
Result<InputLine> read_input_line(std::string_view line);

/// A user's content as an array of blocks: a string becomes one block; cache marks are removed.
std::string content_of(const json::Document& content);

}  // namespace ralph::wire
