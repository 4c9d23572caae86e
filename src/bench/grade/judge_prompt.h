#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/grade/judge_answer.h"

namespace ralph::grade {

/// What a judge is told.
struct JudgePrompt {
  std::string instructions;     // a template with {{ASSERTIONS}}; empty: our own words
  std::string prompt;           // of the test case, before the assertions
  bool by_named_agent = false;  // the agent's own file says how to judge
  std::vector<Assertion> assertions;
  double threshold = 0;
  std::string task;             // of the graded agent; empty: unknown
  std::string patch;            // what it changed; empty: unknown
  std::size_t reset_files = 0;  // with instructions, shown as before the agent
  std::string mark;             // a random word, placed before and after the patch
};

/// The patch and the task are marked as data that the graded agent could write.
std::string to_text(const JudgePrompt& prompt);

}  // namespace ralph::grade
