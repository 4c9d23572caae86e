#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/trial/execution.h"
#include "bench/trial/test_case.h"
#include "core/base/mask.h"
#include "core/base/result.h"
#include "harness/backend/agent_type.h"
#include "harness/backend/plan.h"
#include "harness/run/control.h"
#include "harness/run/request.h"
#include "harness/stream/handler.h"

namespace ralph::trial {

/// What an agent is run with.
struct ExecutionContext {
  std::filesystem::path workspace;  // the agent's working directory
  std::filesystem::path artifacts;  // logs, state
  std::vector<std::string> environment;
  bool is_root = false;
  backend::SandboxLevel sandbox = backend::SandboxLevel::off;
  Millis timeout{0};
};

/// Who follows a run while it goes on.
struct Watchers {
  std::vector<stream::Handler*> handlers;
  std::function<void()> flush = [] {};
  std::function<void(Millis)> set_drain_timeout = [](Millis) {};
};

/// What is wrong with the type of an agent; empty: nothing.
std::string unknown_agent_type(std::string_view type);
/// Whether a case must give the command of an agent of this type.
bool needs_command(std::string_view type);

/// Runs the agent of a test case through a backend of ralph and puts what it did into one form.
class Adapter {
 public:
  /// Code::usage: there is no such agent type.
  static Result<Adapter> find(const AgentSpec& spec);

  std::string_view name() const { return spec_->type; }
  std::string_view product() const { return type_.product; }
  bool is_own_agent() const { return backend_->program == backend::kOwnProgram; }

  /// Before anything is cloned: the program is installed, a credential exists, the options fit together.
  Result<> check_availability(const ExecutionContext& context) const;

  /// Runs the agent once, to its end or its timeout: no retries, no limit on silence, denied tool calls do not end it.
  Result<Execution> execute(const ExecutionContext& context, const Watchers& watchers,
                            run::Control& control, const Masker& masker) const;

  /// The command line, for debug output.
  Result<std::vector<std::string>> command_line(const ExecutionContext& context) const;

 private:
  Adapter(const AgentSpec& spec, backend::AgentType type, const backend::Backend& backend)
      : spec_(&spec), type_(type), backend_(&backend) {}
  backend::Ask make_ask(const ExecutionContext& context) const;
  run::Request make_request(const ExecutionContext& context) const;
  Result<backend::Plan> plan(const ExecutionContext& context) const;

  const AgentSpec* spec_;
  backend::AgentType type_;
  const backend::Backend* backend_;
};

}  // namespace ralph::trial
