#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/result.h"
#include "process/command.h"

namespace ralph::backend {

/// The machine a run happens on, as far as a plan depends on it.
struct Host {
  std::filesystem::path workspace;       // absolute: the agent's working folder
  std::vector<std::string> environment;  // "NAME=value", ours and the run's own together
  bool is_root = false;
  bool sandbox = false;                  // the agent will be put into one
};

/// Which credential the agent shall use when there are several.
enum class Auth { automatic, api_key, login };

/// What is asked of an agent, whatever agent it is.
struct Ask {
  std::string prompt;
  std::string model, system_prompt, append_system_prompt, permission_mode;
  std::string resume;              // a session id; empty: a new session
  std::vector<std::string> tools;  // empty: no restriction
  std::optional<double> max_cost;
  std::optional<std::int64_t> max_turns;
  std::vector<std::string> command;     // of the backend custom
  std::vector<std::string> extra_args;
  std::optional<std::string> output_format;       // "stream-json", "text"; none: the backend's own
  std::optional<process::Transport> transport;    // none: the backend's own
  Auth auth = Auth::automatic;
};

/// A prompt that goes through a file: to be written before the start and removed afterwards.
struct PromptFile {
  std::filesystem::path path;  // absolute, in the workspace's .ralph/tmp
  std::string bytes;
};

/// How one agent will be started for one Ask.
struct Plan {
  const Backend* backend = nullptr;
  std::string display_name;
  process::Command command;
  Delivery delivery = Delivery::argument;
  std::optional<PromptFile> prompt_file;
  std::unique_ptr<stream::Dialect> (*make_dialect)() = nullptr;
  bool skips_permissions = false;
  std::vector<std::string> notes;     // worth telling in verbose: "the stored login is used …"
  std::vector<std::string> warnings;  // one line each
};

/// Prompts over this many characters go through a file (or stdin), not through the command line.
inline constexpr std::size_t kLongestArgument = 7000;

/// The backend called `name`; "auto": the first candidate that is installed and can be driven, by a look
/// into PATH. Errors: Code::usage for an unknown name (lists the known ones and the nearest),
/// Code::not_found when none is installed.
Result<const Backend*> choose(std::string_view name, const Host& host);

/// The program's file in the PATH of `environment`. Code::not_found with the install hint.
Result<std::filesystem::path> find_program(std::string_view program, const Host& host);

/// Everything about the start but the start itself. `run_id` names the prompt file. Errors: Code::usage
/// for what the backend cannot honour, Code::not_found for a program that is not installed.
Result<Plan> plan(const Backend& backend, const Ask& ask, const Host& host, std::string_view run_id);

}  // namespace ralph::backend
