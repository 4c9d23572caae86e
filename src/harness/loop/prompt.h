#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/loop/template.h"
#include "harness/store/loop_record.h"

namespace ralph::loop {

/// The most bytes of each part; what is longer is cut, and the prompt says so.
struct PromptCaps {
  std::size_t goal = 256 << 10;
  std::size_t agents = 64 << 10;
  std::size_t history = 64 << 10;      // the oldest go first
  std::size_t verification = 8 << 10;  // its end is kept
  std::size_t guidance = 32 << 10;
};

/// What a prompt is made of.
struct PromptParts {
  std::int64_t iteration = 1, max_iterations = 0;  // 0: no limit
  std::string goal;
  std::string agents_md;                  // of the workspace; empty: there is none
  std::string instructions_file;          // the agent reads it itself; empty: there is none
  std::size_t agents_md_size = 0;         // of the file, when it is longer than what was read
  std::string history_summary;            // of the older iterations
  std::int64_t summary_covers = 0;        // iterations
  std::vector<store::LoopRecord> recent;  // those behind the summary
  std::vector<std::int64_t> taken_back;   // of them: by 'ralph undo'
  std::string verification;               // why the last DONE was refused
  std::vector<std::string> guidance;
  std::vector<std::string> verify_commands;
  std::string answer_tool;      // takes the structured output of the agent
  bool answer_in_text = false;  // the agent has no structured output: the prompt says how to answer
  std::string done_marker;      // a line that says DONE; for agents that answer in text
  bool commits = false;         // ralph commits
};

/// The prompt of one iteration. `cuts` names the parts that were cut.
std::string make_prompt(const Template& form, const PromptParts& parts, const PromptCaps& caps,
                        std::vector<std::string>& cuts);

/// The prompt of the summarizer: the summary so far and the iterations to fold into it.
std::string make_summary_prompt(std::string_view summary,
                                const std::vector<store::LoopRecord>& records,
                                std::size_t most_bytes, std::string_view answer_tool,
                                const std::vector<std::int64_t>& taken_back = {});

}  // namespace ralph::loop
