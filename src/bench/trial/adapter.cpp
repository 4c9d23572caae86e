#include "bench/trial/adapter.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/id.h"
#include "harness/backend/credentials.h"
#include "harness/run/run.h"
#include "harness/stream/decoder.h"

namespace ralph::trial {
namespace {

/// Between SIGTERM and SIGKILL at the end of a trial.
constexpr Millis kGrace{300};

std::string known_types() {
  std::vector<std::string_view> names;
  for (const auto& type : backend::agent_types()) names.push_back(type.name);
  for (const auto* backend : backend::backends()) names.push_back(backend->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

backend::Host host_of(const AgentSpec& spec, const ExecutionContext& context) {
  backend::Host host;
  host.workspace = context.workspace;
  host.environment = context.environment;
  for (const auto& pair : spec.env) host.own_env.push_back({pair.name, pair.value});
  host.is_root = context.is_root;
  host.sandbox = context.sandbox;
  host.project_root = context.artifacts;
  host.log_dir = context.artifacts / ".ralph" / "logs";
  return host;
}

}  // namespace

std::string unknown_agent_type(std::string_view type) {
  if (backend::find_agent_type(type)) return {};
  return fmt::format("unknown agent '{}' (known types: {})", type, known_types());
}

bool needs_command(std::string_view type) {
  const auto found = backend::find_agent_type(type);
  return found && found->name == found->backend &&
         backend::find_backend(found->backend)->program.empty();
}

Result<Adapter> Adapter::find(const AgentSpec& spec) {
  if (const auto type = backend::find_agent_type(spec.type)) {
    return Adapter(spec, *type, *backend::find_backend(type->backend));
  }
  return fail(Code::usage, "agent.type: " + unknown_agent_type(spec.type));
}

backend::Ask Adapter::make_ask(const ExecutionContext& context) const {
  const bool plain = type_.command != nullptr;
  backend::Ask ask;
  ask.prompt = spec_->prompt;
  ask.verbatim_prompt = true;
  ask.command = plain ? type_.command({spec_->model, spec_->agent_name, context.workspace,
                                       context.artifacts / type_.logs})
                      : spec_->command;
  ask.extra_args = spec_->extra_args;
  ask.output = backend::output_named(spec_->output_format);
  if (plain) return ask;
  ask.model = spec_->model;
  ask.agent_name = spec_->agent_name;
  ask.system_prompt = spec_->system_prompt;
  ask.append_system_prompt = spec_->append_system_prompt;
  ask.permission_mode = spec_->permission_mode;
  ask.tools = spec_->allowed_tools;
  ask.approves_tools = true;
  ask.partial_messages = true;
  ask.mcp_config = spec_->mcp_config;
  if (backend_->can.json_schema) ask.json_schema = spec_->answer_schema;
  if (spec_->only_reads && backend_->can.tool_lists) {
    ask.tools.assign(backend_->tools.summarizer.begin(), backend_->tools.summarizer.end());
    ask.permission_mode = backend_->permissions.default_mode;
  }
  return ask;
}

Result<backend::Plan> Adapter::plan(const ExecutionContext& context) const {
  return backend::plan(*backend_, make_ask(context), host_of(*spec_, context), "check");
}

Result<std::vector<std::string>> Adapter::command_line(const ExecutionContext& context) const {
  TRY_ASSIGN(const auto made, plan(context));
  return made.command.argv;
}

Result<> Adapter::check_availability(const ExecutionContext& context) const {
  if (needs_command(spec_->type) && spec_->command.empty()) {
    return fail(
        Code::usage, fmt::format("agent.config.command: Required for the type {}", spec_->type),
        "give the command as a list of words; {prompt} stands for the prompt, otherwise it is "
        "on stdin");
  }
  const auto made = plan(context);
  if (!made && backend::refuses_root(*backend_, make_ask(context), host_of(*spec_, context))) {
    const auto& permissions = backend_->permissions;
    return fail(
        Code::usage, made.error().message,
        fmt::format("set agent.config.permission_mode (such as {}), set {}=1 in a container "
                    "you trust, use --sandbox, or run as an ordinary user",
                    permissions.edit_mode, permissions.sandbox_variable));
  }
  if (!made) return std::unexpected(made.error());
  if (backend_->access.credentials == nullptr) return {};
  if (!backend_->access.credentials(host_of(*spec_, context)).empty()) return {};
  return fail(Code::permission,
              fmt::format("{} requires authentication. {}", type_.product, type_.login));
}

run::Request Adapter::make_request(const ExecutionContext& context) const {
  run::Request request;
  request.run_id = make_run_id();
  request.backend = backend_;
  request.agent_name = type_.product;
  request.ask = make_ask(context);
  request.host = host_of(*spec_, context);
  request.mode = "trial";
  request.log_dir = request.host.log_dir;
  request.limits.wall = context.timeout;
  request.denials_allowed = true;
  request.max_line = stream::Decoder::kMaxLine;
  request.keeps_session = false;
  request.keeps_budget = false;
  request.durable_logs = false;
  request.end_policy.grace = kGrace;
  return request;
}

}  // namespace ralph::trial
