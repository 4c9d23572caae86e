#include "harness/backend/plan.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "harness/backend/command_line_impl.h"
#include "harness/backend/credentials.h"
#include "core/base/utf8.h"

namespace ralph::backend {
namespace {

namespace fs = std::filesystem;
using process::Transport;

constexpr std::string_view kSkipPermissions = "--dangerously-skip-permissions";

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

Result<> check_prompt(std::string_view prompt) {
  if (prompt.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos) {
    return fail(Code::usage,
                prompt.empty() ? "the prompt is empty" : "the prompt is only white space",
                "say what the agent shall do: -p TEXT or -P FILE");
  }
  if (const auto at = prompt.find('\0'); at != std::string_view::npos) {
    return fail(Code::usage, fmt::format("the prompt has a NUL byte at offset {}", at),
                "agents take text only; is this the right file?");
  }
  return {};
}

Result<Output> output_of(const Backend& backend, const Ask& ask) {
  if (!ask.output_format) return backend.output;
  for (const Output output : {Output::stream_json, Output::text}) {
    if (*ask.output_format == to_string(output)) return output;
  }
  return fail(Code::usage, fmt::format("output format '{}' is not known", *ask.output_format),
              "there are: stream-json, text");
}

/// Something asked for that not every agent can do.
struct Wish {
  bool asked;
  bool possible;
  std::string_view what;
};

Result<> check_wishes(const Backend& backend, const Ask& ask, Output output) {
  const Capabilities& can = backend.can;
  const auto wishes = std::to_array<Wish>({
      {!ask.model.empty(), can.model, "be told a model"},
      {!ask.system_prompt.empty(), can.system_prompt, "be given a system prompt"},
      {!ask.append_system_prompt.empty(), can.append_system_prompt, "be given a system prompt"},
      {!ask.tools.empty(), can.tool_lists, "be restricted to some tools"},
      {!ask.permission_mode.empty(), can.permission_mode, "be told a permission mode"},
      {!ask.resume.empty(), can.resume, "resume a session"},
      {ask.max_turns.has_value(), can.max_turns, "limit its turns"},
      {!ask.json_schema.empty(), can.json_schema, "answer by a schema"},
      {!ask.effort.empty(), can.effort, "be told an effort"},
      {ask.conversation, can.conversation, "take messages while it runs"},
      {ask.auth != Auth::automatic, !backend.access.key_variable.empty(), "be told which login to use"},
  });
  for (const Wish& wish : wishes) {
    if (!wish.asked || wish.possible) continue;
    return fail(
        Code::usage,
        fmt::format("backend '{}' cannot {}: ralph does not know how its command is told so",
                    backend.name, wish.what),
        "put it into the command, or leave it out");
  }
  if (ask.max_cost && !can.cost && output != Output::stream_json) {
    return fail(
        Code::usage,
        fmt::format("backend '{}' cannot keep a cost limit: plain text does not tell the cost",
                    backend.name),
        "leave max_cost out, or set 'output_format: stream-json' if the command prints that");
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

/// Behind a "--" our own options, the list of tools among them, would be words of the prompt.
Result<> check_extra_args(const Backend& backend, const Ask& ask) {
  if (!has(ask.extra_args, "--")) return {};
  return fail(Code::usage, fmt::format("the extra arguments for {} have a '--'", backend.program),
              "leave it out: the prompt is given with -p or -P, everything else is an option");
}

/// The way of the prompt to the agent.
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
        "the command takes its prompt from stdin, which cannot be a terminal: a raw terminal "
        "has no way to say that the input has ended",
        "use '--transport pipe', or put {prompt} or {prompt_file} into the command");
  }
  return Route{Delivery::standard_in, Transport::pipe};
}

Result<Route> route_of(const Backend& backend, const Ask& ask) {
  if (ask.conversation) return Route{Delivery::stream_json, Transport::pipe};
  const bool is_long = utf8::count(ask.prompt) > kLongestArgument;
  if (backend.program.empty()) return route_of_command(ask, is_long);
  const Route by_stdin{Delivery::standard_in, Transport::pipe};
  if (ask.transport == Transport::pipe) return by_stdin;
  const auto transport = ask.transport.value_or(backend.transport);
  if (!is_long) return Route{backend.delivery, transport};
  if (ask.tools.empty() || has(ask.tools, "Read") || has(ask.tools, "default")) {
    return Route{Delivery::file, transport};
  }
  if (!ask.transport) return by_stdin;
  return fail(
      Code::usage,
      fmt::format("a prompt of more than {} characters goes through a file, which the agent "
                  "may not read: its tools lack Read",
                  kLongestArgument),
      "use '--transport pipe', or allow the tool Read");
}

/// A leading "/" would be a slash command, a leading "-" of an argument an option: a newline before
/// it changes nothing else.
std::string guarded(const std::string& prompt, bool is_argument) {
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
    case Delivery::argument: draft.prompt_word = guarded(prompt, true); break;
    case Delivery::standard_in:
      plan.command.input = process::StdinText{guarded(prompt, false)};
      return;
    case Delivery::stream_json:
      plan.command.input = process::StdinOpen{draft.backend.encode_message(guarded(prompt, false))};
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

void settle_key(const Draft& draft, const Host& host, Plan& plan) {
  if (!hides_key(draft.backend, draft.ask.auth, host)) return;
  const auto name = std::string(draft.backend.access.key_variable);
  plan.command.env.push_back({name, ""});
  if (draft.ask.auth == Auth::login) return;
  plan.notes.push_back(
      fmt::format("the stored login is used, not {} ('--auth api-key' uses the key)", name));
}

void set_environment(const Draft& draft, const Host& host, Plan& plan) {
  auto& env = plan.command.env;
  env = host.workspace_env;
  for (const auto name : draft.backend.removed_variables) {
    env.push_back({std::string(name), std::nullopt});
  }
  env.insert(env.end(), host.own_env.begin(), host.own_env.end());
  settle_key(draft, host, plan);
}

bool skips_permissions(const Backend& backend, const Ask& ask) {
  if (!backend.can.permission_mode) return false;
  return ask.permission_mode.empty() || ask.permission_mode == "bypassPermissions" ||
         has(ask.extra_args, kSkipPermissions);
}

Result<> check_permissions(const Draft& draft, const Host& host, Plan& plan) {
  plan.skips_permissions = skips_permissions(draft.backend, draft.ask);
  if (!plan.skips_permissions) return {};
  if (std::ranges::any_of(draft.ask.tools, [](auto& rule) { return rule.contains('('); })) {
    plan.warnings.push_back(
        "a tool's pattern, as in 'Bash(git *)', holds nothing back while permissions are skipped: "
        "set "
        "a permission mode");
  }
  if (host.sandboxed() || variable(host, "IS_SANDBOX") == "1") return {};
  if (host.is_root) {
    return fail(Code::usage,
                fmt::format("{} refuses to skip permissions as root outside a sandbox",
                            draft.backend.program),
                "use --sandbox, which confines the agent; or set IS_SANDBOX=1 in a container you "
                "trust, or give '--permission-mode acceptEdits', or run as an ordinary user");
  }
  plan.warnings.push_back(
      "permissions are skipped outside a sandbox: the agent may do whatever you may (--sandbox "
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

bool hides_key(const Backend& backend, Auth auth, const Host& host) {
  const auto name = backend.access.key_variable;
  if (auth == Auth::login || name.empty() || auth == Auth::api_key) return auth == Auth::login;
  if (std::ranges::find(host.own_env, name, &process::EnvChange::name) != host.own_env.end()) {
    return false;
  }
  // Another endpoint gets the key that was set for it, never the login.
  return backend.access.has_login && !variable(host, name).value_or("").empty() &&
         has_stored_login(host) && variable(host, backend.access.endpoint_variable).value_or("").empty();
}

Result<Plan> plan(const Backend& backend, const Ask& ask, const Host& host,
                  std::string_view run_id) {
  TRY(check_prompt(ask.prompt));
  TRY_ASSIGN(const Output output, output_of(backend, ask));
  TRY(backend.program.empty() ? check_command(backend, ask) : check_extra_args(backend, ask));
  TRY(check_wishes(backend, ask, output));
  TRY_ASSIGN(const Route route, route_of(backend, ask));

  Plan plan;
  plan.backend = &backend;
  plan.display_name = display_name_of(backend, ask);
  plan.output = output;
  plan.delivery = route.delivery;
  Draft draft{backend, ask, output, route.delivery, route.transport, {}, {}};
  set_prompt(draft, host, run_id, plan);
  set_dialect(draft, plan);
  if (!backend.program.empty() && !ask.command.empty()) {
    plan.notes.push_back("the setting 'command' is for the backend 'custom' and is not used");
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
