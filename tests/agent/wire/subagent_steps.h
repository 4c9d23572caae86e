#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "agent/wire/harness.h"

/// Scripts of sessions with subagents, and what is read of their events.
namespace ralph::wire {

/// Replies to a subagent whose task contains a word: a call of Bash, then a text.
inline std::string child_steps(std::string_view word, std::string_view text,
                               std::string_view command = "echo seen") {
  constexpr std::string_view kStep =
      R"({{"match":{{"contains":"{}","system":"You are a subagent","tool_result":"{}"}},"text":"{}"}},)";
  return fmt::format(kStep, word, "seen", text) + fmt::format(kStep, word, "permi", "Denied.") +
         fmt::format(
             R"({{"match":{{"contains":"{}","system":"You are a subagent"}},
                "text":"Looking.","tool_use":{{"name":"Bash","input":{{"command":"{}"}}}}}})",
             word, command);
}

inline std::string agent_call(std::string_view prompt, std::string_view more) {
  return fmt::format(
      R"({{"tool_use":{{"name":"Agent","input":{{"description":"look at it","prompt":"{}"{}}}}}}})",
      prompt, more);
}

inline constexpr std::string_view kWait = R"(,"run_in_background":false)";

/// One call of Agent, then "Done.", then what comes after the end of a background task.
inline std::string one_agent(std::string_view more, std::string_view children) {
  return fmt::format(R"({{"steps":[{},{{"text":"Done."}},{{"text":"Later."}},{}]}})",
                     agent_call("ALPHA", more), children);
}

inline std::vector<Document> of_subtype(const Ran& ran, std::string_view subtype) {
  std::vector<Document> found;
  for (auto& event : ran.events()) {
    if (event.value("subtype", "") == subtype) found.push_back(event);
  }
  return found;
}

/// The result of the first call of the session itself.
inline Document first_result(const Ran& ran) {
  for (const auto& event : ran.of_type("user")) {
    if (event["parent_tool_use_id"].is_null()) return event;
  }
  return Document::object();
}

inline std::string text_of(const Document& event) {
  const auto& content = event["message"]["content"][0]["content"];
  return content.is_string() ? content.get<std::string>() : content[0].value("text", "");
}

}  // namespace ralph::wire
