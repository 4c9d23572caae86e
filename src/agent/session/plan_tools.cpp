#include "agent/session/plan_tools.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/tool/input.h"
#include "core/json/field.h"

namespace ralph::session {
namespace {

using json::Document;
using permission::Mode;
using tool::Access;

constexpr std::string_view kQuestionDescription =
    "Asks the user and waits for the answers. Only for decisions that are the user's and that "
    "change "
    "what you do next; what the files or the request can tell you, find out yourself, and where "
    "one "
    "choice is usual, take it and say so. Each question must be understandable on its own: the "
    "user "
    "may see nothing else. The user can always answer with own words instead of an option. Put the "
    "option you recommend first and end its label with \"(Recommended)\". Do not ask whether a "
    "plan "
    "is fine: ExitPlanMode does that.";

constexpr std::string_view kQuestionSchema = R"({
  "type": "object",
  "properties": {
    "questions": {
      "type": "array", "minItems": 1, "maxItems": 4,
      "items": {
        "type": "object",
        "properties": {
          "question": {"type": "string", "description": "The whole question, as one sentence"},
          "header": {"type": "string", "description": "A label of at most 12 characters"},
          "options": {
            "type": "array", "minItems": 2, "maxItems": 4,
            "items": {
              "type": "object",
              "properties": {
                "label": {"type": "string", "description": "The choice in a few words"},
                "description": {"type": "string", "description": "What choosing it means"},
                "preview": {"type": "string", "description": "Text to compare the options by, such as code"}
              },
              "required": ["label", "description"],
              "additionalProperties": false
            }
          },
          "multiSelect": {"type": "boolean", "description": "Whether several options can be chosen"}
        },
        "required": ["question", "header", "options"],
        "additionalProperties": false
      }
    }
  },
  "required": ["questions"],
  "additionalProperties": false
})";

constexpr std::string_view kEnterDescription =
    "Switches to plan mode: you may look at everything and change nothing, until the user has "
    "approved a plan (ExitPlanMode). Use it before work that is large, or that can be done in ways "
    "the user may want to choose from; not for small or clear tasks.";

constexpr std::string_view kEntered =
    "Plan mode is on. Find out what the plan must build on: read the files, look for what exists, "
    "compare approaches, ask the user where only the user can decide (AskUserQuestion). Change no "
    "file. When the plan is complete, call ExitPlanMode with it.";

constexpr std::string_view kExitDescription =
    "Shows your plan to the user and asks for approval; that ends plan mode and lets you begin. "
    "Call "
    "it only in plan mode, and only when the plan is complete: what will be changed, where, and "
    "how "
    "it will be checked. If the user declines, revise the plan.";

constexpr std::string_view kExitSchema = R"({
  "type": "object",
  "properties": {
    "plan": {"type": "string", "description": "The plan, as Markdown"}
  },
  "required": ["plan"],
  "additionalProperties": true
})";

constexpr std::string_view kNoInput =
    R"({"type": "object", "properties": {}, "additionalProperties": false})";

constexpr std::string_view kNotPlanning =
    "You are not in plan mode. EnterPlanMode switches to it; if a plan was approved, carry it out.";

constexpr std::string_view kPlanNote =
    "Plan mode is on: the user wants a plan before anything is changed. Change no file and run no "
    "command with effects. Read and search what you need,";

/// `"Which?"="A", "Why?"="B"`.
std::string answer_list(const Document& answers) {
  std::string list;
  if (!answers.is_object()) return list;
  for (const auto& [question, answer] : answers.items()) {
    if (!list.empty()) list += ", ";
    const auto text = answer.is_string() ? answer.get<std::string>() : json::write(answer);
    list += fmt::format("\"{}\"=\"{}\"", question, text);
  }
  return list;
}

}  // namespace

std::string plan_mode_note(bool can_present) {
  return fmt::format("{} {}", kPlanNote,
                     can_present
                         ? "then call ExitPlanMode with the plan."
                         : "then give the plan as your answer; the user carries it out later.");
}

std::string_view QuestionTool::description() const { return kQuestionDescription; }
std::string_view QuestionTool::schema() const { return kQuestionSchema; }

Access QuestionTool::access(const Document&, const tool::Workspace&) const {
  return {.kind = Access::Kind::question, .path = {}, .command = {}};
}

tool::Outcome QuestionTool::run(const Document& input, const Access&, tool::Workspace&,
                                const std::stop_token&) const {
  const auto& answers = json::member(input, "answers");
  Document detail{{"questions", json::member(input, "questions")},
                  {"answers", answers.is_object() ? answers : Document::object()}};
  const auto& annotations = json::member(input, "annotations");
  if (annotations.is_object()) detail["annotations"] = annotations;
  const auto list = answer_list(answers);
  if (list.empty()) return tool::success("The user did not answer the questions.", detail);
  auto text = fmt::format("The user has answered your questions: {}. Continue accordingly.", list);
  if (annotations.is_object() && !annotations.empty()) {
    text += fmt::format(" Notes of the user: {}", json::write(annotations));
  }
  return tool::success(text, detail);
}

std::string_view EnterPlanTool::description() const { return kEnterDescription; }
std::string_view EnterPlanTool::schema() const { return kNoInput; }

Access EnterPlanTool::access(const Document&, const tool::Workspace&) const {
  return {.kind = Access::Kind::session, .path = {}, .command = {}};
}

tool::Outcome EnterPlanTool::run(const Document&, const Access&, tool::Workspace&,
                                 const std::stop_token&) const {
  if (modes_.mode() != Mode::plan) modes_.set(Mode::plan);
  return tool::success(kEntered, {{"message", "Plan mode is on."}});
}

std::string_view ExitPlanTool::description() const { return kExitDescription; }
std::string_view ExitPlanTool::schema() const { return kExitSchema; }

/// Outside of plan mode there is nothing to ask the user.
Access ExitPlanTool::access(const Document&, const tool::Workspace&) const {
  const bool planning = modes_.mode() == Mode::plan;
  return {
      .kind = planning ? Access::Kind::question : Access::Kind::session, .path = {}, .command = {}};
}

/// The answer of the user may have set another mode already.
tool::Outcome ExitPlanTool::run(const Document& input, const Access& access, tool::Workspace&,
                                const std::stop_token&) const {
  if (access.kind != Access::Kind::question) return tool::misuse(kNotPlanning);
  modes_.leave_plan();
  return tool::success("The user has approved the plan. Plan mode is off; carry the plan out.",
                       {{"plan", json::text(input, "plan")}, {"isAgent", false}});
}

}  // namespace ralph::session
