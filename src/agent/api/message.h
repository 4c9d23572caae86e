#pragma once
#include <string>
#include <string_view>

namespace ralph::api {

enum class Role { user, assistant };
/// As the API writes it.
constexpr std::string_view to_string(Role role) {
  return role == Role::user ? "user" : "assistant";
}

/// One message of a conversation. Its content is JSON text, an array of blocks on one line, without cache marks: each
/// message is serialised once and only copied afterwards.
struct Message {
  Role role = Role::user;
  std::string content;

  bool operator==(const Message&) const = default;
};

}  // namespace ralph::api
