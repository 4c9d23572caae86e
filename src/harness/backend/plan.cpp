#include "harness/backend/plan.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "core/base/contains.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "harness/backend/command_line_impl.h"
#include "harness/backend/credentials.h"

namespace ralph::backend {
namespace {

namespace fs = std::filesystem;
using process::Transport;

Result<> check_prompt(std::string_view prompt) {
  if (is_blank(prompt, " \t\r\n\v\f")) {
    return fail(Code::usage, prompt.empty() ? "the prompt is empty" : "the prompt is blank",
                "give the prompt with -p TEXT or -P FILE");
  }
  if (const auto at = prompt.find('\0'); at != std::string_view::npos) {
    return fail(Code::usage, fmt::format("the prompt has a NUL byte at offset {}", at),
                "agents accept text only; check the file");
  }
  return {};
}

/// A request that not every backend can honour.
struct Requirement {
  bool asked;
  bool possible;
  std::string_view problem;  // "backend 'custom' …"
  std::string_view hint;
};

Result<> check_capabilities(const Backend& backend, const Ask& ask, Output output,
                            bool has_loop_guard) {
  const Capabilities& can = backend.can;
  const auto requirements = std::to_array<Requirement>({
      {!ask.model.empty(), can.model, "has no model option", "put the model into --command"},
      {!ask.system_prompt.empty(), can.system_prompt, "has no system prompt option",
       "put the system prompt into --command"},
      {!ask.append_system_prompt.empty(), can.append_system_prompt, "has no system prompt option",
       "put the system prompt into --command"},
      {!ask.tools.empty(), can.tool_lists, "has no option for allowed tools",
       "put the allowed tools into --command"},
      {!ask.permission_mode.empty(), can.permission_mode, "has no permission mode option",
       "put the permission mode into --command"},
      {!ask.resume.empty(), can.resume, "cannot resume a session", "remove --resume"},
      {ask.max_turns.has_value(), can.max_turns, "has no option for a turn limit",
       "put the turn limit into --command"},
      {!ask.json_schema.empty(), can.json_schema, "has no option for a result schema",
       "remove the schema"},
      {!ask.effort.empty(), can.effort, "has no effort option", "put the effort into --command"},
      {!ask.agent_name.empty(), can.agent_name, "has no named agents", "remove agent_name"},
      {!ask.mcp_config.empty(), can.mcp_config, "has no option for MCP servers",
       "remove mcp_config"},
      {ask.needs_loop_guard, has_loop_guard, "has no loop guard: only ralph's own agent has one",
       "remove --loop-guard (the setting loop_guard), or use '--backend builtin'"},
      {ask.conversation, can.conversation, "accepts no messages while it runs",
       "use another backend"},
      {ask.auth != Auth::automatic, !backend.access.key_variable.empty(),
       "has no option for the credential", "remove --auth"},
  });
  for (const Requirement& one : requirements) {
    if (!one.asked || one.possible) continue;
    return fail(Code::usage, fmt::format("backend '{}' {}", backend.name, one.problem),
                std::string(one.hint));
  }
  if (ask.max_cost && !can.cost && output != Output::stream_json) {
    return fail(
        Code::usage,
        fmt::format(
            "backend '{}' cannot enforce a cost limit: plain text output does not report the cost",
            backend.name),
        "remove max_cost, or set 'output_format: stream-json' if the command prints stream-json");
  }
  return {};
}

Result<> check_command(const Backend& backend, const Ask& ask) {
  if (ask.command.empty() || ask.command.front().empty()) {
    return fail(Code::usage, fmt::format("backend '{}' has no command to run", backend.name),
                "set 'command' in ralph.yml, or give --command");
  }
  if (mentions(ask.command, kPromptMark) && mentions(ask.command, kPromptFileMark)) {
    return fail(Code::usage, "the command has both {prompt} and {prompt_file}", "use one of them");
  }
  return {};
}

/// After a "--" ralph's options, such as the list of tools, would be words of the prompt.
Result<> check_extra_args(const Backend& backend, const Ask& ask) {
  if (!contains(ask.extra_args, "--")) return {};
  return fail(Code::usage, fmt::format("the extra arguments for {} have a '--'", backend.program),
              "remove it: the prompt is given with -p or -P, everything else is an option");
}

/// How the prompt reaches the agent.
struct Route {
  Delivery delivery;
  Transport transport;
};

Result<Route> route_of_command(const Ask& ask, bool is_long) {
  const auto transport = ask.transport.value_or(Transport::pipe);
  if (mentions(ask.command, kPromptFileMark)) return Route{Delivery::file, transport};
  if (mentions(ask.command, kPromptMark)) {
    return Route{is_long ? Delivery::file : Delivery::argument, transport};
  }
  if (transport == Transport::pty) {
    return fail(
        Code::usage,
        "the command reads its prompt from stdin, which cannot be a PTY: a raw PTY cannot signal "
        "the end of input",
        "use '--transport pipe', or put {prompt} or {prompt_file} into the command");
  }
  return Route{Delivery::standard_in, Transport::pipe};
}

/// An agent would read a prompt with a leading "-" as an option.
Route verbatim_route(const Backend& backend, const Ask& ask) {
  const bool is_option = ask.prompt.starts_with('-') && !backend.program.empty();
  const bool marked = backend.program.empty() ? mentions(ask.command, kPromptMark)
                                              : backend.delivery == Delivery::argument;
  const bool fits = ask.prompt.size() <= kLongestWord && !is_option;
  return {marked && fits ? Delivery::argument : Delivery::standard_in, Transport::pipe};
}

Result<Route> route_of(const Backend& backend, const Ask& ask) {
  if (ask.verbatim_prompt) return verbatim_route(backend, ask);
  if (ask.conversation) return Route{Delivery::stream_json, Transport::pipe};
  const bool is_long = utf8::count(ask.prompt) > kLongestArgument;
  if (backend.program.empty()) return route_of_command(ask, is_long);
  const Route by_stdin{Delivery::standard_in, Transport::pipe};
  if (ask.transport == Transport::pipe) return by_stdin;
  const auto transport = ask.transport.value_or(backend.transport);
  if (!is_long) return Route{backend.delivery, transport};
  const bool reads = std::ranges::any_of(backend.tools.read_files,
                                         [&](auto tool) { return contains(ask.tools, tool); });
  if (ask.tools.empty() || reads) {
    return Route{Delivery::file, transport};
  }
  if (!ask.transport) return by_stdin;
  return fail(
      Code::usage,
      fmt::format("a prompt of more than {} characters is passed in a file, and no allowed tool "
                  "can read it",
                  kLongestArgument),
      fmt::format("use '--transport pipe', or allow the tool {}",
                  backend.tools.read_files.empty() ? "" : backend.tools.read_files.front()));
}

/// A leading "/" would be a slash command, a leading "-" of an argument an option; a newline before
/// it prevents that.
std::string guarded(const Ask& ask, bool is_argument) {
  const std::string& prompt = ask.prompt;
  if (ask.verbatim_prompt) return prompt;
  const char first = prompt.front();
  return first == '/' || (is_argument && first == '-') ? "\n" + prompt : prompt;
}

std::string order_to_read(const fs::path& file) {
  return fmt::format(
      "Read the whole file '{}' (in parts if it is long) and do what it says: it is your prompt.",
      file.string());
}

void set_prompt(Draft& draft, const Host& host, std::string_view run_id, Plan& plan) {
  const std::string& prompt = draft.ask.prompt;
  switch (draft.delivery) {
    case Delivery::argument: draft.prompt_word = guarded(draft.ask, true); break;
    case Delivery::standard_in:
      plan.command.input = process::StdinText{guarded(draft.ask, false)};
      return;
    case Delivery::stream_json:
      plan.command.input =
          process::StdinOpen{draft.backend.encode_message(guarded(draft.ask, false))};
      return;
    case Delivery::file: {
      const auto name = fs::path(".ralph") / "tmp" / fmt::format("prompt-{}.md", run_id);
      plan.prompt_file = PromptFile{host.root() / name, prompt};
      draft.prompt_file = plan.prompt_file->path.string();
      const bool outside = host.root() != host.workspace;
      draft.prompt_word = order_to_read(outside ? plan.prompt_file->path : name);
      if (outside) draft.prompt_folder = plan.prompt_file->path.parent_path().string();
      break;
    }
  }
  if (draft.transport == Transport::pty && draft.backend.open_stdin) {
    plan.command.input = process::StdinOpen{};
  }
}

Result<> check_lengths(const std::vector<std::string>& argv) {
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (argv[i].size() <= kLongestWord) continue;
    const std::string& option = argv[i - (i > 0 ? 1 : 0)];
    const bool is_prompt = option.ends_with("-system-prompt") && option.starts_with("--");
    return fail(
        Code::usage,
        fmt::format("{} has {} bytes; one argument may have {}",
                    option.starts_with("--") ? fmt::format("the value of {}", option)
                                             : fmt::format("argument {}", i),
                    argv[i].size(), kLongestWord),
        is_prompt
            ? fmt::format("shorten it, or put it into a file and give '-- {}-file FILE'", option)
            : "shorten it, or put it into a file");
  }
  return {};
}

void set_api_key(const Draft& draft, const Host& host, Plan& plan) {
  if (!hides_key(draft.backend, draft.ask.auth, host)) return;
  const auto name = std::string(draft.backend.access.key_variable);
  plan.command.env.push_back({name, ""});
  if (draft.ask.auth == Auth::login) return;
  plan.notes.push_back(
      fmt::format("using the stored login, not {} ('--auth api-key' uses the key)", name));
}

void set_environment(const Draft& draft, const Host& host, Plan& plan) {
  auto& env = plan.command.env;
  env = host.workspace_env;
  for (const auto name : draft.backend.removed_variables) {
    env.push_back({std::string(name), std::nullopt});
  }
  env.insert(env.end(), host.own_env.begin(), host.own_env.end());
  set_api_key(draft, host, plan);
}

bool skips_permissions(const Backend& backend, const Ask& ask) {
  if (!backend.can.permission_mode) return false;
  return is_skip_mode(backend, ask.permission_mode) ||
         contains(ask.extra_args, backend.permissions.skip_option);
}

Result<> check_permissions(const Draft& draft, const Host& host, Plan& plan) {
  plan.skips_permissions = skips_permissions(draft.backend, draft.ask);
  if (!plan.skips_permissions) return {};
  if (std::ranges::any_of(draft.ask.tools, [](auto& rule) { return rule.contains('('); })) {
    plan.warnings.push_back(
        "tool patterns such as 'Bash(git *)' have no effect while permissions are skipped; set a "
        "permission mode");
  }
  if (refuses_root(draft.backend, draft.ask, host)) {
    return fail(Code::usage,
                fmt::format("{} refuses to skip permissions as root outside a sandbox",
                            draft.backend.program),
                fmt::format("use --sandbox, set {}=1 in a container you trust, use "
                            "'--permission-mode {}', or run as an ordinary user",
                            draft.backend.permissions.sandbox_variable,
                            draft.backend.permissions.edit_mode));
  }
  if (host.sandboxed() || in_trusted_sandbox(draft.backend, host)) return {};
  plan.warnings.push_back(
      "permissions are skipped outside a sandbox: the agent can do whatever you can (--sandbox "
      "confines it)");
  return {};
}

void set_dialect(const Draft& draft, Plan& plan) {
  const auto make = draft.backend.make_dialect;
  if (draft.output == Output::stream_json) {
    plan.make_dialect = [make, name = plan.display_name] { return make(name); };
  } else {
    plan.make_dialect = [agent = std::string(draft.backend.name), name = plan.display_name] {
      return stream::make_text_dialect(agent, name);
    };
  }
}

std::string display_name_of(const Backend& backend, const Ask& ask) {
  if (!backend.display_name.empty()) return std::string(backend.display_name);
  const auto name = fs::path(ask.command.front()).filename().string();
  return name.empty() ? ask.command.front() : name;
}

}  // namespace

