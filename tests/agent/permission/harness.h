#pragma once
#include <string>
#include <string_view>

#include "agent/permission/decide.h"
#include "agent/tool/background.h"
#include "agent/tool/builtin_tools.h"
#include "agent/tool/harness.h"

namespace ralph::permission {

using namespace tool;  // decisions are tested on the calls of real tools

/// Stands for Bash: only its name and what it would run count here.
class Shell final : public Tool {
 public:
  std::string_view name() const override { return "Bash"; }
  std::string_view description() const override { return ""; }
  std::string_view schema() const override { return "{}"; }
  Access access(const Document& input, const Workspace&) const override {
    return {Access::Kind::run, {}, input["command"].get<std::string>()};
  }
  Outcome run(const Document&, const Access&, Workspace&, const std::stop_token&) const override {
    return {};
  }
};

struct Judge {
  Desk desk;
  Rules rules;
  Shell shell;

  Decision ask(const Tool& tool, const Document& input, Mode mode) {
    return decide(tool, input, tool.access(input, desk.workspace()), mode, rules, desk.workspace());
  }
  Decision run(std::string_view command, Mode mode = Mode::standard) {
    return ask(shell, {{"command", command}}, mode);
  }
  Decision read(std::string_view path, Mode mode = Mode::standard) {
    return ask(read_tool(), {{"file_path", path}}, mode);
  }
  Decision write(std::string_view path, Mode mode = Mode::standard) {
    return ask(write_tool(), {{"file_path", path}, {"content", ""}}, mode);
  }
};

}  // namespace ralph::permission
