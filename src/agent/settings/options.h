#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ralph::settings {

/// Features of Claude Code that are not supported, of hooks some kinds, as --accept-unsupported names them.
inline constexpr std::string_view kHooks = "hooks";
inline constexpr std::string_view kMcp = "mcp";  // is supported; accepted without effect
inline constexpr std::string_view kSandbox = "sandbox";

/// The tools of a session with --bare, unless --tools names others.
inline constexpr std::array<std::string_view, 3> kBareTools{"Bash", "Edit", "Read"};

enum class Format { text, json, stream_json };

/// Claude Code's command line, checked. Options that ralph does not use are accepted and dropped.
/// nullopt and empty: not given.
struct Options {
  bool print = false;  // -p, or implied by the formats
  bool verbose = false;
  bool version = false;
  bool help = false;
  std::string prompt;  // the first word that is not an option; Claude Code drops the others
  Format input = Format::text;
  Format output = Format::text;
  bool partial_messages = false;      // --include-partial-messages
  bool replay_user_messages = false;  // --replay-user-messages
  bool hook_events = false;           // --include-hook-events
  bool subagent_text = false;         // --forward-subagent-text

  std::string model;
  std::vector<std::string> fallback_models;  // --fallback-model a,b
  std::string effort;
  std::string thinking;  // enabled, adaptive, disabled
  std::optional<std::int64_t> max_thinking_tokens;
  std::string thinking_display;
  std::string agent;
  std::string agents;  // JSON, or a file with it

  std::optional<std::string> system_prompt;
  std::string system_prompt_file;
  std::string append_system_prompt;
  std::string append_system_prompt_file;

  std::optional<std::vector<std::string>>
      tools;                               // --tools; empty list: none; nullopt or "default": all
  std::vector<std::string> allowed_tools;  // rules, e.g. "Bash(git *)"
  std::vector<std::string> disallowed_tools;
  std::string permission_mode;
  std::string permission_prompt_tool;
  std::string permission_prompts;  // host, none
  bool skip_permissions = false;
  bool allow_skip_permissions = false;
  std::vector<std::string> add_dirs;
  std::string json_schema;  // JSON text

  bool continue_last = false;
  std::optional<std::string> resume;  // an id or a title
  bool fork_session = false;
  std::string session_id;
  std::string session_name;
  bool persist = true;  // --no-session-persistence

  std::optional<std::int64_t> max_turns;
  std::optional<double> max_budget_usd;
  std::optional<std::int64_t> loop_guard;  // --loop-guard, ralph only

  std::string settings;                                     // a file or JSON
  std::string managed_settings;                             // JSON
  std::optional<std::vector<std::string>> setting_sources;  // empty list: none
  std::vector<std::string> mcp_config;
  bool strict_mcp_config = false;
  std::vector<std::string> accepted_unsupported;  // --accept-unsupported, ralph only
  bool bare = false;
  bool disable_slash_commands = false;
  std::vector<std::string> betas;
  std::string debug_file;

  std::vector<std::string> warnings;  // lines for stderr
};

/// Parses the arguments after the program's name. `interactive`: stdout is a terminal. The error is what Claude Code
/// would print: one line, and a second one if it suggests an option; the exit code is 1.
Result<Options> parse_options(std::span<const std::string> words, bool interactive);

/// Splits "Bash(git *),Edit Read" at commas and blanks outside of parentheses.
std::vector<std::string> split_rules(std::string_view text);

/// The text of --help.
std::string options_help();

}  // namespace ralph::settings
