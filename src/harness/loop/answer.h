#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "harness/store/loop_record.h"

namespace ralph::loop {

/// What every agent in the loop is asked for.
inline constexpr std::string_view kAnswerSchema =
    R"({"type":"object","properties":{"summary":{"type":"string"},"done":{"type":"boolean"}},"required":["summary"]})";
/// What the summarizer is asked for.
inline constexpr std::string_view kSummarySchema =
    R"({"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]})";
inline constexpr int kMostCorrections = 3;

/// The agent's answer, or what is wrong with what it said.
struct Answer {
  std::string summary;     // empty: there is none
  std::string correction;  // for the agent
  bool done = false;       // the goal is reached, it says
};

/// From the structured output of an agent (JSON text; empty: it gave none), which it gives with `answer_tool`. A summary
/// that is nothing but "DONE", in any case and with or without punctuation, says so as well as "done": true.
Answer structured_answer(std::string_view structured, std::string_view answer_tool);

/// From the last text of an agent that has no structured output: done when the marker is its last line, with the words
/// before it as summary, or when "DONE" is all it says; else the last JSON object with a "summary", alone or in a code
/// fence. That it is done counts only at the end of the text: an agent may echo its prompt.
Answer text_answer(std::string_view text, std::string_view done_marker);

/// In a text that does not count as DONE: the line that seems to be meant as one; empty: none.
std::string done_not_taken(std::string_view text, std::string_view done_marker);

}  // namespace ralph::loop
