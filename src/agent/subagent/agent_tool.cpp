#include "agent/subagent/agent_tool.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/json/field.h"
#include "core/model/names.h"

namespace ralph::subagent {
namespace {

using json::Document;

constexpr const char* kDefaultType = "general-purpose";
constexpr std::size_t kLongestAgentLine = 400;  // code points of a description
constexpr std::size_t kLongestAgentList = std::size_t{16} << 10;

constexpr std::string_view kAgentIntroduction =
    "Gives a task to a subagent, which works with its own context and reports back. Use it for "
    "searches and tasks whose details you do not need, and for independent tasks at the same time: "
    "put their calls into one message. It knows nothing of this conversation: say in the prompt "
    "what to do, what it must know, and what to report. Its report is not shown to the user. It "
    "cannot start subagents itself.";
constexpr std::string_view kInBackground =
    " A subagent works in the background unless run_in_background is false: the call returns at "
    "once, and a message brings the report. Set it to false if you need the report to continue.";

/// JSON Schema of the input.
std::string input_schema(bool background) {
  Document aliases;
  for (const auto& [alias, variable] : model::kFamilies) aliases.push_back(alias);
  Document properties{
      {"description", {{"type", "string"}, {"description", "The task in three to five words"}}},
      {"prompt", {{"type", "string"}, {"description", "The task"}}},
      {"subagent_type",
       {{"type", "string"},
        {"description", "The agent, as it is listed; default: general-purpose"}}},
      {"model",
       {{"type", "string"},
        {"enum", aliases},
        {"description", "Default: the model of the agent, or else yours"}}},
      {"effort", {{"type", "string"}, {"enum", model::kEfforts}}}};
  if (background) {
    properties["run_in_background"] = {{"type", "boolean"},
                                       {"description", "false: wait for the report"}};
  }
  return json::write({{"type", "object"},
                      {"properties", properties},
                      {"required", {"description", "prompt"}},
                      {"additionalProperties", false}});
}

std::string tools_text(const instructions::AgentDefinition& agent) {
  if (agent.tools) {
    return agent.tools->empty() ? "none" : fmt::format("{}", fmt::join(*agent.tools, ", "));
  }
  if (agent.disallowed_tools.empty()) return "all";
  return fmt::format("all but {}", fmt::join(agent.disallowed_tools, ", "));
}

std::string list_text(const std::vector<instructions::AgentDefinition>& agents) {
  std::string list = "\n\nAgents:";
  std::size_t left_out = 0;
  for (const auto& agent : agents) {
    if (!agent.problem.empty()) continue;
    const auto line =
        fmt::format("\n- {}: {} (tools: {})", agent.name,
                    utf8::shortened(agent.description, kLongestAgentLine), tools_text(agent));
    if (list.size() + line.size() > kLongestAgentList) {
      ++left_out;
    } else {
      list += line;
    }
  }
  if (left_out > 0) list += fmt::format("\n(and {} more)", left_out);
  return list;
}

std::string type_of_call(const json::Document& input) {
  const auto type = json::text(input, "subagent_type");
  return type.empty() ? kDefaultType : type;
}

}  // namespace

AgentTool::AgentTool(const instructions::AgentDefinitions& agents, Subagents& subagents)
    : agents_(agents), subagents_(subagents), schema_(input_schema(background_possible())) {}

bool AgentTool::background_possible() const {
  return !subagents_.host().environment.on("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS");
}

std::string_view AgentTool::description() const {
  auto text = std::string(kAgentIntroduction);
  if (background_possible()) text += kInBackground;
  text += list_text(agents_.all());
  const std::lock_guard lock(mutex_);
  if (texts_.empty() || texts_.back() != text) texts_.push_back(std::move(text));
  return texts_.back();
}

/// A rule such as "Agent(Explore)" is about the type, given or not.
permission::Access AgentTool::access(const json::Document& input, const tool::Workspace&) const {
  permission::Access access;
  access.kind = permission::Access::Kind::session;
  access.command = type_of_call(input);
  return access;
}

tool::Outcome AgentTool::run(const json::Document& input, const permission::Access& access,
                             tool::Workspace& /*workspace*/, const std::stop_token& stop) const {
  const auto type = type_of_call(input);
  auto agent = agents_.find(type);
  if (!agent) {
    std::string names;
    for (const auto& known : agents_.all()) {
      if (known.problem.empty()) names += (names.empty() ? "" : ", ") + known.name;
    }
    return tool::misuse(fmt::format("There is no agent '{}'. The agents are: {}", type, names));
  }
  if (!agent->problem.empty()) {
    return tool::misuse(fmt::format("The agent '{}' cannot be used: {}", type, agent->problem));
  }
  if (auto effort = json::text(input, "effort"); !effort.empty()) agent->effort = effort;
  std::optional<bool> asked;
  if (json::member(input, "run_in_background").is_boolean()) {
    asked = json::boolean(input, "run_in_background");
  }
  const bool background = background_possible() && (agent->background || asked.value_or(true));
  return subagents_.run({.agent = *std::move(agent),
                         .description = json::text(input, "description"),
                         .prompt = json::text(input, "prompt"),
                         .model = json::text(input, "model"),
                         .call_id = access.call_id,
                         .in_background = background},
                        asked, stop);
}

}  // namespace ralph::subagent
