#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ralph::session {

/// What a conversation must not lose when it is cut down to a summary: what the user asked for, word by word, and the
/// files the model worked with. Kept by us, not left to the model.
struct PreservedContext {
  std::vector<std::string> prompts;  // the first and the newest, in order; long ones cut
  std::vector<std::string> files;    // newest first

  /// What the user said: blocks of a message's content, JSON.
  void add_prompt(std::string_view content);
  /// A call of the model that went well.
  void add_call(std::string_view tool, std::string_view input);

  /// As members of a session's line: "\"keptPrompts\":[…],\"keptFiles\":[…]".
  std::string members() const;
};

}  // namespace ralph::session
