#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "integration/agent_harness.h"

/// Scripts of tool calls for our agent, and what came of each.
namespace ralph::agent_process {

/// More than the agent may use, whatever its tools print or read.
inline constexpr std::int64_t kMostMemoryKb = 64 << 10;

struct ToolCall {
  std::string_view tool;
  Document input;
};

/// One call a request, then "Done.".
inline std::string script_of(const std::vector<ToolCall>& calls) {
  auto steps = Document::array();
  for (const auto& [tool, input] : calls) {
    steps.push_back({{"tool_use", {{"name", tool}, {"input", input}}}});
  }
  steps.push_back({{"text", "Done."}});
  return json::write(Document{{"steps", steps}});
}

inline ToolCall bash(std::string_view command) { return {"Bash", {{"command", command}}}; }

struct ToolResult {
  std::string text;
  bool failed = false;
  Document detail;
};

/// Of every call, in the order they were told.
inline std::vector<ToolResult> tool_results(const Ran& ran) {
  std::vector<ToolResult> results;
  for (auto& event : ran.of_type("user")) {
    for (auto& block : event["message"]["content"]) {
      if (block.value("type", "") != "tool_result") continue;
      auto& content = block["content"];
      results.push_back({content.is_string() ? content.get<std::string>() : json::write(content),
                         block.value("is_error", false), event["tool_use_result"]});
    }
  }
  return results;
}

/// The turn came to its end, every call has its result, and nothing was left running.
inline std::vector<ToolResult> expect_finished(const Ran& ran, std::size_t calls) {
  EXPECT_EQ(ran.code(), 0) << ran.err;
  EXPECT_EQ(ran.result().value("result", ""), "Done.") << ran.out.substr(0, 4000);
  EXPECT_EQ(ran.exit.strays, 0) << "left running";
  expect_understood(ran.out);
  auto results = tool_results(ran);
  EXPECT_EQ(results.size(), calls);
  results.resize(calls);
  return results;
}

inline const std::vector<std::string>& everything() {
  static const std::vector<std::string> words{"go", "--tools", "Bash,Edit,Glob,Grep,Read,Write",
                                              "--dangerously-skip-permissions"};
  return words;
}

}  // namespace ralph::agent_process
