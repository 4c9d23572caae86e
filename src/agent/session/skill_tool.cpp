#include "agent/session/skill_tool.h"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/tool/input.h"
#include "core/base/nearest.h"
#include "core/json/field.h"

namespace ralph::session {
namespace {

constexpr std::size_t kLongestList = std::size_t{16} << 10;

constexpr std::string_view kIntroduction =
    "Loads a skill: instructions, and often files, for one kind of work. Where one of those below "
    "fits the task, load it before you begin, and follow it. The text of the skill comes behind "
    "the "
    "result of the call. Only these names exist; never guess one.";

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "skill": {"type": "string", "description": "The name of the skill, as it is listed"},
    "args": {"type": "string", "description": "Arguments for the skill, if it takes any"}
  },
  "required": ["skill"],
  "additionalProperties": false
})";

/// Drops descriptions, then names, to stay below kLongestList.
std::string list_of(const instructions::Skills& skills) {
  constexpr std::string_view kBefore = "\n- ";
  std::size_t names = 0;
  for (const auto& [name, skill] : skills.all()) names += kBefore.size() + name.size();
  auto room = kLongestList - std::min(names, kLongestList);  // for descriptions
  std::string list;
  std::size_t left_out = 0;
  for (const auto& [name, skill] : skills.all()) {
    if (!skill.for_model) continue;
    if (list.size() + kBefore.size() + name.size() > kLongestList) {
      ++left_out;
      continue;
    }
    list.append(kBefore).append(name);
    const auto described = skill.description.empty() ? "" : ": " + skill.description;
    if (described.size() > room) continue;
    list += described;
    room -= described.size();
  }
  if (list.empty()) return "\n\nThere are no skills in this session.";
  if (left_out > 0) list += fmt::format("\n(and {} more)", left_out);
  return "\n\nSkills:" + list;
}

tool::Outcome unknown(const std::string& name, const instructions::Skills& skills) {
  std::vector<std::string> names;
  for (const auto& [known, skill] : skills.all()) {
    if (skill.for_model) names.push_back(known);
  }
  const auto meant = nearest(name, names);
  return tool::misuse(fmt::format("Unknown skill: {}{}", name,
                                  meant.empty() ? "" : fmt::format(". Did you mean {}?", meant)));
}

}  // namespace

SkillTool::SkillTool(const instructions::Skills& skills)
    : skills_(skills), description_(std::string(kIntroduction) + list_of(skills)) {}

std::string_view SkillTool::schema() const { return kSchema; }

tool::Outcome SkillTool::run(const json::Document& input, const permission::Access&,
                             tool::Workspace&, const std::stop_token&) const {
  const auto name = json::text(input, "skill");
  const auto* skill = skills_.find(name);
  if (skill == nullptr) return unknown(name, skills_);
  if (!skill->for_model) {
    return tool::misuse(fmt::format(
        "The skill {} is not for you to call (disable-model-invocation): the user calls it with "
        "/{}.",
        name, name));
  }
  auto text = skills_.text(*skill, json::text(input, "args"));
  if (!text) return tool::failure(text.error().message);
  auto outcome = tool::success(fmt::format("Launching skill: {}", name),
                               {{"success", true}, {"commandName", name}});
  outcome.follow_up = *std::move(text);
  return outcome;
}

}  // namespace ralph::session
