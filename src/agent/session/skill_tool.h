#pragma once
#include <string>

#include "agent/instructions/skills.h"
#include "agent/tool/tool.h"

namespace ralph::session {

/// The tool that loads a skill. Its description lists the skills that the model may call.
class SkillTool final : public tool::Tool {
 public:
  /// `skills` outlives it.
  explicit SkillTool(const instructions::Skills& skills);

  std::string_view name() const override { return "Skill"; }
  std::string_view description() const override { return description_; }
  std::string_view schema() const override;
  bool is_parallel(const json::Document&) const override { return true; }
  permission::Access access(const json::Document&, const tool::Workspace&) const override {
    return {permission::Access::Kind::session, {}, {}};
  }
  tool::Outcome run(const json::Document& input, const permission::Access& access,
                    tool::Workspace& workspace, const std::stop_token& stop) const override;

 private:
  const instructions::Skills& skills_;
  std::string description_;
};

}  // namespace ralph::session
