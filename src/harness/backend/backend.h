#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "system/process/command.h"
#include "harness/stream/dialect.h"

namespace ralph::backend {

/// How the prompt reaches the agent.
enum class Delivery {
  argument,     // a word of its command line
  standard_in,  // its stdin, then end of input
  stream_json,  // one JSON line on a stdin that stays open
  file,         // a file in the workspace that it is told to read
};
std::string_view to_string(Delivery delivery);

/// What the agent prints.
enum class Output { stream_json, text };
std::string_view to_string(Output output);

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
  bool cost = false;  // it tells what it costs, or its tokens, while it works
  bool partial_text = false;
  bool json_schema = false;
  bool effort = false;
  bool loop_guard = false;    // it notices that it repeats itself
  bool conversation = false;  // takes further messages on a stdin that stays open
  bool agent_name = false;
};

/// Stands for the executable that runs.
inline constexpr std::string_view kOwnProgram = "ralph";

/// One agent CLI, as data.
struct Backend {
  std::string_view name;          // "claude"
  std::string_view display_name;  // "Claude"; empty: the program's own name
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
  std::span<const std::string_view> removed_variables;                         // "CLAUDECODE"
  std::span<const std::string_view> state_paths;  // its own files: "~/.claude"
  std::string_view state_variable;  // "CLAUDE_CONFIG_DIR": a folder that replaces all of them
  std::string_view key_variable;    // "ANTHROPIC_API_KEY": is used before a stored login
  bool has_login;                   // it has one that pays by subscription, better than the key
  std::string_view
      endpoint_variable;          // "ANTHROPIC_BASE_URL": says that the key is for somebody else
  std::string_view auth_hint;     // "set ANTHROPIC_API_KEY or run 'claude' once and log in"
  std::string_view install_hint;  // "npm install -g @anthropic-ai/claude-code"
};

/// Those ralph can drive.
std::span<const Backend> backends();
const Backend* find_backend(std::string_view name);

/// An agent CLI that `auto` and `ralph doctor` look for, in the order of preference. `backend` is null
/// for one ralph does not drive.
struct Candidate {
  std::string_view name, program;
  const Backend* backend;
};
std::span<const Candidate> candidates();

}  // namespace ralph::backend
