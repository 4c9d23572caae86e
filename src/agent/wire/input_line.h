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
  std::string id;  // JSON: a text, as a rule
  std::string subtype;
  std::string request;  // JSON object: the subtype and what belongs to it
};

/// Something that needs no answer: an empty line, "keep_alive", a type we do not know.
struct NothingToDo {};

using InputLine = std::variant<NothingToDo, session::UserMessage, ControlRequest>;

/// Reads one line of stream-json input, without its newline. The error is what Claude Code says before it exits.
Result<InputLine> read_input_line(std::string_view line);

/// A user's content as an array of blocks: a text becomes one block, what is in it already stays, without cache marks.
std::string content_of(const json::Document& content);

}  // namespace ralph::wire
