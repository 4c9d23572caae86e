#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ralph::config {

/// Every setting of `ralph run` and `ralph loop`, in the order of the table.
enum class Key {
  backend,
  model,
  mode,
  prompt,
  prompt_file,
  allowed_tools,
  system_prompt,
  system_prompt_file,
  append_system_prompt,
  permission_mode,
  on_denial,
  extra_args,
  command,
  output_format,
  transport,
  timeout,
  idle_timeout,
  after_end_timeout,
  max_cost,
  model_price,
  max_turns,
  retries,
  retry_delay,
  cwd,
  env,
  auth,
  log_dir,
  max_line,
  task,
  verbose,
  quiet,
  json,
  sandbox,
  allow_secrets,
  max_iterations,
  max_time,
  max_cost_per_day,
  max_failures,
  max_idle,
  max_refused,
  verify,
  verify_timeout,
  verify_protect,
  verify_clean,
  reasoning,
  template_file,
  summarize_every,
  recent,
  summary_model,
  summary_reasoning,
  done_marker,
  loop_guard,
  commit,
  git_timeout,
  rollback,
  stash,
};
inline constexpr std::size_t kKeys = static_cast<std::size_t>(Key::stash) + 1;

/// The type of a setting: which texts are valid and what Settings holds.
enum class Kind {
  text,
  choice,   // one of its words
  path,     // relative to the settings file, otherwise to the workspace
  boolean,  // true or false
  integer,
  money,     // US dollars above 0
  duration,  // "90s", "1h30m"; 0: none
  size,      // bytes: "64MiB"
  list,      // words; as one text: separated by commas
  words,     // arguments of a program; as one text: separated by blanks
  lines,     // texts, not split; one text is a list of one
  map,       // names and values
};

/// What a setting is about; help and manual have a section for each.
enum class Topic { task, agent, limits, safety, verification, git, history, output };
/// "Limits".
std::string_view title(Topic topic);

/// Whether `--help` shows a setting, or only `--help --all`.
enum class Listed { always, on_request };

struct Setting {
  Key id;
  std::string_view key;  // in files; RALPH_<KEY> in the environment
  Kind kind;
  std::string_view fallback;  // the default, as written in a file; empty: not set
  std::string_view flag;      // "-m,--model"; empty: it has none
  std::string_view value;     // placeholder after the flag in help: "NAME"; empty: a switch
  std::string_view help;
  Topic topic;
  Listed listed;
  std::string_view choices;             // "planner|coder"
  int least = 0;                        // of an integer
  bool loop_only = false;               // not a setting of `ralph run`
  std::string_view loop_fallback = {};  // the default of `ralph loop` if it is another one
};

std::span<const Setting> settings_table();
const Setting& setting(Key key);
/// nullptr: there is no such setting.
const Setting* find_setting(std::string_view key);

/// "RALPH_MAX_COST".
std::string variable_of(const Setting& setting);
/// "--max-cost"; for the words after "--": "--".
std::string flag_of(const Setting& setting);

/// Keys of ralph.yml that belong to other tools or commands and are ignored. Keys that begin with "_" are, too.
std::span<const std::string_view> foreign_keys();
bool is_foreign_key(std::string_view key);

}  // namespace ralph::config
