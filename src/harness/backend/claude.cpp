// The entries of Claude Code, of ralph's own agent (same command line and output), and of commands
// that the user names.
#include <algorithm>
#include <array>

#include "core/base/project_key.h"
#include "core/base/settings_error.h"
#include "core/base/utf8.h"
#include "core/json/writer.h"
#include "core/model/names.h"
#include "harness/backend/credentials.h"
#include "harness/backend/entries_impl.h"

namespace ralph::backend {
namespace {

/// Claude Code's command line, with `first` in front of it.
constexpr std::array<Argument, 24> claude_arguments(Argument first) {
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
      {Slot::agent_name, "--agent {}"},
      {Slot::mcp_config, "--mcp-config {}"},
      {Slot::extra_args, "{}"},
      // These take every word behind them that is not an option, so nothing may follow.
      {Slot::tool_names, "--tools {}"},
      {Slot::tool_rules, "--allowedTools {}"},
  }};
}
constexpr auto kClaudeArguments = claude_arguments({Slot::always, ""});
constexpr auto kOwnArguments = claude_arguments({Slot::always, "agent"});
constexpr auto kCustomArguments = std::to_array<Argument>({{Slot::extra_args, "{}"}});

/// What a session sets for the programs it starts; a session that ralph starts is not a part of it.
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

constexpr auto kVariablePrefixes = std::to_array<std::string_view>({"ANTHROPIC_", "CLAUDE_"});
constexpr auto kSecretVariables =
    std::to_array<std::string_view>({"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN",
                                     "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS"});
constexpr auto kPayingPrefixes = std::to_array<std::string_view>({"ANTHROPIC_", "CLAUDE_CODE_"});
constexpr auto kClouds = std::to_array<Cloud>({
    {"CLAUDE_CODE_USE_BEDROCK", "AWS_"},
    {"CLAUDE_CODE_USE_VERTEX", "GOOGLE_"},
    {"CLAUDE_CODE_USE_FOUNDRY", "AZURE_"},
});

constexpr auto kClaudeState = std::to_array<std::string_view>({"~/.claude", "~/.claude.json"});
constexpr auto kOwnState = std::to_array<std::string_view>({"~/.claude", "~/.config/ralph"});
/// Shell snapshots are sourced by sessions outside, so they are never shared. Todos, plans and the history of files are
/// not sorted by project: they would show the work of others.
constexpr auto kStateEntries = std::to_array<StateEntry>({
    {"projects", StateUse::project},
    {"todos", StateUse::dropped},
    {"tasks", StateUse::dropped},
    {"plans", StateUse::dropped},
    {"file-history", StateUse::dropped},
    {"CLAUDE.md", StateUse::shown},
    {"AGENTS.md", StateUse::shown},
    {"rules", StateUse::shown},
    {"agents", StateUse::shown},
    {"commands", StateUse::shown},
    {"skills", StateUse::shown},
    {"output-styles", StateUse::shown},
    {"plugins", StateUse::shown},
    {".credentials.json", StateUse::login},
    {"auth.json", StateUse::key},
    {".claude.json", StateUse::record},
    {"settings.json", StateUse::settings},
    {"settings.local.json", StateUse::settings},
    {"shell-snapshots", StateUse::dropped},
    {"session-env", StateUse::dropped},
    {"statsig", StateUse::dropped},
    {"telemetry", StateUse::dropped},
    {"debug", StateUse::dropped},
    {"logs", StateUse::dropped},
    {"cache", StateUse::dropped},
    {"paste-cache", StateUse::dropped},
    {"ide", StateUse::dropped},
    {"backups", StateUse::dropped},
    {"history.jsonl", StateUse::dropped},
});
constexpr auto kSecretSettings = std::to_array<std::string_view>({
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "primaryApiKey",
    "oauthAccount",
    "customApiKeyResponses",
    "otelHeadersHelper",
    "mcpServers",
    "headers",
});
constexpr auto kObeyedFiles = std::to_array<std::string_view>({".mcp.json", ".claude"});

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
                                  .agent_name = true,
                                  .mcp_config = true};

std::string encode_message(std::string_view text) {
  std::string line = R"({"type":"user","message":{"role":"user","content":[{"type":"text","text":)";
  json::append_string(line, utf8::repaired(text));
  return line + "}]}}\n";
}

