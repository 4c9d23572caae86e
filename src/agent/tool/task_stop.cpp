#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/tool/background.h"
#include "agent/tool/builtin_tools.h"
#include "agent/tool/input.h"
#include "core/json/field.h"

namespace ralph::tool {
namespace {

class TaskStop final : public Tool {
 public:
  std::string_view name() const override { return "TaskStop"; }
  std::string_view description() const override {
    return "Ends a command or a subagent that works in the background. A message tells you when it "
           "has ended.";
  }
  std::string_view schema() const override {
    return R"({"type":"object","properties":{)"
           R"("task_id":{"type":"string","description":"The id of the task"},)"
           R"("shell_id":{"type":"string","description":"The same, for a command"}},)"
           R"("additionalProperties":false})";
  }
  Access access(const json::Document&, const Workspace&) const override {
    return {Access::Kind::session, {}, {}};
  }
  Outcome run(const json::Document& input, const Access&, Workspace& workspace,
              const std::stop_token&) const override {
    auto id = json::text(input, "task_id");
    if (id.empty()) id = json::text(input, "shell_id");
    if (id.empty()) return misuse("The required parameter `task_id` is missing.");
    auto* const tasks = workspace.setup().tasks;
    const auto running = tasks == nullptr ? std::vector<BackgroundTask>() : tasks->list();
    const auto task = std::ranges::find(running, id, &BackgroundTask::task_id);
    if (task == running.end() || !tasks->end(id, Ender::parent)) {
      return misuse(fmt::format("No task with the id '{}' is running.", id));
    }
    return success(fmt::format("Task {} was asked to end.", id),
                   {{"task_id", id},
                    {"task_type", task->is_subagent() ? "local_agent" : "local_bash"},
                    {"command", task->description}});
  }
};

}  // namespace

const Tool& task_stop_tool() {
  static const TaskStop tool;
  return tool;
}

}  // namespace ralph::tool
