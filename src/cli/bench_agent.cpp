// How `bench run` and `bench eval` run agents: that of the test case, and those of judges.
#include <array>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/environment.h"

namespace ralph::cli {
namespace {

namespace fs = std::filesystem;

/// Where agents are defined in a project.
constexpr std::string_view kAgentFolders[] = {".github/agents", ".claude/agents"};

}  // namespace

trial::ExecutionContext bench_context(const Arguments& arguments, const fs::path& workspace,
                                      const fs::path& artifacts) {
  trial::ExecutionContext context;
  context.workspace = workspace;
  context.artifacts = artifacts;
  context.environment = environment();
  context.is_root = ::geteuid() == 0;
  if (arguments.flag("sandbox")) context.sandbox = backend::SandboxLevel::on;
  return context;
}

std::vector<std::string> copy_agent_files(const fs::path& target, bool replace) {
  const auto options =
      replace ? fs::copy_options::overwrite_existing : fs::copy_options::skip_existing;
  std::vector<std::string> copied;
  for (const auto folder : kAgentFolders) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const auto name = (fs::path(folder) / entry.path().filename()).generic_string();
      if (!entry.is_regular_file(error)) continue;
      fs::create_directories((target / name).parent_path(), error);
      if (fs::copy_file(entry.path(), target / name, options, error)) copied.push_back(name);
    }
  }
  return copied;
}

Result<> check_judges(const std::vector<trial::GraderSpec>& specs,
                      const trial::ExecutionContext& context) {
  for (const auto& spec : specs) {
    const auto agent = grade::judge_of(spec);
    if (!agent) continue;
    const auto adapter = trial::Adapter::find(*agent);
    const auto usable =
        adapter ? adapter->check_availability(context) : Result<>(std::unexpected(adapter.error()));
    if (usable) continue;
    return fail(usable.error().code,
                fmt::format("evaluator '{}': {}", spec.name, usable.error().message),
                usable.error().hint);
  }
  return {};
}

grade::AgentRunner judge_runner(const Arguments& arguments, run::Control& control,
                                const Masker& masker) {
  return [&](const trial::AgentSpec& spec, const fs::path& folder, const fs::path& logs,
             Millis timeout) -> Result<trial::Execution> {
    TRY_ASSIGN(const auto adapter, trial::Adapter::find(spec));
    auto context = bench_context(arguments, folder, logs);
    context.timeout = timeout;
    TRY(adapter.check_availability(context));
    if (!spec.agent_name.empty()) copy_agent_files(folder, true);
    return adapter.execute(context, {}, control, masker);
  };
}

}  // namespace ralph::cli