std::vector<process::EnvChange> through_proxy(const std::string& endpoint,
                                              const std::string& token) {
  return {
      {"ANTHROPIC_BASE_URL", endpoint},
      {"ANTHROPIC_API_KEY", token},
      {"ANTHROPIC_AUTH_TOKEN", std::nullopt},
      {"CLAUDE_CODE_OAUTH_TOKEN", std::nullopt},
      {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"},
  };
}

/// ANTHROPIC_MODEL names one where none is asked for; ANTHROPIC_DEFAULT_OPUS_MODEL says what "opus" is.
std::string model_of(std::string_view asked, const Host& host) {
  auto name = asked.empty() ? variable(host, "ANTHROPIC_MODEL").value_or("") : std::string(asked);
  const auto* const family = std::ranges::find(model::kFamilies, name, &model::Family::alias);
  if (family == model::kFamilies.end()) return name;
  const auto other = variable(host, family->variable).value_or("");
  return other.empty() ? name : other;
}

constexpr auto kApiRequests = std::to_array<ApiRequest>({
    {"POST", "/v1/messages"},
    {"POST", "/v1/messages/count_tokens"},
    {"GET", "/v1/models"},
});

constexpr ModelAccess access_with(bool (*has_login)(const Host&),
                                  std::vector<Credential> (*find)(const Host&)) {
  return {.key_variable = "ANTHROPIC_API_KEY",
          .endpoint_variable = "ANTHROPIC_BASE_URL",
          .endpoint = "https://api.anthropic.com",
          .api = {.requests = kApiRequests, .key_header = "x-api-key"},
          .has_stored_login = has_login,
          .secret_variables = kSecretVariables,
          .paying_prefixes = kPayingPrefixes,
          .clouds = kClouds,
          .credentials = find,
          .through_proxy = through_proxy,
          .model_of = model_of};
}

constexpr AgentState state_in(std::span<const std::string_view> paths) {
  return {.paths = paths,
          .variable = "CLAUDE_CONFIG_DIR",
          .entries = kStateEntries,
          .backup_prefix = ".claude.json.",
          .secret_settings = kSecretSettings,
          .secret_prefix = "ANTHROPIC_",
          .project_name = project_key,
          .memory_folder = "memory"};
}

constexpr auto kDefaultTools =
    std::to_array<std::string_view>({"Read", "Edit", "Write", "Bash", "Glob", "Grep"});
constexpr auto kPlannerTools = std::to_array<std::string_view>({"Read", "Bash"});
constexpr auto kReadFiles = std::to_array<std::string_view>({"Read", "default"});
constexpr auto kHarmlessTools = std::to_array<std::string_view>({"Read", "Glob", "Grep"});

std::span<const std::string_view> default_tools(std::string_view mode) {
  if (mode == "planner") return kPlannerTools;
  return kDefaultTools;
}

constexpr std::string_view kAnswerTool = "StructuredOutput";
constexpr auto kWorkerTools = std::to_array<std::string_view>(
    {"Read", "Write", "Edit", "Glob", "Grep", "Bash", "Skill", kAnswerTool});
constexpr auto kSummarizerTools =
    std::to_array<std::string_view>({"Read", "Glob", "Grep", kAnswerTool});

constexpr ToolNames kTools{.defaults = default_tools,
                           .read_files = kReadFiles,
                           .harmless = kHarmlessTools,
                           .worker = kWorkerTools,
                           .summarizer = kSummarizerTools,
                           .answer_tool = kAnswerTool};
constexpr PermissionNames kPermissions{.skip_mode = "bypassPermissions",
                                       .default_mode = "default",
                                       .edit_mode = "acceptEdits",
                                       .skip_option = "--dangerously-skip-permissions",
                                       .sandbox_variable = "IS_SANDBOX"};
constexpr std::string_view kNoBackground = "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS";

}  // namespace

constinit const Backend kClaude{
    .name = "claude",
    .display_name = "Claude",
    .product = "Claude Code",
    .program = "claude",
    .arguments = kClaudeArguments,
    .transport = process::Transport::pty,
    .delivery = Delivery::argument,
    .open_stdin = true,
    .output = Output::stream_json,
    .can = kClaudeCan,
    .make_dialect = stream::make_claude_dialect,
    .encode_message = encode_message,
    .variable_prefixes = kVariablePrefixes,
    .removed_variables = kSessionVariables,
    .session_variable = kSessionVariables.front(),
    .thinking_variable = "MAX_THINKING_TOKENS",
    .no_background_variable = kNoBackground,
    .instructions_file = "CLAUDE.md",
    .obeyed_files = kObeyedFiles,
    .access = access_with(has_stored_login, claude_credentials),
    .state = state_in(kClaudeState),
    .tools = kTools,
    .permissions = kPermissions,
    .settings_error = kSettingsError,  // `claude` may be a link to ralph
    .auth_hint = "set ANTHROPIC_API_KEY, or run 'claude' once and log in",
    .install_hint = "npm install -g @anthropic-ai/claude-code",
};

constinit const Backend kOwnAgent{
    .name = "builtin",
    .display_name = "ralph",
    .product = "ralph's own agent",
    .program = kOwnProgram,
    .arguments = kOwnArguments,
    .transport = process::Transport::pipe,
    .delivery = Delivery::argument,
    .open_stdin = false,
    .output = Output::stream_json,
    .can = kClaudeCan,
    .make_dialect = stream::make_own_dialect,
    .encode_message = encode_message,
    .variable_prefixes = kVariablePrefixes,
    .removed_variables = kSessionVariables,
    .session_variable = kSessionVariables.front(),
    .thinking_variable = "MAX_THINKING_TOKENS",
    .no_background_variable = kNoBackground,
    .instructions_file = "CLAUDE.md",
    .obeyed_files = kObeyedFiles,
    .access = access_with(nullptr, own_credentials),
    .state = state_in(kOwnState),
    .tools = kTools,
    .permissions = kPermissions,
    .settings_error = kSettingsError,
    .auth_hint = "set ANTHROPIC_API_KEY, or run 'ralph auth login'",
    .install_hint = "",
};

/// A command of the user's may be started from a Claude Code session, and may print its stream-json.
constinit const Backend kCustom{
    .name = "custom",
    .display_name = "",
    .product = "the command",
    .program = "",
    .arguments = kCustomArguments,
    .transport = process::Transport::pipe,
    .delivery = Delivery::standard_in,
    .open_stdin = false,
    .output = Output::text,
    .can = {},
    .make_dialect = stream::make_claude_dialect,
    .encode_message = encode_message,
    .variable_prefixes = {},
    .removed_variables = kSessionVariables,
    .session_variable = "",
    .thinking_variable = "MAX_THINKING_TOKENS",
    .no_background_variable = kNoBackground,
    .instructions_file = "CLAUDE.md",
    .obeyed_files = {},
    .access = {},
    .state = {},
    .tools = {},
    .permissions = kPermissions,
    .settings_error = kSettingsError,
    .auth_hint = "log in as the documentation of the command describes",
    .install_hint = "",
};

}  // namespace ralph::backend
