#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "harness/backend/backend.h"
#include "system/process/command.h"

namespace ralph::backend {

/// How far an agent is confined. `strict`: without network, except a proxy to the model.
enum class SandboxLevel { off, on, strict };
std::string_view to_string(SandboxLevel level);

/// The machine a run happens on, as far as a plan depends on it.
struct Host {
  std::filesystem::path workspace;       // absolute: the agent's working directory
  std::vector<std::string> environment;  // "NAME=value": ralph's own
  /// What `.envrc` changes in it: counts as a part of it, also where a key is looked for.
  std::vector<process::EnvChange> workspace_env = {};
  /// The run's own changes to it (the setting `env`), which a plan puts into Command::env. They win over
  /// what it changes by itself; only Auth::login empties the key all the same.
  std::vector<process::EnvChange> own_env;
  bool is_root = false;
  SandboxLevel sandbox = SandboxLevel::off;
  std::filesystem::path log_dir = {};  // where ralph itself writes, perhaps in the workspace
  std::vector<std::filesystem::path> read_only = {};  // absolute: not to be written in a sandbox
  std::filesystem::path project_root = {};            // see root()

  /// The directory that holds `.ralph`: the workspace, or the root of its repository.
  const std::filesystem::path& root() const {
    return project_root.empty() ? workspace : project_root;
  }
  bool sandboxed() const { return sandbox != SandboxLevel::off; }
};

/// All changes to the environment, in their order.
std::vector<process::EnvChange> environment_changes(const Host& host);

/// A variable as the agent will find it; none: it is not set.
std::optional<std::string> variable(const Host& host, std::string_view name);

/// Which credential the agent uses when there are several.
enum class Auth {
  automatic,  // a stored login before a key that happens to be in ralph's environment
  api_key,
  login,
};

/// What is asked of an agent, whatever agent it is.
struct Ask {
  std::string prompt;
  std::string model, system_prompt, append_system_prompt, permission_mode;
  std::string resume;              // a session id; empty: a new session
  std::vector<std::string> tools;  // "Read", "Bash(git *)"; empty: no restriction
  std::optional<double> max_cost;
  bool counts_cost_itself =
      true;  // false: it does not know its prices and is given no limit of its own
  std::optional<std::int64_t> max_turns;
  std::vector<std::string> command;  // of the backend custom
  std::vector<std::string> extra_args;
  std::optional<Output> output;                 // none: the backend's own
  std::optional<process::Transport> transport;  // none: the backend's own
  Auth auth = Auth::automatic;
  std::string json_schema;  // of the answer; empty: none
  std::string effort;       // "low", "medium", "high"; empty: the agent's own
  std::optional<int>
      loop_guard;  // equal calls before it is warned; left out if the agent is not ours
  bool needs_loop_guard = false;  // then an agent without a loop guard is refused
  bool conversation = false;      // the prompt is a message on a stdin that stays open
  bool partial_messages =
      false;  // replies while they arrive, so that usage is known when the agent is ended
  std::string agent_name;       // a named agent of the agent CLI; empty: its default
  std::string mcp_config;       // a file with MCP servers; empty: none
  bool approves_tools = false;  // the named tools need no permission in any permission mode
  /// The prompt arrives unchanged: as an argument of up to kLongestWord bytes, otherwise on stdin. Over pipes.
  bool verbatim_prompt = false;
};

/// A prompt that goes through a file: to be written before the start and removed afterwards.
struct PromptFile {
  std::filesystem::path path;  // absolute, in .ralph/tmp of the root
  std::string bytes;
};

/// The way to the model out of a sandbox without a network. Holds the key: never to be shown or written.
struct ModelRoute {
  std::string endpoint;        // "https://api.anthropic.com"
  std::string header, secret;  // what is added to each request: "x-api-key" and its value
  std::string token;           // what the agent gets instead of the key
  std::filesystem::path socket;
  ModelApi api = {};
};

/// How one agent will be started for one Ask.
struct Plan {
  const Backend* backend = nullptr;
  std::string display_name;
  std::filesystem::path program;  // the file of command.argv[0]
  process::Command command;
  Output output = Output::stream_json;
  Delivery delivery = Delivery::argument;
  std::optional<PromptFile> prompt_file;
  std::vector<PromptFile> private_files;  // for the sandbox: written and removed as the prompt file
  std::vector<std::filesystem::path> kept_folders;  // for the sandbox: made before the start
  std::optional<ModelRoute> route;
  std::function<std::unique_ptr<stream::Dialect>()> make_dialect;
  bool skips_permissions = false;     // the agent asks for no permission
  std::vector<std::string> notes;     // shown with --verbose
  std::vector<std::string> warnings;  // one line each
};

/// Prompts over this many characters go through a file (or stdin), not through the command line.
inline constexpr std::size_t kLongestArgument = 7000;

/// The longest word of a command line that Linux takes.
inline constexpr std::size_t kLongestWord = 131'071;

/// "auto", and every backend, also those that are not available yet.
std::vector<std::string> known_backends();

/// The backend called `name`; "auto": the first candidate that is installed and can be driven, by a look
/// into PATH; ralph's own agent when there is no other. Errors: Code::usage for an unknown name (lists the
/// known ones and the nearest) and for an agent ralph does not drive.
Result<const Backend*> choose(std::string_view name, const Host& host);

/// The program's file, absolute: in the PATH the agent will see, or, for a name with a slash, from the
/// workspace. Code::not_found with the install hint.
Result<std::filesystem::path> find_program(std::string_view program, const Host& host);
/// The same for a candidate, which may be ralph itself.
Result<std::filesystem::path> find_program(const Candidate& candidate, const Host& host);
/// The file this program runs from.
Result<std::filesystem::path> own_executable();
/// Whether a file is this program, perhaps under another name.
bool is_own_executable(const std::filesystem::path& program);
/// Whether the backend's program is ralph here, under whatever name.
bool runs_own_agent(const Backend& backend, const Host& host);
/// The agent that really runs: the program of `chosen` may be a link to ralph.
const Backend& agent_behind(const Backend& chosen, const Host& host);

/// Where the backend keeps its own files here, whether they exist or not.
std::vector<std::filesystem::path> state_paths(const Backend& backend, const Host& host);

/// Whether a permission mode skips all permissions; none ("") does.
bool is_skip_mode(const Backend& backend, std::string_view mode);
/// Whether the user declares this machine a sandbox (IS_SANDBOX=1).
bool in_trusted_sandbox(const Backend& backend, const Host& host);
/// Whether the agent would refuse to start, because it would skip permissions as root outside a sandbox.
bool refuses_root(const Backend& backend, const Ask& ask, const Host& host);

/// Whether the API key is hidden from the agent, so that its stored login pays: requested by Auth::login, or both
/// exist, the key was not set for this run, and the endpoint is the default.
bool hides_key(const Backend& backend, Auth auth, const Host& host);

/// Everything about the start but the start itself. `run_id` names the prompt file. Errors: Code::usage
/// for what the backend cannot honour, Code::not_found for a program that is not installed.
Result<Plan> plan(const Backend& backend, const Ask& ask, const Host& host,
                  std::string_view run_id);

}  // namespace ralph::backend
