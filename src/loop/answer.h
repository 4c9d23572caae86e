#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ralph::loop {

/// What every agent in the loop is asked for.
inline constexpr std::string_view kAnswerSchema =
    R"({"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]})";
inline constexpr std::string_view kDone = "DONE";
inline constexpr int kMostCorrections = 3;

/// The agent's answer, or what it is told about the lack of one.
struct Answer {
  std::string summary;     // empty: there is none
  std::string correction;  // for the agent
  bool done() const { return summary == kDone; }
};

/// From the structured output of an agent (JSON text; empty: it gave none).
Answer structured_answer(std::string_view structured);

/// From the last text of an agent that has no structured output: DONE when the marker is its last line; else the last JSON
/// object with a "summary", alone or in a code fence. Its DONE counts only as the end of the text: an agent may echo its
/// prompt.
Answer text_answer(std::string_view text, std::string_view done_marker);

}  // namespace ralph::loop
