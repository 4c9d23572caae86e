#pragma once
#include <string>

namespace ralph::api {

/// One message of a conversation. Its content is JSON text, an array of blocks on one line, without cache marks: each
/// message is serialised once and only copied afterwards.
struct Message {
  std::string role;  // "user" or "assistant"
  std::string content;

  bool operator==(const Message&) const = default;
};

}  // namespace ralph::api
