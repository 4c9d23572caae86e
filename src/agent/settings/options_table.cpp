#include <string>
#include <utility>

#include <fmt/format.h>

#include "agent/settings/options_impl.h"
#include "core/base/contains.h"
#include "core/model/names.h"

namespace ralph::settings {
namespace {

template <std::string Options::* member>
std::string text(Draft& draft, const std::string& value) {
  draft.options.*member = value;
  return {};
}

template <bool Options::* member>
std::string on(Draft& draft, const std::string&) {
  draft.options.*member = true;
  return {};
}

template <std::vector<std::string> Options::* member>
std::string one_more(Draft& draft, const std::string& value) {
  (draft.options.*member).push_back(value);
  return {};
}

template <std::vector<std::string> Options::* member>
std::string rules(Draft& draft, const std::string& value) {
  for (auto& rule : split_rules(value)) (draft.options.*member).push_back(std::move(rule));
  return {};
}

template <bool Draft::* member>
std::string noted(Draft& draft, const std::string&) {
  draft.*member = true;
  return {};
}

template <std::string Draft::* member>
std::string kept(Draft& draft, const std::string& value) {
  draft.*member = value;
  return {};
}

std::string take_tools(Draft& draft, const std::string& value) {
  auto& tools = draft.options.tools;
  if (!tools) tools.emplace();
  for (auto& tool : split_rules(value)) tools->push_back(std::move(tool));
  return {};
}

std::string take_print(Draft& draft, const std::string&) {
  draft.print_said = draft.options.print = true;
  return {};
}

std::string take_no_persistence(Draft& draft, const std::string&) {
  draft.options.persist = false;
  return {};
}

std::string take_format(Draft& draft, const std::string& value, Format Options::* member) {
  draft.options.*member = value == "json"          ? Format::json
                          : value == "stream-json" ? Format::stream_json
                                                   : Format::text;
  return {};
}
std::string take_input(Draft& draft, const std::string& value) {
  return take_format(draft, value, &Options::input);
}
std::string take_output(Draft& draft, const std::string& value) {
  return take_format(draft, value, &Options::output);
}

std::string take_permission_mode(Draft& draft, const std::string& value) {
  draft.options.permission_mode = value == "manual" ? "default" : value;
  return {};
}

std::string take_effort(Draft& draft, const std::string& value) {
  const bool known = contains(model::kEfforts, value);
  draft.options.effort = known ? value : "";
  if (!known) {
    draft.options.warnings.push_back(
        fmt::format("Warning: Unknown --effort value '{}' — ignoring it and using the default "
                    "effort. Valid values: {}.",
                    value, fmt::join(model::kEfforts, ", ")));
  }
  return {};
}

std::string take_fallback(Draft& draft, const std::string& value) {
  draft.options.fallback_models = split_commas(value);
  return {};
}

std::string take_betas(Draft& draft, const std::string& value) {
  for (auto& beta : split_rules(value)) draft.options.betas.push_back(std::move(beta));
  return {};
}

std::string take_system_prompt(Draft& draft, const std::string& value) {
  draft.options.system_prompt = value;
  return {};
}

std::string take_resume(Draft& draft, const std::string& value) {
  draft.options.resume = value;
  return {};
}

std::string take_sources(Draft& draft, const std::string& value) {
  draft.options.setting_sources = split_commas(value);
  return {};
}

std::string take_accepted(Draft& draft, const std::string& value) {
  for (auto& feature : split_commas(value)) {
    if (feature != kHooks && feature != kMcp && feature != kSandbox) {
      return "Allowed choices are hooks, mcp, sandbox, separated by commas.";
    }
    draft.options.accepted_unsupported.push_back(std::move(feature));
  }
  return {};
}

std::string take_schema(Draft& draft, const std::string& value) {
  draft.schema_said = true;
  draft.options.json_schema = value;
  return {};
}

std::string warn_snapshot(Draft& draft, const std::string& value) {
  if (value == "off") {
    draft.options.warnings.emplace_back(
        "Warning: --system-prompt-snapshot off has no effect: a session keeps the system prompt it "
        "began with.");
  }
  return {};
}

constexpr auto listed = Where::listed;
constexpr auto hidden = Where::hidden;
constexpr std::string_view kYesNo = "true false 1 0 yes no on off";
constexpr std::string_view kModes =
    "acceptEdits auto bypassPermissions manual dontAsk plan default";
using O = Options;

// clang-format off
constexpr OptionRow kOptions[] = {
  {"-p, --print", listed, "", take_print, "Answer one prompt and exit"},
  {"--output-format <format>", listed, "text json stream-json", take_output, "text, json (one object) or stream-json (an object per line)"},
  {"--input-format <format>", listed, "text stream-json", take_input, "text or stream-json (messages as lines of JSON)"},
  {"--verbose", listed, "", on<&O::verbose>, "Print all events; required with -p and stream-json output"},
  {"--include-hook-events", listed, "", on<&O::hook_events>, "Print when hooks start and what they answer (stream-json)"},
  {"--include-partial-messages", listed, "", on<&O::partial_messages>, "Print parts of messages as they arrive (stream-json)"},
  {"--replay-user-messages", listed, "", on<&O::replay_user_messages>, "Repeat the messages of stdin on stdout (stream-json)"},
  {"--model <model>", listed, "", text<&O::model>, "The model: an alias or its full name"},
  {"--fallback-model <model>", listed, "", take_fallback, "Models to use when the first is overloaded, separated by commas"},
  {"--effort <level>", listed, "", take_effort, "low, medium, high, xhigh or max"},
  {"--thinking <mode>", hidden, "enabled adaptive disabled", text<&O::thinking>, "enabled, adaptive or disabled"},
  {"--max-thinking-tokens <tokens>", hidden, "", set_max_thinking, "A budget for thinking"},
  {"--thinking-display <display>", hidden, "summarized omitted highlights", text<&O::thinking_display>, "summarized, omitted or highlights"},
  {"--agent <agent>", listed, "", text<&O::agent>, "Work as this agent: with its prompt, tools and model"},
  {"--agents <json-or-file>", listed, "", text<&O::agents>, "Define agents: {\"name\": {\"description\", \"prompt\", \"tools\", \"model\"}}"},
  {"--system-prompt <prompt>", listed, "", take_system_prompt, "Replace the built-in system prompt"},
  {"--system-prompt-file <file>", hidden, "", text<&O::system_prompt_file>, "The same from a file"},
  {"--append-system-prompt <prompt>", listed, "", text<&O::append_system_prompt>, "Append to the system prompt"},
  {"--append-system-prompt-file <file>", hidden, "", text<&O::append_system_prompt_file>, "The same from a file"},
  {"--tools <tools...>", listed, "", take_tools, "The built-in tools to offer; \"\" for none, \"default\" for all"},
  {"--allowedTools, --allowed-tools <tools...>", listed, "", rules<&O::allowed_tools>, "Tools that need no permission, such as \"Bash(git *) Edit\""},
  {"--disallowedTools, --disallowed-tools <tools...>", listed, "", rules<&O::disallowed_tools>, "Tools to deny"},
  {"--permission-mode <mode>", listed, kModes, take_permission_mode, "acceptEdits, auto, bypassPermissions, manual, dontAsk or plan"},
  {"--permission-prompt-tool <tool>", hidden, "", text<&O::permission_prompt_tool>, "stdio: ask the client about calls; mcp__server__tool: ask that tool"},
  {"--dangerously-skip-permissions", listed, "", on<&O::skip_permissions>, "Allow every tool call without asking; for sandboxes"},
  {"--allow-dangerously-skip-permissions", listed, "", on<&O::allow_skip_permissions>, ""},
  {"--add-dir <directories...>", listed, "", one_more<&O::add_dirs>, "More directories the tools may use"},
  {"--json-schema <schema>", listed, "", take_schema, "The answer is JSON that matches this schema"},
  {"-c, --continue", listed, "", on<&O::continue_last>, "Continue the newest session of this directory"},
  {"-r, --resume [value]", listed, "", take_resume, "Resume the session with this id or title"},
  {"--fork-session", listed, "", on<&O::fork_session>, "With --continue or --resume: as a new session"},
  {"--session-id <uuid>", listed, "", text<&O::session_id>, "The id of the new session"},
  {"-n, --name <name>", listed, "", text<&O::session_name>, "The title of the session"},
  {"--no-session-persistence", listed, "", take_no_persistence, "Do not write the session to disk"},
  {"--loop-guard <n>", hidden, "", set_loop_guard, "Stop a model that makes the same call with the same result 2n times in a row (ralph only)"},
  {"--max-turns <turns>", hidden, "", set_max_turns, "Stop after this many requests with tool calls pending"},
  {"--max-budget-usd <amount>", listed, "", set_budget, "Stop when this many dollars are spent"},
  {"--settings <file-or-json>", listed, "", text<&O::settings>, "More settings: a file or JSON"},
  {"--setting-sources <sources>", listed, "", take_sources, "Which settings files count: user,project,local"},
  {"--mcp-config <configs...>", listed, "", one_more<&O::mcp_config>, "MCP servers: files or JSON with mcpServers"},
  {"--strict-mcp-config", listed, "", on<&O::strict_mcp_config>, "Use only the MCP servers of --mcp-config"},
  {"--accept-unsupported <features>", hidden, "", take_accepted, "Continue without configured features that are not supported: hooks,sandbox (ralph only)"},
  {"--bare", listed, "", on<&O::bare>, "Use no hooks, plugins, memory or project files"},
  {"--disable-slash-commands", listed, "", on<&O::disable_slash_commands>, "Disable skills and commands"},
  {"--betas <betas...>", listed, "", take_betas, "Beta features to request from the API"},
  {"--debug-file <path>", listed, "", text<&O::debug_file>, ""},
  {"-v, --version", listed, "", on<&O::version>, "The version"},
  {"-h, --help", listed, "", on<&O::help>, "This text"},

  {"--await-initialize", hidden, "", noted<&Draft::await_initialize>, ""},
  {"--forward-subagent-text", listed, "", on<&O::subagent_text>, "Print the texts of foreground subagents too (stream-json)"},
  {"--prompt-suggestions [value]", listed, kYesNo, noted<&Draft::prompt_suggestions>, ""},
  {"--resume-session-at <message id>", hidden, "", kept<&Draft::resume_session_at>, ""},
  {"--resume-drops-turn <message id>", hidden, "", kept<&Draft::resume_drops_turn>, ""},
  {"--task-budget <tokens>", hidden, "", check_task_budget, ""},
  {"--advisor <model>", hidden, "", nullptr, ""},
  {"--agent-color <color>", hidden, "", nullptr, ""},
  {"--agent-id <id>", hidden, "", nullptr, ""},
  {"--agent-name <name>", hidden, "", nullptr, ""},
  {"--agent-type <type>", hidden, "", nullptr, ""},
  {"--append-subagent-system-prompt <prompt>", hidden, "", nullptr, ""},
  {"--autocompact <auto|tokens>", listed, "", nullptr, ""},
  {"--ax-screen-reader", listed, "", nullptr, ""},
  {"--bg, --background", listed, "", nullptr, ""},
  {"--brief", listed, "", nullptr, ""},
  {"--channels <servers...>", hidden, "", nullptr, ""},
  {"--chrome", listed, "", nullptr, ""},
  {"--cloud [description|session_id|url]", listed, "", nullptr, ""},
  {"--dangerously-load-development-channels <servers...>", hidden, "", nullptr, ""},
  {"-d, --debug [filter]", listed, "", nullptr, ""},
  {"--debug-to-stderr", hidden, "", nullptr, ""},
  {"--deep-link-origin", hidden, "", nullptr, ""},
  {"--deep-link-repo <slug>", hidden, "", nullptr, ""},
  {"--desktop", listed, "", nullptr, ""},
  {"--enable-auth-status", hidden, "", nullptr, ""},
  {"--enable-auto-mode", hidden, "", nullptr, ""},
  {"--environment <environment_id>", listed, "", nullptr, ""},
  {"--exclude-dynamic-system-prompt-sections", listed, "", nullptr, ""},
  {"--file <specs...>", listed, "", nullptr, ""},
  {"--from-pr [value]", listed, "", nullptr, ""},
  {"--ide", listed, "", nullptr, ""},
  {"--init", hidden, "", nullptr, ""},
  {"--init-only", hidden, "", nullptr, ""},
  {"--maintenance", hidden, "", nullptr, ""},
  {"--managed-settings <json>", hidden, "", text<&O::managed_settings>, "Settings of an administrator, as JSON"},
  {"--messaging-socket-path <path>", hidden, "", nullptr, ""},
  {"--no-chrome", listed, "", nullptr, ""},
  {"--parent-session-id <id>", hidden, "", nullptr, ""},
  {"--permission-prompts <target>", listed, "host none", text<&O::permission_prompts>, "none: deny what would need a prompt"},
  {"--plan-mode-required", hidden, "", noted<&Draft::plan_mode_required>, ""},
  {"--plugin-dir <path>", listed, "", nullptr, ""},
  {"--plugin-dir-no-mcp <path>", hidden, "", nullptr, ""},
  {"--plugin-url <url>", listed, "", nullptr, ""},
  {"--prefill <text>", hidden, "", nullptr, ""},
  {"--project-config-root <dir>", hidden, "", noted<&Draft::project_config_root>, ""},
  {"--remote [description|session_id|url]", hidden, "", nullptr, ""},
  {"--remote-control [name]", listed, "", nullptr, ""},
  {"--remote-control-session-name-prefix <prefix>", listed, "", nullptr, ""},
  {"--restricted", listed, "", noted<&Draft::restricted>, "Not supported: use --tools and permission rules"},
  {"--rewind-files <user-message-id>", hidden, "", nullptr, ""},
  {"--safe-mode", listed, "", noted<&Draft::safe_mode>, "Not supported: use --bare and --strict-mcp-config"},
  {"--sdk-url <url>", hidden, "", nullptr, ""},
  {"--session-mirror", hidden, "", nullptr, ""},
  {"--system-prompt-snapshot <on|off>", listed, "on off", warn_snapshot, ""},
  {"--team-name <name>", hidden, "", nullptr, ""},
  {"--teammate-mode <mode>", hidden, "", nullptr, ""},
  {"--teleport [session]", listed, "", nullptr, ""},
  {"--tmux", listed, "", nullptr, ""},
  {"--workload <tag>", hidden, "", nullptr, ""},
  {"-w, --worktree [name]", listed, "", noted<&Draft::worktree>, "Not supported: use 'git worktree add'"},
};

constexpr std::string_view kNoJobs = "background sessions are not supported";
constexpr std::string_view kKey = "set ANTHROPIC_API_KEY, or run 'ralph auth login'";
constexpr std::string_view kUpdate = "update ralph the way it was installed";
constexpr std::string_view kPlugins = "plugins are not supported";
constexpr CommandRow kCommands[] = {
  {"agents", kNoJobs}, {"attach", kNoJobs}, {"auth", kKey}, {"auto-mode", "this mode is not supported"},
  {"doctor", "use 'ralph doctor'"}, {"gateway", "the gateway is not supported"}, {"import", "importing is not supported"},
  {"install", kUpdate}, {"kill", kNoJobs}, {"logs", kNoJobs}, {"mcp", "configure MCP servers in .mcp.json or with --mcp-config"},
  {"plugin", kPlugins}, {"plugins", kPlugins}, {"purge", "remove the project's directory under ~/.claude/projects"},
  {"respawn", kNoJobs}, {"rm", kNoJobs}, {"setup-token", kKey}, {"stop", kNoJobs},
  {"ultrareview", "ask for a review with -p"}, {"update", kUpdate}, {"upgrade", kUpdate},
};
// clang-format on

}  // namespace

std::span<const OptionRow> option_rows() { return kOptions; }
std::span<const CommandRow> command_rows() { return kCommands; }

std::string options_help() {
  std::string out =
      "Usage: claude [options] [prompt]\n\n"
      "A coding agent that works in the current directory. Without a prompt it reads "
      "one from stdin.\n\n"
      "Options:\n";
  std::string unused;
  for (const auto& row : kOptions) {
    if (!row.help.empty()) {
      out += fmt::format("  {:36}", row.flags);
      if (row.flags.size() > 36) out += fmt::format("\n  {:36}", "");
      out += fmt::format("  {}\n", row.help);
    } else {
      unused += fmt::format("{}{}", unused.empty() ? "" : " ", names_of(row).back());
    }
  }
  return out + "\nAccepted for compatibility, without effect:\n  " + unused + "\n";
}

}  // namespace ralph::settings
