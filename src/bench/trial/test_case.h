#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/trial/problem.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/config/value.h"

namespace ralph::trial {

/// The agent of a test case and everything it is asked.
struct AgentSpec {
  std::string type;  // "claude-code"
  std::string agent_name, model;
  std::string prompt;  // of prompt or prompt_file
  std::string system_prompt, append_system_prompt, permission_mode, mcp_config;
  std::vector<std::string> allowed_tools, extra_args;
  std::vector<std::string> command;  // of the type custom
  std::vector<config::Pair> env;
  std::string output_format;              // of the type custom: "stream-json" or "text"
  std::vector<std::string> ignored_keys;  // of upstream, which no agent has an option for
  std::string answer_schema;  // JSON Schema of the answer, for agents that have such an option
  bool only_reads = false;    // only tools that read files, for agents that have tool lists
};

/// One grader of a case: its name and its own settings.
struct GraderSpec {
  std::string name;
  std::string config = "{}";         // JSON object
  std::string prompt, instructions;  // of a judge: the texts that its settings name or have
  std::string path, file;            // where its settings are: "evaluators.0.config"
  int line = 0;
};

inline constexpr std::string_view kJudgeName = "agentic-judge";
/// Whether a grader is a judge: "agentic-judge", "agentic-judge:NAME" or "agentic-judge-NAME".
bool is_judge_name(std::string_view name);

/// A shell command before the agent or after the graders.
struct ScriptSpec {
  std::string command;
  std::vector<std::string> args;
  std::vector<config::Pair> env;
  std::string working_dir;
  Millis timeout{30'000};
};

/// Where results are sent: "webhook", "database" or "script" with its settings.
struct PostSpec {
  std::string name;
  std::string config = "{}";  // JSON object
};

struct TestCase {
  std::string name, description, repo, branch, commit, expected_source, expected;
  AgentSpec agent;
  std::vector<GraderSpec> graders;
  std::vector<ScriptSpec> pre_execution;
  std::vector<PostSpec> post_evaluation;
  std::string workspace_dir, workspace_name;
  Millis timeout{300'000};

  std::filesystem::path file;  // as the user gave it
  std::string canonical;       // the checked values as compact JSON, for config_hash
};

/// A directory that is graded without an agent.
struct EvalCase {
  std::string name, description, directory, expected_directory, output_dir;
  std::vector<GraderSpec> graders;
  std::vector<PostSpec> post_evaluation;

  std::filesystem::path file;
  std::string canonical;
};

/// `.youbencharc`: defaults of the user and of a directory.
struct Defaults {
  std::string workspace_dir = ".youbencha-workspace";
  std::string output_dir = ".youbencha-eval";
  bool keep_workspace = true;
  std::vector<config::Pair> variables;
  std::optional<Millis> timeout;  // of a test case without its own
  std::string model;              // the same
};

/// Reads `.youbencharc` (or `.youbencharc.yaml` …, `.youbencha.yaml` …) of the home directory, then of `folder`, which wins.
/// A file with problems is ignored; they are warnings.
Checked<Defaults> read_defaults(const std::filesystem::path& home,
                                const std::filesystem::path& folder);
/// The names of that file, the preferred one first.
std::span<const std::string_view> defaults_names();

struct ReadOptions {
  Defaults defaults;
  bool allow_local = false;  // local paths, file:// and private hosts for `repo`
  /// What is wrong with the name of a grader; empty: nothing. None: every name is accepted.
  std::string (*unknown_grader)(std::string_view name) = nullptr;
  bool as_yb = false;  // unknown graders and wrong settings of those that measure are warnings
};

inline constexpr std::size_t kLargestCaseFile = 1'048'576;

/// Reads a test case with everything it names: evaluator definitions and the prompt file. Every problem is reported at once.
Checked<TestCase> read_test_case(const std::filesystem::path& file, const ReadOptions& options);
Checked<EvalCase> read_eval_case(const std::filesystem::path& file, const ReadOptions& options);

/// The one that the file is: an eval file has `directory` and no `repo`.
std::variant<Checked<TestCase>, Checked<EvalCase>> read_case(const std::filesystem::path& file,
                                                             const ReadOptions& options);

/// The first 16 hex digits of the SHA-256 of the canonical values.
std::string config_hash(std::string_view canonical);

/// Names of `validate --schema`: "testcase", "eval", "evaluator", "judge", "config"; empty: no such schema.
std::string input_schema(std::string_view name);

}  // namespace ralph::trial