std::string_view to_string(SandboxLevel level) {
  switch (level) {
    case SandboxLevel::off: return "off";
    case SandboxLevel::on: return "on";
    case SandboxLevel::strict: return "strict";
  }
  return "";
}

bool is_skip_mode(const Backend& backend, std::string_view mode) {
  return mode.empty() || mode == backend.permissions.skip_mode;
}

bool in_trusted_sandbox(const Backend& backend, const Host& host) {
  return variable(host, backend.permissions.sandbox_variable) == "1";
}

bool refuses_root(const Backend& backend, const Ask& ask, const Host& host) {
  return host.is_root && skips_permissions(backend, ask) && !host.sandboxed() &&
         !in_trusted_sandbox(backend, host);
}

bool hides_key(const Backend& backend, Auth auth, const Host& host) {
  const auto name = backend.access.key_variable;
  if (auth == Auth::login || name.empty() || auth == Auth::api_key) return auth == Auth::login;
  if (std::ranges::find(host.own_env, name, &process::EnvChange::name) != host.own_env.end()) {
    return false;
  }
  // Another endpoint gets the key that was set for it, never the login.
  return backend.access.has_stored_login != nullptr && !variable(host, name).value_or("").empty() &&
         backend.access.has_stored_login(host) &&
         variable(host, backend.access.endpoint_variable).value_or("").empty();
}

