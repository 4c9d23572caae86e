#include "harness/backend/backend.h"

#include <algorithm>
#include <array>

namespace ralph::backend {
namespace {

/// Claude Code's command line, with `first` in front of it.
constexpr std::array<Argument, 22> claude_arguments(Argument first) {
  return {{
      first,
      {Slot::skip_permissions, "--dangerously-skip-permissions"},
      {Slot::permission_mode, "--permission-mode {}"},
      {Slot::prompt_folder, "--add-dir {}"},
      {Slot::prompt, "-p {}"},
      {Slot::prompt_in, "-p"},
      {Slot::prompt_stream, "-p --input-format stream-json"},
      {Slot::stream_json_output, "--output-format stream-json --verbose"},
      {Slot::text_output, "--output-format text"},
      {Slot::partial, "--include-partial-messages"},
      {Slot::model, "--model {}"},
      {Slot::system_prompt, "--system-prompt {}"},
      {Slot::append_system_prompt, "--append-system-prompt {}"},
      {Slot::resume, "--resume {}"},
      {Slot::max_cost, "--max-budget-usd {}"},
      {Slot::max_turns, "--max-turns {}"},
      {Slot::json_schema, "--json-schema {}"},
      {Slot::effort, "--effort {}"},
      {Slot::loop_guard, "--loop-guard {}"},
      {Slot::extra_args, "{}"},
      // These take every word behind them that is no option, so nothing may follow.
      {Slot::tool_names, "--tools {}"},
      {Slot::tool_rules, "--allowedTools {}"},
  }};
}
constexpr auto kClaudeArguments = claude_arguments({Slot::always, ""});
constexpr auto kOwnArguments = claude_arguments({Slot::always, "agent"});

constexpr auto kCustomArguments = std::to_array<Argument>({
    {Slot::extra_args, "{}"},
});

/// What a Claude Code session sets for the programs it starts; a session of our own is not a part of it.
constexpr auto kSessionVariables = std::to_array<std::string_view>({
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_PID",
    "CLAUDE_EFFORT",
    "AI_AGENT",
});

constexpr auto kClaudeState = std::to_array<std::string_view>({"~/.claude", "~/.claude.json"});
constexpr auto kOwnState = std::to_array<std::string_view>({"~/.claude", "~/.config/ralph"});

/// What Claude Code can do.
constexpr Capabilities kClaudeCan{.model = true,
                                  .system_prompt = true,
                                  .append_system_prompt = true,
                                  .tool_lists = true,
                                  .permission_mode = true,
                                  .resume = true,
                                  .max_turns = true,
                                  .cost = true,
                                  .partial_text = true,
                                  .json_schema = true,
                                  .effort = true,
                                  .conversation = true,
                                  .agent_name = true};

constexpr Capabilities own_can() {
  auto can = kClaudeCan;
  can.loop_guard = true;
  return can;
}

constexpr std::array<Backend, 3> kBackends{{
    {
        .name = "claude",
        .display_name = "Claude",
        .program = "claude",
        .arguments = kClaudeArguments,
        .transport = process::Transport::pty,
        .delivery = Delivery::argument,
        .open_stdin = true,
        .output = Output::stream_json,
        .can = kClaudeCan,
        .make_dialect = stream::make_claude_dialect,
        .removed_variables = kSessionVariables,
        .state_paths = kClaudeState,
        .state_variable = "CLAUDE_CONFIG_DIR",
        .key_variable = "ANTHROPIC_API_KEY",
        .has_login = true,
        .endpoint_variable = "ANTHROPIC_BASE_URL",
        .auth_hint = "set ANTHROPIC_API_KEY, or run 'claude' once and log in",
        .install_hint = "npm install -g @anthropic-ai/claude-code",
    },
    {
        .name = "builtin",
        .display_name = "ralph",
        .program = kOwnProgram,
        .arguments = kOwnArguments,
        .transport = process::Transport::pipe,
        .delivery = Delivery::argument,
        .open_stdin = false,
        .output = Output::stream_json,
        .can = own_can(),
        .make_dialect = stream::make_claude_dialect,
        .removed_variables = kSessionVariables,
        .state_paths = kOwnState,
        .state_variable = "CLAUDE_CONFIG_DIR",
        .key_variable = "ANTHROPIC_API_KEY",
        .has_login = false,
        .endpoint_variable = "ANTHROPIC_BASE_URL",
        .auth_hint = "set ANTHROPIC_API_KEY, or run 'ralph auth login'",
        .install_hint = "",
    },
    {
        .name = "custom",
        .display_name = "",
        .program = "",
        .arguments = kCustomArguments,
        .transport = process::Transport::pipe,
        .delivery = Delivery::standard_in,
        .open_stdin = false,
        .output = Output::text,
        .can = {},
        .make_dialect = stream::make_claude_dialect,
        .removed_variables = kSessionVariables,
        .state_paths = {},
        .state_variable = "",
        .key_variable = "",
        .has_login = false,
        .endpoint_variable = "",
        .auth_hint = "see what the command itself says about logging in",
        .install_hint = "",
    },
}};

constexpr const Backend* kClaude = &kBackends[0];
constexpr const Backend* kOwn = &kBackends[1];

constexpr auto kCandidates = std::to_array<Candidate>({
    {"claude", "claude", kClaude},
    {"codex", "codex", nullptr},
    {"gemini", "gemini", nullptr},
    {"copilot", "copilot", nullptr},
    {"opencode", "opencode", nullptr},
    {"qwen", "qwen", nullptr},
    {"pi", "pi", nullptr},
    {"amp", "amp", nullptr},
    {"cursor", "cursor-agent", nullptr},
    {"kiro", "kiro-cli", nullptr},
    {"builtin", kOwnProgram, kOwn},
});

}  // namespace

std::string_view to_string(Delivery delivery) {
  switch (delivery) {
    case Delivery::argument: return "argument";
    case Delivery::standard_in: return "standard_in";
    case Delivery::stream_json: return "stream_json";
    case Delivery::file: return "file";
  }
  return "unknown";
}

std::string_view to_string(Output output) {
  return output == Output::text ? "text" : "stream-json";
}

std::span<const Backend> backends() { return kBackends; }

const Backend* find_backend(std::string_view name) {
  const auto found = std::ranges::find(kBackends, name, &Backend::name);
  return found == kBackends.end() ? nullptr : &*found;
}

std::span<const Candidate> candidates() { return kCandidates; }

}  // namespace ralph::backend
