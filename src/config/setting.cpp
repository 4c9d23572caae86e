#include "config/setting.h"

#include <algorithm>
#include <array>

namespace ralph::config {
namespace {

constexpr std::array<Setting, kKeys> kTable{{
    // clang-format off
    {Key::backend, "backend", Kind::text, "auto", "-b,--backend", "NAME", "the agent CLI to run; auto: the first one installed"},
    {Key::model, "model", Kind::text, "", "-m,--model", "NAME", "the model, as the agent calls it"},
    {Key::mode, "mode", Kind::choice, "coder", "--mode", "planner|coder", "which of the two tool lists, sessions and log names", "planner|coder"},
    {Key::prompt, "prompt", Kind::text, "", "-p,--prompt", "TEXT", "what the agent shall do"},
    {Key::prompt_file, "prompt_file", Kind::path, "", "-P,--prompt-file", "FILE", "a file that says it; '-' is standard input"},
    {Key::allowed_tools, "allowed_tools", Kind::list, "", "--allowed-tools", "LIST", "the tools the agent may use; not set: those of its mode"},
    {Key::system_prompt, "system_prompt", Kind::text, "", "--system-prompt", "TEXT", "replaces the agent's own system prompt"},
    {Key::system_prompt_file, "system_prompt_file", Kind::path, "", "--system-prompt-file", "FILE", "the same, from a file"},
    {Key::append_system_prompt, "append_system_prompt", Kind::text, "", "--append-system-prompt", "TEXT", "is added to the agent's system prompt"},
    {Key::permission_mode, "permission_mode", Kind::text, "", "--permission-mode", "MODE", "the agent's own permission mode; not set: everything is allowed"},
    {Key::on_denial, "on_denial", Kind::choice, "stop", "--on-denial", "stop|continue", "what happens when the agent is refused a tool", "stop|continue"},
    {Key::extra_args, "extra_args", Kind::words, "", "", "", "further arguments for the agent; on the command line behind --"},
    {Key::command, "command", Kind::words, "", "--command", "WORDS", "the program and its arguments, for the backend 'custom'"},
    {Key::output_format, "output_format", Kind::choice, "stream-json", "--output-format", "FORMAT", "what the agent shall print: stream-json or text", "stream-json|text"},
    {Key::transport, "transport", Kind::choice, "auto", "--transport", "pipe|pty|auto", "what the agent talks through; auto: what its backend needs", "pipe|pty|auto"},
    {Key::timeout, "timeout", Kind::duration, "4h", "--timeout", "TIME", "the longest a run may take; 0: no limit"},
    {Key::idle_timeout, "idle_timeout", Kind::duration, "10m", "--idle-timeout", "TIME", "the longest silence while no tool runs; 0: no limit"},
    {Key::after_end_timeout, "after_end_timeout", Kind::duration, "5s", "--after-end-timeout", "TIME", "how long the agent may linger after its result; 0: no limit"},
    {Key::max_cost, "max_cost", Kind::money, "", "--max-cost", "USD", "stop when the run has cost this much"},
    {Key::max_turns, "max_turns", Kind::integer, "", "--max-turns", "N", "stop after this many turns", "", 1},
    {Key::retries, "retries", Kind::integer, "1", "--retries", "N", "how often an agent that crashed or met an outage is started again"},
    {Key::retry_delay, "retry_delay", Kind::duration, "1s", "--retry-delay", "TIME", "the pause before that; longer for outages, doubled each time"},
    {Key::cwd, "cwd", Kind::path, ".", "--cwd", "DIR", "the folder the agent works in"},
    {Key::env, "env", Kind::map, "", "--env", "K=V", "variables for the agent; those of several places add up"},
    {Key::auth, "auth", Kind::choice, "auto", "--auth", "auto|api-key|login", "who pays; auto: a stored login before an API key", "auto|api-key|login"},
    {Key::log_dir, "log_dir", Kind::path, ".ralph/logs", "--log-dir", "DIR", "where the raw logs go"},
    {Key::max_line, "max_line", Kind::size, "64MiB", "--max-line", "SIZE", "longer lines of the agent are logged but not read"},
    {Key::task, "task", Kind::text, "", "--task", "NAME", "a name for the run, part of its log's name"},
    {Key::verbose, "verbose", Kind::boolean, "false", "-v,--verbose", "", "also show thinking, tool results, usage and the end summary"},
    {Key::quiet, "quiet", Kind::boolean, "false", "-q,--quiet", "", "show errors only, on stderr"},
    {Key::json, "json", Kind::boolean, "false", "--json", "", "print every event as a line of JSON"},
    {Key::sandbox, "sandbox", Kind::choice, "off", "--sandbox", "[=on|strict]", "confine the agent and the loop's commands to this folder; strict: without a network but for the model", "off|on|strict"},
    {Key::allow_secrets, "allow_secrets", Kind::boolean, "false", "--allow-secrets", "", "run although the prompt holds something that looks like a key"},
    {Key::max_iterations, "max_iterations", Kind::integer, "50", "-n,--max-iterations", "N", "end the loop after this many iterations; 0: no limit", "", 0, true},
    {Key::max_time, "max_time", Kind::duration, "0s", "--max-time", "TIME", "the longest the loop may take, waits included; 0: no limit", "", 0, true},
    {Key::max_cost_per_day, "max_cost_per_day", Kind::money, "", "--max-cost-per-day", "USD", "end when all loops of this workspace have cost this much today (UTC)", "", 0, true},
    {Key::max_failures, "max_failures", Kind::integer, "5", "--max-failures", "N", "end after this many failed iterations in a row; 0: no limit", "", 0, true},
    {Key::max_idle, "max_idle", Kind::integer, "3", "--max-idle", "N", "end after this many iterations in a row that changed no file and said the same; 0: no limit", "", 0, true},
    {Key::verify, "verify", Kind::lines, "", "--verify", "COMMAND", "a shell command that must succeed before DONE is believed; may be given several times", "", 0, true},
    {Key::verify_timeout, "verify_timeout", Kind::duration, "10m", "--verify-timeout", "TIME", "the longest each of them may take; 0: no limit", "", 0, true},
    {Key::verify_protect, "verify_protect", Kind::lines, "", "--protect", "GLOB", "files that verification takes as they were at the start; may be given several times", "", 0, true},
    {Key::verify_clean, "verify_clean", Kind::boolean, "false", "--verify-clean", "", "verify in a clean clone of the start commit plus the agent's changes", "", 0, true},
    {Key::reasoning, "reasoning", Kind::choice, "med", "--reasoning", "none|low|med|high", "how much the model shall think", "none|low|med|high", 0, true},
    {Key::template_file, "template", Kind::path, "", "--template", "FILE", "the prompt's template instead of the one built in", "", 0, true},
    {Key::summarize_every, "summarize_every", Kind::integer, "10", "--summarize-every", "N", "condense the older history after so many iterations; 0: never", "", 0, true},
    {Key::recent, "recent", Kind::integer, "5", "--recent", "N", "how many iterations stay as they are when the others are condensed", "", 1, true},
    {Key::summary_model, "summary_model", Kind::text, "haiku", "--summary-model", "NAME", "the model that condenses", "", 0, true},
    {Key::summary_reasoning, "summary_reasoning", Kind::choice, "high", "--summary-reasoning", "none|low|med|high", "how much it shall think", "none|low|med|high", 0, true},
    {Key::done_marker, "done_marker", Kind::text, "LOOP_DONE", "--done-marker", "LINE", "a line that says DONE, for agents that answer in plain text", "", 0, true},
    {Key::loop_guard, "loop_guard", Kind::integer, "5", "--loop-guard", "N", "our own agent is warned after so many equal calls with equal results, and stopped after twice as many; 0: never", "", 0, true},
    {Key::commit, "commit", Kind::boolean, "false", "--commit", "", "commit after every iteration; never pushes", "", 0, true},
    {Key::git_timeout, "git_timeout", Kind::duration, "2m", "--git-timeout", "TIME", "the longest a git command that only reads may take; those that change something have no limit; 0: no limit", "", 0, true},
    {Key::rollback, "rollback", Kind::boolean, "false", "--rollback", "", "put the files back after a failed iteration; needs --commit", "", 0, true},
    {Key::stash, "stash", Kind::boolean, "false", "--stash", "", "stash changes that are not committed before --commit begins", "", 0, true},
    // clang-format on
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (static_cast<std::size_t>(kTable[i].id) != i) return false;
  }
  return true;
}
static_assert(in_order(), "the table and Key have the same order");

constexpr std::array<std::string_view, 22> kForeign{
    "event_loop",
    "cli",
    "core",
    "hats",
    "events",
    "memories",
    "tasks",
    "hooks",
    "skills",
    "features",
    "RObot",
    "tui",
    "adapters",
    "agent",
    "agent_priority",
    "max_runtime",
    "max_tokens",
    "loop",
    "completion_promise",
    "bench",
    "enable_metrics",
    "archive_prompts",
};

}  // namespace

std::span<const Setting> settings_table() { return kTable; }

const Setting& setting(Key key) { return kTable[static_cast<std::size_t>(key)]; }

const Setting* find_setting(std::string_view key) {
  const auto found = std::ranges::find(kTable, key, &Setting::key);
  return found == kTable.end() ? nullptr : &*found;
}

std::string variable_of(const Setting& setting) {
  std::string name = "RALPH_";
  for (const char c : setting.key) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return name;
}

std::string flag_of(const Setting& setting) {
  const auto dashes = setting.flag.rfind("--");
  return dashes == std::string_view::npos ? "--" : std::string(setting.flag.substr(dashes));
}

bool is_foreign_key(std::string_view key) {
  return key.starts_with('_') || std::ranges::find(kForeign, key) != kForeign.end();
}

}  // namespace ralph::config
