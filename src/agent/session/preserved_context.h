#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ralph::session {

/// What a compaction keeps beside the model's summary: the user's prompts, verbatim, and the files the model worked with.
struct PreservedContext {
  std::vector<std::string> prompts;  // the first and the newest, in order; long ones cut
  std::vector<std::string> files;    // newest first

  /// `content`: blocks of a user message, JSON.
  void add_prompt(std::string_view content);
  /// A call that succeeded.
  void add_call(std::string_view tool, std::string_view input);

  /// As members of a transcript line: "\"keptPrompts\":[…],\"keptFiles\":[…]".
  std::string members() const;
};

}  // namespace ralph::session
