#include "agent/permission/rule_check.h"

#include <algorithm>
#include <array>

#include "agent/permission/rule.h"

namespace ralph::permission {
namespace {

/// Those of Claude Code, also former ones, and of ralph's agent.
constexpr auto kKnownTools = std::to_array<std::string_view>({"Agent",        "AskUserQuestion",
                                                              "Bash",         "BashOutput",
                                                              "Edit",         "EnterPlanMode",
                                                              "ExitPlanMode", "Glob",
                                                              "Grep",         "KillShell",
                                                              "LS",           "LSP",
                                                              "MultiEdit",    "NotebookEdit",
                                                              "NotebookRead", "Read",
                                                              "SendMessage",  "Skill",
                                                              "SlashCommand", "StructuredOutput",
                                                              "Task",         "TaskCreate",
                                                              "TaskGet",      "TaskList",
                                                              "TaskOutput",   "TaskStop",
                                                              "TaskUpdate",   "TodoRead",
                                                              "TodoWrite",    "ToolSearch",
                                                              "WebFetch",     "WebSearch",
                                                              "Workflow",     "Write"});

constexpr std::string_view kDomainMark = "domain:";

bool is_known(std::string_view tool) {
  return tool.starts_with("mcp__") || tool.find('*') != tool.npos ||
         std::ranges::find(kKnownTools, tool) != kKnownTools.end();
}

/// Of a WebFetch rule: "domain:HOST", or the text of a URL.
bool names_page(std::string_view pattern) {
  if (!pattern.starts_with(kDomainMark)) return pattern.find("://") != pattern.npos;
  return pattern.find_first_of(":/ ", kDomainMark.size()) == pattern.npos;
}

}  // namespace

std::string why_no_match(std::string_view text) {
  const auto rule = parse_rule(text);
  if (!is_known(rule.tool)) return "matches no known tool — check for typos";
  if (rule.tool == "WebFetch" && !rule.covers_all() && !names_page(rule.pattern)) {
    return "matches no page: write WebFetch(domain:HOST), without scheme and port";
  }
  return {};
}

}  // namespace ralph::permission
