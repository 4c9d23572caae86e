#include "core/config/setting.h"

#include <algorithm>
#include <array>

namespace ralph::config {
namespace {

constexpr std::array<Setting, kKeys> kTable{{
    // clang-format off
    {Key::backend, "backend", Kind::text, "auto", "-b,--backend", "NAME", "the agent CLI to run; auto: the first one installed", Topic::agent, Listed::always},
    {Key::model, "model", Kind::text, "", "-m,--model", "NAME", "the model, by the agent's name for it", Topic::agent, Listed::always},
    {Key::mode, "mode", Kind::choice, "coder", "--mode", "planner|coder", "planner reads and plans, coder also edits; selects tools, session and log name", Topic::task, Listed::on_request, "planner|coder"},
    {Key::prompt, "prompt", Kind::text, "", "-p,--prompt", "TEXT", "what the agent should do", Topic::task, Listed::always},
    {Key::prompt_file, "prompt_file", Kind::path, "", "-P,--prompt-file", "FILE", "read the prompt from this file; '-': standard input", Topic::task, Listed::always},
    {Key::allowed_tools, "allowed_tools", Kind::list, "", "--allowed-tools", "LIST", "the tools the agent may use; not set: those of its mode", Topic::agent, Listed::on_request},
    {Key::system_prompt, "system_prompt", Kind::text, "", "--system-prompt", "TEXT", "replace the agent's own system prompt", Topic::agent, Listed::on_request},
    {Key::system_prompt_file, "system_prompt_file", Kind::path, "", "--system-prompt-file", "FILE", "the same, from a file", Topic::agent, Listed::on_request},
    {Key::append_system_prompt, "append_system_prompt", Kind::text, "", "--append-system-prompt", "TEXT", "add this to the agent's system prompt", Topic::agent, Listed::on_request},
    {Key::permission_mode, "permission_mode", Kind::choice, "", "--permission-mode", "MODE", "the agent's own permission mode; not set: everything is allowed", Topic::agent, Listed::always, "acceptEdits|auto|bypassPermissions|default|dontAsk|manual|plan"},
    {Key::on_denial, "on_denial", Kind::choice, "stop", "--on-denial", "stop|continue", "what to do when a tool is denied to the agent", Topic::agent, Listed::on_request, "stop|continue", 0, false, "continue"},
    {Key::extra_args, "extra_args", Kind::words, "", "", "", "further arguments for the agent; on the command line after --", Topic::task, Listed::on_request},
    {Key::command, "command", Kind::words, "", "--command", "WORDS", "the program and its arguments, for the backend 'custom'", Topic::agent, Listed::on_request},
    {Key::output_format, "output_format", Kind::choice, "stream-json", "--output-format", "FORMAT", "what the agent should print: stream-json or text", Topic::agent, Listed::on_request, "stream-json|text"},
    {Key::transport, "transport", Kind::choice, "auto", "--transport", "pipe|pty|auto", "how to connect to the agent; auto: what its backend needs", Topic::agent, Listed::on_request, "pipe|pty|auto"},
    {Key::timeout, "timeout", Kind::duration, "4h", "--timeout", "TIME", "time limit of one run; 0: no limit", Topic::limits, Listed::always},
    {Key::idle_timeout, "idle_timeout", Kind::duration, "10m", "--idle-timeout", "TIME", "time limit without output while no tool runs; 0: no limit", Topic::limits, Listed::on_request},
    {Key::after_end_timeout, "after_end_timeout", Kind::duration, "5s", "--after-end-timeout", "TIME", "time limit for the agent to exit after its result; 0: no limit", Topic::limits, Listed::on_request},
    {Key::max_cost, "max_cost", Kind::money, "", "--max-cost", "USD", "stop when the run or loop has cost this much", Topic::limits, Listed::always},
    {Key::model_price, "model_price", Kind::text, "", "--model-price", "IN/OUT", "price of a model that ralph does not know: US dollars per million tokens", Topic::limits, Listed::on_request},
    {Key::max_turns, "max_turns", Kind::integer, "", "--max-turns", "N", "stop after this many turns", Topic::limits, Listed::on_request, "", 1},
    {Key::retries, "retries", Kind::integer, "1", "--retries", "N", "how often to restart an agent after a crash or an outage", Topic::limits, Listed::on_request},
    {Key::retry_delay, "retry_delay", Kind::duration, "1s", "--retry-delay", "TIME", "delay before a restart; longer for outages, doubled each time", Topic::limits, Listed::on_request},
    {Key::cwd, "cwd", Kind::path, ".", "--cwd", "DIR", "the directory to work in", Topic::task, Listed::always},
    {Key::env, "env", Kind::map, "", "--env", "K=V", "an environment variable for the agent; repeatable", Topic::task, Listed::on_request},
    {Key::auth, "auth", Kind::choice, "auto", "--auth", "auto|api-key|login", "which credential to use; auto: a stored login before an API key", Topic::agent, Listed::on_request, "auto|api-key|login"},
    {Key::log_dir, "log_dir", Kind::path, ".ralph/logs", "--log-dir", "DIR", "the directory of the raw logs", Topic::output, Listed::on_request},
    {Key::max_line, "max_line", Kind::size, "64MiB", "--max-line", "SIZE", "longer lines of the agent are logged but not parsed", Topic::output, Listed::on_request},
    {Key::task, "task", Kind::text, "", "--task", "NAME", "a name for the run, part of the names of its logs", Topic::task, Listed::on_request},
    {Key::verbose, "verbose", Kind::boolean, "false", "-v,--verbose", "", "also show thinking, tool results, usage and the end summary", Topic::output, Listed::always},
    {Key::quiet, "quiet", Kind::boolean, "false", "-q,--quiet", "", "show errors only, on stderr", Topic::output, Listed::always},
    {Key::json, "json", Kind::boolean, "false", "--json", "", "print every event as a line of JSON", Topic::output, Listed::always},
    {Key::sandbox, "sandbox", Kind::choice, "off", "--sandbox", "[=on|strict]", "confine the agent to this directory; strict: no network but the model", Topic::safety, Listed::always, "off|on|strict"},
    {Key::allow_secrets, "allow_secrets", Kind::boolean, "false", "--allow-secrets", "", "run even if the prompt contains what looks like a key", Topic::safety, Listed::on_request},
    {Key::max_iterations, "max_iterations", Kind::integer, "50", "-n,--max-iterations", "N", "end after this many iterations; 0: no limit", Topic::limits, Listed::always, "", 0, true},
    {Key::max_time, "max_time", Kind::duration, "0s", "--max-time", "TIME", "time limit of the loop, including waits; 0: no limit", Topic::limits, Listed::always, "", 0, true},
    {Key::max_cost_per_day, "max_cost_per_day", Kind::money, "", "--max-cost-per-day", "USD", "end when all loops of this workspace have cost this much today (UTC)", Topic::limits, Listed::on_request, "", 0, true},
    {Key::max_failures, "max_failures", Kind::integer, "5", "--max-failures", "N", "end after this many failed iterations in a row; 0: no limit", Topic::limits, Listed::on_request, "", 0, true},
    {Key::max_idle, "max_idle", Kind::integer, "3", "--max-idle", "N", "end after this many iterations in a row with no changed file and the same answer; 0: no limit", Topic::limits, Listed::on_request, "", 0, true},
    {Key::max_refused, "max_refused", Kind::integer, "3", "--max-refused", "N", "end after this many DONEs in a row that verification refused; 0: no limit", Topic::limits, Listed::on_request, "", 0, true},
    {Key::verify, "verify", Kind::lines, "", "--verify", "COMMAND", "a command that must succeed before DONE is accepted; repeatable", Topic::verification, Listed::always, "", 0, true},
    {Key::verify_timeout, "verify_timeout", Kind::duration, "10m", "--verify-timeout", "TIME", "time limit of each verification command; 0: no limit", Topic::verification, Listed::on_request, "", 0, true},
    {Key::verify_protect, "verify_protect", Kind::lines, "", "--protect", "GLOB", "verify with these files as they were at the start; repeatable", Topic::verification, Listed::always, "", 0, true},
    {Key::verify_clean, "verify_clean", Kind::boolean, "false", "--verify-clean", "", "verify in a clean clone with the agent's changes", Topic::verification, Listed::always, "", 0, true},
    {Key::reasoning, "reasoning", Kind::choice, "med", "--reasoning", "LEVEL", "how much the model should think: none, low, med or high", Topic::agent, Listed::always, "none|low|med|high", 0, true},
    {Key::template_file, "template", Kind::path, "", "--template", "FILE", "a prompt template instead of the built-in one", Topic::task, Listed::on_request, "", 0, true},
    {Key::summarize_every, "summarize_every", Kind::integer, "10", "--summarize-every", "N", "summarize the older history after this many iterations; 0: never", Topic::history, Listed::on_request, "", 0, true},
    {Key::recent, "recent", Kind::integer, "5", "--recent", "N", "how many of the latest iterations are not summarized", Topic::history, Listed::on_request, "", 1, true},
    {Key::summary_model, "summary_model", Kind::text, "haiku", "--summary-model", "NAME", "the model that summarizes the history", Topic::history, Listed::on_request, "", 0, true},
    {Key::summary_reasoning, "summary_reasoning", Kind::choice, "high", "--summary-reasoning", "LEVEL", "how much that model should think: none, low, med or high", Topic::history, Listed::on_request, "none|low|med|high", 0, true},
    {Key::done_marker, "done_marker", Kind::text, "LOOP_DONE", "--done-marker", "LINE", "a line that means DONE, for agents that answer in plain text", Topic::agent, Listed::on_request, "", 0, true},
    {Key::loop_guard, "loop_guard", Kind::integer, "5", "--loop-guard", "N", "warn ralph's own agent after this many equal calls with equal results, stop it after twice as many; 0: never", Topic::agent, Listed::on_request},
    {Key::commit, "commit", Kind::boolean, "false", "--commit", "", "commit after every iteration; never pushes", Topic::git, Listed::always, "", 0, true},
    {Key::git_timeout, "git_timeout", Kind::duration, "2m", "--git-timeout", "TIME", "time limit of a read-only git command; 0: no limit", Topic::git, Listed::on_request, "", 0, true},
    {Key::rollback, "rollback", Kind::boolean, "false", "--rollback", "", "restore the files after a failed iteration; needs --commit", Topic::git, Listed::always, "", 0, true},
    {Key::stash, "stash", Kind::boolean, "false", "--stash", "", "stash uncommitted changes before --commit begins", Topic::git, Listed::on_request, "", 0, true},
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

std::string_view title(Topic topic) {
  switch (topic) {
    case Topic::task: return "Task";
    case Topic::agent: return "Agent";
    case Topic::limits: return "Limits";
    case Topic::safety: return "Safety";
    case Topic::verification: return "Verification";
    case Topic::git: return "Git";
    case Topic::history: return "History in the prompt";
    case Topic::output: return "Output and logs";
  }
  return "";
}

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

std::span<const std::string_view> foreign_keys() { return kForeign; }

bool is_foreign_key(std::string_view key) {
  return key.starts_with('_') || std::ranges::find(kForeign, key) != kForeign.end();
}

}  // namespace ralph::config
