#include "agent/session/todo_tools.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "agent/tool/input.h"
#include "core/json/field.h"

namespace ralph::session {

using json::Document;

struct TodoToolKind {
  std::string_view name, description, schema;
  tool::Outcome (*run)(TodoList& list, const Document& input);
};

namespace {

constexpr std::string_view kNotFound = "Task not found";

tool::Outcome create(TodoList& list, const Document& input) {
  const auto entry = list.create(input);
  if (!entry) return tool::failure(entry.error());
  const auto id = json::text(*entry, "id");
  const auto subject = json::text(*entry, "subject");
  return tool::success(
      fmt::format("Task #{} created successfully: {}", id, subject),
      {{"task",
        {{"id", id}, {"subject", subject}, {"description", json::text(*entry, "description")}}}});
}

/// "\nBlocked by: #1, #2"; empty: none.
std::string line_of(std::string_view title, const Document& ids) {
  std::string line;
  for (const auto& id : json::texts(ids)) {
    line += fmt::format("{}#{}", line.empty() ? fmt::format("\n{}: ", title) : ", ", id);
  }
  return line;
}

tool::Outcome get(TodoList& list, const Document& input) {
  const auto entry = list.find(json::text(input, "taskId"));
  if (!entry) return tool::success(kNotFound, {{"task", nullptr}});
  Document shown;
  for (const auto* const key : {"id", "subject", "description", "status", "blocks", "blockedBy"}) {
    shown[key] = json::member(*entry, key);
  }
  auto text = fmt::format("Task #{}: {}\nStatus: {}\nDescription: {}", json::text(shown, "id"),
                          json::text(shown, "subject"), json::text(shown, "status"),
                          json::text(shown, "description"));
  text += line_of("Blocked by", shown["blockedBy"]) + line_of("Blocks", shown["blocks"]);
  return tool::success(text, {{"task", shown}});
}

/// Those that are not completed.
Document open_blockers(const Document& entry, const std::vector<Document>& all) {
  auto blockers = Document::array();
  for (const auto& id : json::member(entry, "blockedBy")) {
    const bool open = std::ranges::any_of(all, [&](const Document& other) {
      return json::member(other, "id") == id && json::text(other, "status") != "completed";
    });
    if (open) blockers.push_back(id);
  }
  return blockers;
}

tool::Outcome show_all(TodoList& list, const Document&) {
  const auto all = list.all();
  auto shown = Document::array();
  std::string text;
  for (const auto& entry : all) {
    Document brief;
    for (const auto* const key : {"id", "subject", "status"}) brief[key] = entry.at(key);
    const auto owner = json::text(entry, "owner");
    if (!owner.empty()) brief["owner"] = owner;
    brief["blockedBy"] = open_blockers(entry, all);
    const auto blockers = json::texts(brief["blockedBy"]);
    text += fmt::format(
        "{}#{} [{}] {}{}{}", text.empty() ? "" : "\n", json::text(entry, "id"),
        json::text(entry, "status"), json::text(entry, "subject"),
        owner.empty() ? "" : fmt::format(" ({})", owner),
        blockers.empty() ? "" : fmt::format(" [blocked by #{}]", fmt::join(blockers, ", #")));
    shown.push_back(std::move(brief));
  }
  return tool::success(text.empty() ? "No tasks found" : text, {{"tasks", shown}});
}

tool::Outcome update(TodoList& list, const Document& input) {
  const auto id = json::text(input, "taskId");
  const auto done = list.update(id, input);
  if (!done) return tool::failure(done.error());
  const auto& changed = *done;
  if (!changed) {
    return tool::success(kNotFound, {{"success", false},
                                     {"taskId", id},
                                     {"updatedFields", Document::array()},
                                     {"error", kNotFound}});
  }
  Document detail{{"success", true}, {"taskId", id}, {"updatedFields", changed->fields}};
  if (!changed->new_status.empty()) {
    detail["statusChange"] = {{"from", changed->old_status}, {"to", changed->new_status}};
  }
  return tool::success(fmt::format("Updated task #{} {}", id, fmt::join(changed->fields, ", ")),
                       detail);
}

constexpr std::string_view kCreateSchema = R"({"type":"object","properties":{
"subject":{"type":"string","description":"The task in a few words"},
"description":{"type":"string","description":"What has to be done"},
"activeForm":{"type":"string","description":"The same while it is being done: \"Running tests\""},
"metadata":{"type":"object"}},
"required":["subject"],"additionalProperties":false})";

constexpr std::string_view kGetSchema = R"({"type":"object","properties":{
"taskId":{"type":"string"}},"required":["taskId"],"additionalProperties":false})";

constexpr std::string_view kListSchema =
    R"({"type":"object","properties":{},"additionalProperties":false})";

constexpr std::string_view kUpdateSchema = R"({"type":"object","properties":{
"taskId":{"type":"string"},
"status":{"type":"string","enum":["pending","in_progress","completed","deleted"]},
"subject":{"type":"string"},
"description":{"type":"string"},
"activeForm":{"type":"string"},
"addBlocks":{"type":"array","items":{"type":"string"},"description":"Tasks that wait for this one"},
"addBlockedBy":{"type":"array","items":{"type":"string"},"description":"Tasks this one waits for"},
"owner":{"type":"string"},
"metadata":{"type":"object","description":"Keys to set; null removes a key"}},
"required":["taskId"],"additionalProperties":false})";

constexpr TodoToolKind kKinds[] = {
    {"TaskCreate",
     "Adds a task to the to-do list of this session. Keep a list for work with three or more "
     "steps, or when the user gives you several tasks; not for a single small one.",
     kCreateSchema, create},
    {"TaskGet", "Shows one task of the to-do list with its description.", kGetSchema, get},
    {"TaskList", "Shows the to-do list: the state of each task, and what it waits for.",
     kListSchema, show_all},
    {"TaskUpdate",
     "Changes a task of the to-do list. Set a task to in_progress before you begin it, and to "
     "completed as soon as it is done, not before; \"deleted\" removes it.",
     kUpdateSchema, update},
};

}  // namespace

std::string_view TodoTool::name() const { return kind_.name; }
std::string_view TodoTool::description() const { return kind_.description; }
std::string_view TodoTool::schema() const { return kind_.schema; }

tool::Outcome TodoTool::run(const Document& input, const tool::Access&, tool::Workspace&,
                            const std::stop_token&) const {
  return kind_.run(list_, input);
}

TodoTools::TodoTools(std::filesystem::path folder, const Identity& identity)
    : list_(std::move(folder), identity),
      tools_{TodoTool(list_, kKinds[0]), TodoTool(list_, kKinds[1]), TodoTool(list_, kKinds[2]),
             TodoTool(list_, kKinds[3])} {}

}  // namespace ralph::session
