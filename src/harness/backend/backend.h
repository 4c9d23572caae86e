#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/stream/dialect.h"
#include "system/process/command.h"

namespace ralph::backend {

/// How the prompt reaches the agent.
enum class Delivery {
  argument,     // a word of its command line
  standard_in,  // its stdin, then end of input
  stream_json,  // one JSON line on a stdin that stays open
  file,         // a file in the workspace; the prompt says to read it
};
std::string_view to_string(Delivery delivery);

/// What the agent prints.
enum class Output { stream_json, text };
std::string_view to_string(Output output);
std::optional<Output> output_named(std::string_view name);

/// What an entry of a command line's template stands for. The entry is there when the run has such
/// a thing, once for each of its values, and every "{}" in its words becomes the value.
enum class Slot {
  always,
  prompt,              // Delivery::argument and Delivery::file: the prompt, or the order to read it
  prompt_folder,       // of a prompt file outside the working directory
  prompt_in,           // Delivery::standard_in
  prompt_stream,       // Delivery::stream_json
  stream_json_output,  // output_format stream-json
  text_output,         // output_format text
  skip_permissions,    // no permission mode was asked for
  permission_mode,
  model,
  system_prompt,
  append_system_prompt,
  tool_names,  // "Read,Bash"
  tool_rules,  // "Read,Bash(git *)"
  resume,      // a session id
  partial,     // live usage is wanted (a cost limit)
  max_cost,    // US dollars
  max_turns,
  json_schema,
  effort,
  loop_guard,
  agent_name,  // one of the agent CLI's named agents
  mcp_config,  // a file with MCP servers
  extra_args,
};

/// `{Slot::model, "--model {}"}`: blanks separate the words; a value is never split.
struct Argument {
  Slot slot;
  std::string_view words;
};

/// What an agent CLI can do; what it cannot is refused before it is started.
struct Capabilities {
  bool model = false;
  bool system_prompt = false;
  bool append_system_prompt = false;
  bool tool_lists = false;
  bool permission_mode = false;
  bool resume = false;
  bool max_turns = false;
  bool cost = false;  // it reports its cost, or its tokens, while it works
  bool partial_text = false;
  bool json_schema = false;
  bool effort = false;
  bool conversation = false;  // takes further messages on a stdin that stays open
  bool agent_name = false;
  bool mcp_config = false;
};

/// Stands for the executable that runs.
inline constexpr std::string_view kOwnProgram = "ralph";

struct Host;
struct Credential;

/// A cloud provider that is chosen by one variable, and paid by those with the prefix.
struct Cloud {
  std::string_view chosen_by, prefix;
};

/// The requests of an API that an agent needs; other paths would reach files, batches or the account.
struct ApiRequest {
  std::string_view method, path;
};
/// The API of a model, as far as a proxy in front of it has to know it.
struct ModelApi {
  std::span<const ApiRequest> requests;
  std::string_view key_header;  // "x-api-key": a token goes into "authorization"
};

/// How an agent reaches its model, and what pays for it.
struct ModelAccess {
  std::string_view key_variable;  // "ANTHROPIC_API_KEY": preferred by the agent to a stored login
  std::string_view endpoint_variable;  // "ANTHROPIC_BASE_URL": another endpoint, with its own key
  std::string_view endpoint;           // the default
  ModelApi api;
  /// Whether a login is stored, which pays by subscription and is preferred to a key. nullptr: the
  /// agent has no login.
  bool (*has_stored_login)(const Host& host) = nullptr;
  std::span<const std::string_view> secret_variables;  // hold a credential
  std::span<const std::string_view> paying_prefixes;   // variables that may be needed to pay
  std::span<const Cloud> clouds;
  /// Every credential found, the one the agent would use first. nullptr: unknown.
  std::vector<Credential> (*credentials)(const Host& host) = nullptr;
  /// The variables that send all requests to ralph's proxy, which adds the credential.
  std::vector<process::EnvChange> (*through_proxy)(const std::string& endpoint,
                                                   const std::string& token) = nullptr;
  /// The model that the environment selects for a name, or for none; empty: the agent's default.
  std::string (*model_of)(std::string_view asked, const Host& host) = nullptr;
};

/// How an agent names its tools.
struct ToolNames {
  /// Allowed when the settings name no tools.
  std::span<const std::string_view> (*defaults)(std::string_view mode) = nullptr;
  std::span<const std::string_view> read_files;  // each of them can read a prompt file
  std::span<const std::string_view> harmless;    // approved by their name alone in any mode
  std::span<const std::string_view> worker;      // of the iterations of a loop
  std::span<const std::string_view>
      summarizer;                // of runs that only read: they summarize a loop, or grade
  std::string_view answer_tool;  // takes structured output
};

/// How an agent is started without permission prompts.
struct PermissionNames {
  std::string_view skip_mode;         // "bypassPermissions"
  std::string_view default_mode;      // "default": reads files without a prompt
  std::string_view edit_mode;         // "acceptEdits": edits files without a prompt
  std::string_view skip_option;       // "--dangerously-skip-permissions"
  std::string_view sandbox_variable;  // "IS_SANDBOX": "1" allows root to skip permissions
};

/// How an entry of the agent's own directory is used when the agent runs in a sandbox.
enum class StateUse {
  shown,     // read-only in every sandbox
  dropped,   // not shown: the agent makes its own, which is gone afterwards
  project,   // sessions by project: only those of the workspace are shown
  login,     // a credential that the agent refreshes
  key,       // a credential that it only reads
  record,    // a private copy, discarded afterwards: it holds trust, servers and counters
  settings,  // read-only; in a strict sandbox without secrets
};
struct StateEntry {
  std::string_view name;
  StateUse use;
};

/// The files an agent keeps for itself.
struct AgentState {
  std::span<const std::string_view> paths;  // "~/.claude"
  std::string_view variable;  // "CLAUDE_CONFIG_DIR": a directory that replaces all of them
  std::span<const StateEntry> entries;  // any other is read-only, and not shown in a strict sandbox
  std::string_view backup_prefix;       // entries that begin so are copies: dropped
  std::span<const std::string_view> secret_settings;  // settings that hold or get a secret
  std::string_view secret_prefix;                     // of variables in its settings: the same
  /// The name of a project's directory in the entry of StateUse::project.
  std::string (*project_name)(const std::filesystem::path& workspace) = nullptr;
  std::string_view memory_folder;  // in a project's directory: every later session obeys it
};

/// Everything ralph knows about one agent CLI. No other module names an agent.
struct Backend {
  std::string_view name;          // "claude"
  std::string_view display_name;  // "Claude"; empty: the program's own name
  std::string_view product;       // "Claude Code", in sentences
  std::string_view program;       // looked up in PATH; empty: the command of the settings
                                  // (its "{prompt}" or "{prompt_file}" says where the prompt goes);
                                  // kOwnProgram: ralph itself
  std::span<const Argument> arguments;
  process::Transport transport;  // for Delivery::argument and Delivery::file
  Delivery delivery;             // of a prompt of ordinary size
  bool open_stdin;               // of Delivery::argument: stdin is the terminal too, not /dev/null
  Output output;                 // when no output_format is asked for
  Capabilities can;
  std::unique_ptr<stream::Dialect> (*make_dialect)(std::string display_name);  // of stream-json
  /// A message of the user for Delivery::stream_json: one line with its newline.
  std::string (*encode_message)(std::string_view text);
  std::span<const std::string_view> variable_prefixes;  // of the variables it obeys
  std::span<const std::string_view> removed_variables;  // that a session sets for its children
  std::string_view session_variable;                    // of those: set in every session
  std::string_view thinking_variable;              // the number of tokens it may think; "0": none
  std::string_view no_background_variable;         // "1": commands never go on behind a call
  std::string_view instructions_file;              // in the workspace: "CLAUDE.md"
  std::span<const std::string_view> obeyed_files;  // of the workspace: the agent obeys them
  ModelAccess access;
  AgentState state;
  ToolNames tools;
  PermissionNames permissions;
  std::string_view settings_error;  // how its stderr line about unusable settings begins
  std::string_view auth_hint;       // "set ANTHROPIC_API_KEY or run 'claude' once and log in"
  std::string_view install_hint;    // "npm install -g @anthropic-ai/claude-code"
};

/// Those ralph can drive.
std::span<const Backend* const> backends();
const Backend* find_backend(std::string_view name);
/// The one whose streams are read where none is named.
const Backend& default_backend();

/// Whether a variable holds a credential of some agent.
bool is_credential(std::string_view variable);
/// Whether a variable configures an agent or its credentials.
bool configures_agent(std::string_view variable);

/// An agent CLI that `auto` and `ralph doctor` look for, in the order of preference. `backend` is null
/// for one ralph does not drive.
struct Candidate {
  std::string_view name, program;
  const Backend* backend;
};
std::span<const Candidate> candidates();

}  // namespace ralph::backend
