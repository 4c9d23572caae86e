#include "cli/loop_facts.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "harness/run/versions.h"
#include "system/git/program.h"
#include "ui/console/figures.h"

namespace ralph::cli {
namespace {

using console::counted;
using console::dollars;

/// "2.1.325" of "2.1.325 (Claude Code)"; empty: not known.
std::string version_of(const run::Request& request) {
  const auto& backend = *request.backend;
  if (backend.program == backend::kOwnProgram) return RALPH_VERSION;
  if (backend.program.empty()) return {};
  const auto program = backend::find_program(backend.program, request.host);
  if (!program) return {};
  const auto line = run::Versions(run::Versions::usual_cache(request.host)).known(*program);
  return line.substr(0, line.find(' '));
}

std::string agent_of(const run::Request& request) {
  const auto version = version_of(request);
  return version.empty() ? request.agent_name : request.agent_name + " " + version;
}

std::string sandbox_of(const backend::Host& host) {
  if (!host.sandboxed()) return "no sandbox";
  return host.sandbox == backend::SandboxLevel::strict ? "strict sandbox" : "in a sandbox";
}

std::string limits_of(const store::LoopLimits& budget, bool reports_cost) {
  std::vector<std::string> limits;
  if (budget.iterations > 0) limits.push_back(counted(budget.iterations, "iteration"));
  if (budget.time > Millis::zero()) limits.push_back(format_duration(budget.time));
  if (budget.cost_usd) limits.push_back(dollars(*budget.cost_usd));
  if (budget.cost_per_day_usd) limits.push_back(dollars(*budget.cost_per_day_usd) + " a day");
  auto text = limits.empty() ? "none" : fmt::format("{}", fmt::join(limits, ", "));
  if (!reports_cost) text += "; no cost limit: this agent does not report its cost";
  return text;
}

}  // namespace

console::LoopFacts facts_of(const loop::Setup& setup) {
  const auto& request = setup.request;
  console::LoopFacts facts;
  facts.agent = agent_of(request);
  if (request.backend->can.model) facts.model = request.ask.model;
  facts.sandbox = sandbox_of(request.host);
  facts.reports_cost =
      request.backend->can.cost || request.ask.output == backend::Output::stream_json;
  facts.limits = limits_of(setup.options.budget, facts.reports_cost);
  facts.commits = setup.options.commit ? "a commit after every iteration" : "no commits";
  facts.has_git = git::Program::find().has_value();
  facts.resumed = setup.resumed;
  return facts;
}

}  // namespace ralph::cli
