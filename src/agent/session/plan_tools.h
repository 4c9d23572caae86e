#pragma once
#include "agent/session/mode_switch.h"
#include "agent/tool/tool.h"

namespace ralph::session {

// Tools for sessions with a user who can be asked.

/// Puts questions to the user. Whoever answers the permission request adds the answers to its input.
class QuestionTool final : public tool::Tool {
 public:
  std::string_view name() const override { return "AskUserQuestion"; }
  std::string_view description() const override;
  std::string_view schema() const override;
  tool::Access access(const json::Document& input, const tool::Workspace& workspace) const override;
  tool::Outcome run(const json::Document& input, const tool::Access& access,
                    tool::Workspace& workspace, const std::stop_token& stop) const override;
};

/// Switches to plan mode, in which nothing is changed.
class EnterPlanTool final : public tool::Tool {
 public:
  /// `modes` outlives it.
  explicit EnterPlanTool(ModeSwitch& modes) : modes_(modes) {}

  std::string_view name() const override { return "EnterPlanMode"; }
  std::string_view description() const override;
  std::string_view schema() const override;
  tool::Access access(const json::Document& input, const tool::Workspace& workspace) const override;
  tool::Outcome run(const json::Document& input, const tool::Access& access,
                    tool::Workspace& workspace, const std::stop_token& stop) const override;

 private:
  ModeSwitch& modes_;
};

/// Presents a plan; the user's approval ends plan mode.
class ExitPlanTool final : public tool::Tool {
 public:
  /// `modes` outlives it.
  explicit ExitPlanTool(ModeSwitch& modes) : modes_(modes) {}

  std::string_view name() const override { return "ExitPlanMode"; }
  std::string_view description() const override;
  std::string_view schema() const override;
  tool::Access access(const json::Document& input, const tool::Workspace& workspace) const override;
  tool::Outcome run(const json::Document& input, const tool::Access& access,
                    tool::Workspace& workspace, const std::stop_token& stop) const override;

 private:
  ModeSwitch& modes_;
};

/// What the model is told at the beginning of a turn in plan mode. `can_present`: with ExitPlanMode.
std::string plan_mode_note(bool can_present);

}  // namespace ralph::session
