#pragma once
#include <array>
#include <filesystem>
#include <span>

#include "agent/session/todo_list.h"
#include "agent/tool/tool.h"

namespace ralph::session {

/// A row of the table of tools for the to-do list.
struct TodoToolKind;

/// TaskCreate, TaskGet, TaskList or TaskUpdate.
class TodoTool final : public tool::Tool {
 public:
  TodoTool(TodoList& list, const TodoToolKind& kind) : list_(list), kind_(kind) {}

  std::string_view name() const override;
  std::string_view description() const override;
  std::string_view schema() const override;
  tool::Access access(const json::Document& /*input*/,
                      const tool::Workspace& /*workspace*/) const override {
    return {.kind = tool::Access::Kind::session, .path = {}, .command = {}};
  }
  tool::Outcome run(const json::Document& input, const tool::Access& access,
                    tool::Workspace& workspace, const std::stop_token& stop) const override;

 private:
  TodoList& list_;
  const TodoToolKind& kind_;
};

/// The to-do list of a session, and the tools that work on it.
class TodoTools {
 public:
  TodoTools(std::filesystem::path folder, const Identity& identity);
  std::span<const TodoTool> all() const { return tools_; }

 private:
  TodoList list_;
  std::array<TodoTool, 4> tools_;
};

}  // namespace ralph::session
