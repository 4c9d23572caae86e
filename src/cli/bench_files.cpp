// `bench init`, `install-agents`, `config`, `suggest-testcase`: the files around test cases.
#include <functional>
#include <optional>

#include <fmt/core.h>

#include "bench/trial/defaults_file.h"
#include "cli/bench.h"
#include "core/base/file.h"
#include "core/json/writer.h"

namespace ralph::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStarterCase =
    R"(# A test case of 'ralph bench' (or 'yb'). 'ralph docs bench' describes every key.
name: One small change
description: The agent does one small task and changes only one file.

# The repository the agent works in: a public http(s) address, or with --allow-local a path.
repo: {REPO}
# branch: master
# commit: 7fd1a60b01f91b314f59955a4e4d4e80d8edf11d

agent:
  type: {AGENT}
  # model: sonnet
  config:
    prompt: {PROMPT}
    # prompt_file: task.md   # instead of prompt, relative to this file

evaluators:
  - name: git-diff
    config:
      assertions:
        max_files_changed: 1
        max_lines_removed: 5
  # - name: expected-diff    # needs 'expected', a branch with the expected result
  #   config:
  #     threshold: 0.8
  # - name: command          # in a fresh copy, with these files as they were before the agent
  #   config:
  #     command: make test
  #     protect: ["tests/**"]

timeout: 300000              # milliseconds
)";

constexpr std::string_view kJudge = R"(---
name: agentic-judge
description: Grades the work of another agent and answers with JSON.
tools: Read, Glob, Grep
---

You grade work that another agent did in this repository. Do not change any file.

You get a list of assertions, each with a key. For each one, look at the files and give a score between 0 (not met) and
1 (fully met), in steps of 0.1. Base every score on what you read, not on what you assume.

Answer with one JSON object and nothing else:

```json
{
  "status": "passed",
  "metrics": {"<key>": 1.0},
  "message": "one or two sentences that name the reason for the lowest score"
}
```

`status` is `passed` if every score is at least 0.5, otherwise `failed`. `metrics` has every key.
)";

constexpr std::string_view kJudgeFiles[] = {".github/agents/agentic-judge.md",
                                            ".claude/agents/agentic-judge.md"};

/// What the starter has in a place, and the option that replaces it.
struct StarterValue {
  std::string_view mark, option, usual;
};
constexpr StarterValue kStarterValues[] = {
    {"{REPO}", "repo", "https://github.com/octocat/Hello-World.git"},
    {"{AGENT}", "agent", "claude-code"},
    {"{PROMPT}", "prompt", "Add a section \"Usage\" with one sentence to the README."},
};

/// A JSON text is a YAML text too.
std::string starter_case(const Arguments& arguments) {
  std::string text(kStarterCase);
  for (const auto& value : kStarterValues) {
    std::string quoted;
    json::append_string(quoted, arguments.value(value.option, value.usual));
    text.replace(text.find(value.mark), value.mark.size(), quoted);
  }
  return text;
}

/// Writes the judge's files; 1: one could not be written.
int install_judge(bool force, const BenchLines& lines) {
  int code = 0;
  for (const auto name : kJudgeFiles) {
    std::error_code error;
    const bool exists = fs::exists(name, error);
    if (exists && !force) {
      lines.info(fmt::format("{}: skipped, it exists (--force overwrites it)", name));
      continue;
    }
    auto written = make_folders(fs::path(name).parent_path(), 0755);
    if (written) written = write_file_atomically(name, kJudge, 0644);
    if (!written) {
      lines.warn(describe(written.error()));
      code = 1;
    } else {
      lines.info(fmt::format("{}: {}", name, exists ? "overwritten" : "created"));
    }
  }
  return code;
}

int bench_install_agents(const Arguments& arguments, const BenchLines& lines) {
  return install_judge(arguments.flag("force"), lines);
}

/// Writes a file that does not exist, unless `force`. Returns the exit code.
int create_file(const fs::path& file, bool force, const BenchLines& lines,
                const std::function<Result<>()>& write) {
  std::error_code error;
  if (fs::exists(file, error) && !force) {
    lines.fail(
        {Code::usage, fmt::format("'{}' exists", file.native()), "use --force to overwrite it"});
    return 1;
  }
  if (const auto written = write(); !written) return lines.fail(written.error());
  lines.info(fmt::format("{}: created", file.native()));
  return 0;
}

int bench_init(const Arguments& arguments, const BenchLines& lines) {
  constexpr std::string_view kName = "testcase.yaml";
  const int code = create_file(kName, arguments.flag("force"), lines, [&] {
    return write_file_atomically(kName, starter_case(arguments), 0644);
  });
  if (code != 0) return code;
  install_judge(arguments.flag("force"), lines);
  const auto repo = arguments.value("repo");
  const bool local = !repo.empty() && !repo.starts_with("https://") && !repo.starts_with("http://");
  lines.info(fmt::format("next: {} run -c testcase.yaml{}", lines.as_yb() ? "yb" : "ralph bench",
                         local ? " --allow-local" : ""));
  return 0;
}

