#pragma once
// Private to this module's .cpp files.
#include <string>
#include <vector>

#include "harness/backend/plan.h"

namespace ralph::backend {

/// What has been decided about a plan before its command line is put together.
struct Draft {
  const Backend& backend;
  const Ask& ask;
  Output output;
  Delivery delivery;
  process::Transport transport;
  std::string prompt_word;         // for "{prompt}": the prompt, or the order to read it
  std::string prompt_file;         // for "{prompt_file}"
  std::string prompt_folder = {};  // of a prompt file outside the working directory
  bool has_loop_guard = false;     // the agent has one
};

inline constexpr std::string_view kPromptMark = "{prompt}";
inline constexpr std::string_view kPromptFileMark = "{prompt_file}";

bool mentions(const std::vector<std::string>& words, std::string_view mark);

/// The program and its arguments.
std::vector<std::string> command_line(const Draft& draft);

}  // namespace ralph::backend