Result<Plan> plan(const Backend& backend, const Ask& ask, const Host& host,
                  std::string_view run_id) {
  TRY(check_prompt(ask.prompt));
  const Output output = ask.output.value_or(backend.output);
  TRY(backend.program.empty() ? check_command(backend, ask) : check_extra_args(backend, ask));
  const bool has_loop_guard = ask.loop_guard && runs_own_agent(backend, host);
  TRY(check_capabilities(backend, ask, output, has_loop_guard));
  TRY_ASSIGN(const Route route, route_of(backend, ask));

  Plan plan;
  plan.backend = &backend;
  plan.display_name = display_name_of(backend, ask);
  plan.output = output;
  plan.delivery = route.delivery;
  Draft draft{.backend = backend,
              .ask = ask,
              .output = output,
              .delivery = route.delivery,
              .transport = route.transport,
              .has_loop_guard = has_loop_guard};
  set_prompt(draft, host, run_id, plan);
  set_dialect(draft, plan);
  if (!backend.program.empty() && !ask.command.empty()) {
    plan.notes.push_back("setting 'command' ignored: only the backend 'custom' uses it");
  }
  TRY(check_permissions(draft, host, plan));

  plan.command.argv = command_line(draft);
  plan.command.cwd = host.workspace;
  plan.command.transport = route.transport;
  TRY(check_lengths(plan.command.argv));
  set_environment(draft, host, plan);
  if (backend.program == kOwnProgram) {
    TRY_ASSIGN(plan.program, own_executable());
    plan.command.argv.front() = plan.program.string();
  } else {
    TRY_ASSIGN(plan.program, find_program(plan.command.argv.front(), host));
  }
  return plan;
}

}  // namespace ralph::backend