// ---- .youbencharc

fs::path home_or_here(bool global) { return global ? home_folder() : fs::path("."); }

int config_init(bool global, bool force, const BenchLines& lines) {
  const auto file = trial::defaults_file(home_or_here(global));
  return create_file(file, force, lines, [&] { return trial::write_starter_defaults(file); });
}

int config_show(std::string_view key, const BenchLines& lines) {
  const auto text = trial::default_text(home_or_here(true), home_or_here(false), key);
  if (!text) {
    lines.fail(text.error());
    return 1;
  }
  lines.output().out(*text);
  return 0;
}

int config_change(std::string_view key, std::optional<std::string_view> value, bool global,
                  const BenchLines& lines) {
  const auto file = trial::defaults_file(home_or_here(global));
  if (auto changed = trial::change_default(file, key, value); !changed) {
    lines.fail(changed.error());
    return 1;
  }
  lines.info(fmt::format("{}: {} {}", file.native(), value ? "set" : "unset", key));
  return 0;
}

int bench_config(const Arguments& arguments, const BenchLines& lines) {
  const auto action = arguments.positional(0), key = arguments.positional(1);
  const bool global = arguments.flag("global");
  const bool needs_key = action == "get" || action == "set" || action == "unset";
  if (needs_key && key.empty()) {
    return lines.fail({Code::usage, fmt::format("'config {}' needs a key", action), {}});
  }
  if (action == "init") return config_init(global, arguments.flag("force"), lines);
  if (action == "list") return config_show("", lines);
  if (action == "get") return config_show(key, lines);
  if (action == "set") return config_change(key, arguments.positional(2), global, lines);
  if (action == "unset") return config_change(key, std::nullopt, global, lines);
  return lines.fail(
      {Code::usage, fmt::format("unknown action '{}'", action), "init, list, get, set or unset"});
}

int bench_suggest(const Arguments&, const BenchLines& lines) {
  lines.fail(
      {Code::usage,
       "suggest-testcase is not available: it would start an agent that asks you questions",
       "write the test case from the one that 'init' makes, or ask an agent to do it and check it "
       "with 'validate'"});
  return 1;
}

constexpr Option kBenchForce[] = {{"--force", "", "overwrite files that exist"}};
constexpr Option kBenchConfigOptions[] = {{"--global", "", "the file in the home directory"},
                                          {"--force", "", "overwrite a file that exists (init)"}};
constexpr Positional kBenchConfigPositionals[] = {
    {"ACTION", "init, list, get, set or unset"},
    {"KEY", "such as workspace_dir or variables.NAME", Need::optional},
    {"VALUE", "for set", Need::optional},
};
constexpr Option kBenchSuggestOptions[] = {{"--agent", "TYPE", "ignored"},
                                           {"--output-dir", "PATH", "ignored"},
                                           {"--agent-file", "PATH", "ignored"},
                                           {"--save", "PATH", "ignored"}};
constexpr Option kBenchInitOptions[] = {
    {"--repo", "ADDRESS", "the repository"},
    {"--agent", "TYPE", "the agent"},
    {"--prompt", "TEXT", "its task"},
    {"--force", "", "overwrite files that exist"},
};
constexpr Command kInitBench{"bench init",
                             "write a test case to start from",
                             "Writes testcase.yaml and the files of the agent that judges.",
                             {},
                             kBenchInitOptions,
                             {},
                             nullptr};
constexpr Command kInstallBench{"bench install-agents",
                                "install the files of the agent that judges",
                                "Writes agentic-judge.md into .github/agents and .claude/agents.",
                                {},
                                kBenchForce,
                                {},
                                nullptr};
constexpr Command kConfigBench{
    "bench config",
    "show or change .youbencharc",
    "Defaults of test cases: .youbencharc of this directory, then of the home directory.",
    kBenchConfigPositionals,
    kBenchConfigOptions,
    {},
    nullptr};
constexpr Command kSuggestBench{
    "bench suggest-testcase",
    "not available; says what to do instead",
    "youBencha starts an interactive agent here; 'ralph bench' does not.",
    {},
    kBenchSuggestOptions,
    {},
    nullptr};

}  // namespace

const BenchCommand kBenchInit{kInitBench, bench_init};
const BenchCommand kBenchInstallAgents{kInstallBench, bench_install_agents};
const BenchCommand kBenchConfig{kConfigBench, bench_config};
const BenchCommand kBenchSuggest{kSuggestBench, bench_suggest};

}  // namespace ralph::cli
