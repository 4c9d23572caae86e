#include "bench/trial/test_case.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace ralph::trial {
namespace {

class TestCaseFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, std::string_view text) {
    return folder_.write(name, text);
  }
  Checked<TestCase> read(std::string_view text, const ReadOptions& options = {}) {
    return read_test_case(write("testcase.yaml", text), options);
  }
  std::vector<std::string> problems(std::string_view text, const ReadOptions& options = {}) {
    std::vector<std::string> texts;
    const auto prefix = folder_.path().native() + "/";
    for (const auto& problem : read(text, options).problems) {
      auto line = to_text(problem);
      for (auto at = line.find(prefix); at != std::string::npos; at = line.find(prefix)) {
        line.erase(at, prefix.size());
      }
      texts.push_back(std::move(line));
    }
    return texts;
  }

  test::TempFolder folder_;
};

constexpr std::string_view kSmall = R"(name: Add a comment
description: One small task
repo: https://git.example.test/small.git
agent:
  type: claude-code
  config:
    prompt: Add a comment to README.md
evaluators:
  - name: git-diff
)";

using Lines = std::vector<std::string>;

TEST_F(TestCaseFile, ReadsASmallCase) {
  const auto read_case = read(kSmall);
  ASSERT_TRUE(read_case.ok()) << to_text(read_case.problems.front());
  const auto& value = read_case.value;
  EXPECT_EQ(value.name, "Add a comment");
  EXPECT_EQ(value.agent.type, "claude-code");
  EXPECT_EQ(value.agent.prompt, "Add a comment to README.md");
  EXPECT_EQ(value.timeout, Millis{300'000});
  EXPECT_EQ(value.workspace_dir, ".youbencha-workspace");
  ASSERT_EQ(value.graders.size(), 1U);
  EXPECT_EQ(value.graders[0].name, "git-diff");
}

TEST_F(TestCaseFile, ReadsJsonToo) {
  const auto file = write("testcase.json", R"({"name":"n","description":"d",
    "repo":"https://git.example.test/a.git","agent":{"type":"claude-code","model":"sonnet",
    "config":{"prompt":"do it"}},"evaluators":[{"name":"git-diff","config":{"assertions":{"max_files_changed":1}}}],
    "timeout":1500})");
  const auto read_case = read_test_case(file, {});
  ASSERT_TRUE(read_case.ok()) << to_text(read_case.problems.front());
  EXPECT_EQ(read_case.value.agent.model, "sonnet");
  EXPECT_EQ(read_case.value.timeout, Millis{1500});
  EXPECT_EQ(read_case.value.graders[0].config, R"({"assertions":{"max_files_changed":1}})");
}

TEST_F(TestCaseFile, NamesEveryProblemAtOnceInTheOrderOfTheFormat) {
  EXPECT_EQ(
      problems(R"(description: ''
repo: ftp://example.test/x
agent:
  model: 3
evaluators: []
timeout: -1
workspace_name: -x
)"),
      (Lines{
          "name: Required (testcase.yaml:1)",
          "description: String must contain at least 1 character(s) (testcase.yaml:1)",
          "repo: Repository must be a valid HTTP(S) URL to a public repository (testcase.yaml:2)",
          "agent.type: Required (testcase.yaml:4)",
          "agent.model: Expected string, received number (testcase.yaml:4)",
          "evaluators: Array must contain at least 1 element(s) (testcase.yaml:5)",
          "workspace_name: must begin with a letter or digit and have only letters, digits, "
          "'.', '_' and '-' (testcase.yaml:7)",
          "timeout: Number must be greater than 0 (testcase.yaml:6)",
          "agent.config: One of \"prompt\" or \"prompt_file\" is required in agent config "
          "(testcase.yaml:4)",
      }));
}

TEST_F(TestCaseFile, EvaluatorsAreStrict) {
  EXPECT_EQ(problems(R"(name: n
description: d
repo: https://git.example.test/small.git
agent: {type: claude-code, config: {prompt: x}}
evaluators:
  - name: git-diff
    file: x.yaml
  - nme: y
)"),
            (Lines{"evaluators.0: Unrecognized key(s) in object: 'file' (testcase.yaml:6)",
                   "evaluators.1.name: Required (testcase.yaml:8)",
                   "evaluators.1: Unrecognized key(s) in object: 'nme' (testcase.yaml:8)"}));
}

// FR-007: "System MUST enforce mutual exclusivity of `prompt` and `prompt_file` configuration options".
// 4.5: "`agent.config.prompt` xor `prompt_file` (FR-005–007); a missing file is a clear error".
TEST_F(TestCaseFile, TakesAPromptOrAPromptFileButNotBoth) {
  std::string both(kSmall);
  both.replace(both.find("    prompt:"), 11, "    prompt_file: p.md\n    prompt:");
  EXPECT_EQ(problems(both),
            (Lines{"agent.config: Cannot specify both \"prompt\" and \"prompt_file\". "
                   "Please use only one. (testcase.yaml:7)"}));
  // FR-005: "inline prompt configuration via `agent.config.prompt`"; FR-006: "external prompt files".
  std::string by_file(kSmall);
  by_file.replace(by_file.find("prompt: Add"),
                  std::string("prompt: Add a comment to README.md").size(),
                  "prompt_file: prompts/task.md");
  EXPECT_EQ(
      problems(by_file),
      (Lines{"agent.config.prompt_file: prompt file 'prompts/task.md' does not exist (paths are "
             "relative to testcase.yaml) (testcase.yaml:7)"}));
  write("prompts/task.md", "\n  Fix it.\nThen stop.\n\n");
  EXPECT_EQ(read(by_file).value.agent.prompt, "Fix it.\nThen stop.");
}

TEST_F(TestCaseFile, APromptIsNeeded) {
  std::string none(kSmall);
  none.replace(none.find("prompt: Add"), 11, "other: Add");
  EXPECT_EQ(problems(none),
            (Lines{"agent.config: One of \"prompt\" or \"prompt_file\" is required in "
                   "agent config (testcase.yaml:7)"}));
}

TEST_F(TestCaseFile, ExpectedSourceNeedsAnExpectedBranch) {
  EXPECT_EQ(
      problems(std::string(kSmall) + "expected_source: branch\n"),
      (Lines{"expected: When expected_source is provided, expected value must also be provided "
             "(testcase.yaml:1)"}));
  EXPECT_EQ(problems(std::string(kSmall) + "expected_source: tag\n"),
            (Lines{"expected_source: Invalid enum value. Expected 'branch', received 'tag' "
                   "(testcase.yaml:10)"}));
}

TEST_F(TestCaseFile, PrivateHostsAndLocalRepositoriesNeedPermission) {
  for (const std::string repo :
       {"http://localhost/x.git", "https://127.0.0.1:80/x", "https://192.168.1.1/x",
        "https://10.0.0.1/x", "https://172.16.0.1/x", "https://[::1]/x", "file:///srv/x.git",
        "/srv/x.git", "git@host:x.git", "https://"}) {
    auto text = std::string(kSmall);
    text.replace(text.find("https://git.example.test/small.git"), 34, "'" + repo + "'");
    EXPECT_EQ(problems(text).size(), 1U) << repo;
    if (repo != "https://") {
      EXPECT_TRUE(problems(text, {.defaults = {}, .allow_local = true}).empty()) << repo;
    }
  }
  auto option = std::string(kSmall);
  option.replace(option.find("https://git.example.test/small.git"), 34, "--upload-pack=evil");
  EXPECT_EQ(problems(option, {.defaults = {}, .allow_local = true}),
            (Lines{"repo: must not begin with '-' (testcase.yaml:3)"}));
}

TEST_F(TestCaseFile, UnknownKeysAreWarnings) {
  const auto read_case = read(std::string(kSmall) + "timeuot: 3\n");
  EXPECT_TRUE(read_case.ok());
  ASSERT_EQ(read_case.warnings.size(), 1U);
  EXPECT_EQ(without_place(read_case.warnings[0]),
            "timeuot: unknown key ignored; did you mean 'timeout'?");
}

TEST_F(TestCaseFile, BadInputIsNamedWithItsPlace) {
  EXPECT_EQ(problems("name: [\n"),
            (Lines{"testcase.yaml:3: not valid YAML: end of sequence flow not found"}));
  EXPECT_EQ(problems("name: a\nname: b\n"),
            (Lines{"testcase.yaml:2: key 'name' is already set in line 1"}));
  EXPECT_EQ(problems("just text"), (Lines{"Expected object, received string (testcase.yaml:1)"}));
  EXPECT_EQ(problems(std::string(1'048'577, ' ')),
            (Lines{"Configuration file too large: 1048577 bytes (max: 1048576); put a long prompt "
                   "into a file and name it with "
                   "prompt_file"}));
  const auto missing = read_test_case(folder_.path() / "none.yaml", {});
  ASSERT_EQ(missing.problems.size(), 1U);
  EXPECT_TRUE(missing.problems[0].message.contains("none.yaml")) << missing.problems[0].message;
}

TEST_F(TestCaseFile, VariablesAreReplacedInTextsBeforeTheChecks) {
  ReadOptions options;
  options.defaults.variables = {{"WHAT", "7"}, {"HOST", "git.example.test"}};
  auto text = std::string(kSmall);
  text.replace(text.find("Add a comment\n"), 13, "${WHAT} ${OTHER} ${WHAT}");
  text.replace(text.find("git.example.test"), 16, "${HOST}");
  const auto read_case = read(text, options);
  ASSERT_TRUE(read_case.ok()) << to_text(read_case.problems.front());
  EXPECT_EQ(read_case.value.name, "7 ${OTHER} 7");
  auto number = std::string(kSmall);
  number.replace(number.find("Add a comment\n"), 13, "${WHAT}");
  EXPECT_EQ(read(number, options).value.name, "7");
}

TEST_F(TestCaseFile, EvaluatorDefinitionsAreResolvedBesideTheFile) {
  write("budget.yaml", "name: budget\ndescription: d\nconfig:\n  max_turns: 3\n");
  write("bad.yaml", "config: 3\n");
  const auto text = std::string(kSmall) + "  - file: budget.yaml\n";
  EXPECT_EQ(read(text).value.graders.at(1).name, "budget");
  EXPECT_EQ(read(text).value.graders.at(1).config, R"({"max_turns":3})");
  EXPECT_EQ(
      problems(std::string(kSmall) + "  - file: bad.yaml\n"),
      (Lines{"evaluators.1.file: Invalid evaluator definition in bad.yaml: name: Required, config: "
             "Expected object, received number (testcase.yaml:10)"}));
  EXPECT_TRUE(
      problems(std::string(kSmall) + "  - file: none.yaml\n")
          .at(0)
          .starts_with("evaluators.1.file: Failed to load evaluator definition from none.yaml: "));
}

// 4.6: "`agent_name` → `--agents`, `model` → `--model`, `append_system_prompt`, `system_prompt`, `permission_mode`,
// `allowed_tools` → their flags (FR-008, FR-009, US5); also `mcp_config`, `extra_args`, `env`".
TEST_F(TestCaseFile, ReadsEveryOptionOfTheAgent) {
  folder_.write("mcp.json", R"({"mcpServers":{}})");
  const auto read_case = read(R"(name: n
description: d
repo: https://git.example.test/small.git
agent:
  type: claude-code
  agent_name: reviewer
  model: claude-sonnet-4-5-20250929
  config:
    prompt: x
    system_prompt: s
    append_system_prompt: a
    permission_mode: plan
    allowed_tools: [Read, Write]
    mcp_config: mcp.json
    extra_args: [--effort, low]
    env: {A: b}
    max_tokens: 3
evaluators: [{name: git-diff}]
)");
  ASSERT_TRUE(read_case.ok()) << to_text(read_case.problems.front());
  const auto& agent = read_case.value.agent;
  EXPECT_EQ(agent.agent_name, "reviewer");
  EXPECT_EQ(agent.model, "claude-sonnet-4-5-20250929");
  EXPECT_EQ(agent.system_prompt, "s");
  EXPECT_EQ(agent.append_system_prompt, "a");
  EXPECT_EQ(agent.permission_mode, "plan");
  EXPECT_EQ(agent.allowed_tools, (Lines{"Read", "Write"}));
  EXPECT_EQ(agent.mcp_config, (folder_.path() / "mcp.json").native());
  EXPECT_EQ(agent.extra_args, (Lines{"--effort", "low"}));
  EXPECT_EQ(agent.env, (std::vector<config::Pair>{{"A", "b"}}));
  EXPECT_EQ(agent.ignored_keys, Lines{"max_tokens"});
}

// The hash is of the values in the order of the format, with defaults, without dropped keys; a workspace_dir that is not in the
// file comes last.
TEST_F(TestCaseFile, CanonicalValuesHaveTheOrderOfTheFormat) {
  const auto read_case = read(R"(timeout: 60000.0
evaluators: [{config: {b: 1, a: 0.5}, name: x}]
other: dropped
pre_execution:
  - config: {command: make}
    name: script
agent: {config: {zeta: true, prompt: "x \u00e9"}, type: claude-code}
repo: https://git.example.test/small.git
description: d
name: n
)");
  ASSERT_TRUE(read_case.ok()) << to_text(read_case.problems.front());
  EXPECT_EQ(
      read_case.value.canonical,
      R"({"name":"n","description":"d","repo":"https://git.example.test/small.git","agent":{"type":)"
      R"("claude-code","config":{"prompt":"x é","zeta":true}},"evaluators":[{"name":"x","config":)"
      R"({"b":1,"a":0.5}}],"pre_execution":[{"name":"script","config":{"command":"make","timeout_ms":30000}}],)"
      R"("timeout":60000,"workspace_dir":".youbencha-workspace"})");
  EXPECT_EQ(config_hash(""), "e3b0c44298fc1c14");
  EXPECT_EQ(config_hash(read_case.value.canonical).size(), 16U);
}

TEST_F(TestCaseFile, PostEvaluationIsCheckedByItsName) {
  EXPECT_EQ(
      problems(std::string(kSmall) + R"(post_evaluation:
  - name: webhook
    config: {url: nowhere}
  - name: database
    config: {type: sql}
  - name: mail
)"),
      (Lines{"post_evaluation.0.config.url: Invalid url (testcase.yaml:12)",
             "post_evaluation.1.config.type: Invalid enum value. Expected 'json-file', received "
             "'sql' (testcase.yaml:14)",
             "post_evaluation.1.config.output_path: Required (testcase.yaml:14)",
             "post_evaluation.2.name: Invalid enum value. Expected 'webhook' | 'database' | "
             "'script', received 'mail' (testcase.yaml:15)"}));
}

TEST_F(TestCaseFile, ChecksTheSettingsOfCommandGraders) {
  const std::string begin(kSmall);
  EXPECT_EQ(
      problems(begin + "  - name: command\n    config: {command: make test, protect: [tests/**], "
                       "allow_protected_changes: true, format: junit, report: r.xml, "
                       "min_tests: 2, working_dir: a, env: {A: '1'}, timeout_ms: 5}\n"),
      Lines{});
  EXPECT_EQ(
      problems(begin +
               "  - name: command\n    config:\n      protected: [a]\n      protect: [../b]\n"),
      (Lines{"evaluators.1.config.command: Required (testcase.yaml:12)",
             "evaluators.1.config.protect.0: the pattern '../b' of protect leads out "
             "(testcase.yaml:13)",
             "evaluators.1.config: Unrecognized key(s) in object: 'protected' "
             "(testcase.yaml:12)"}));
  EXPECT_EQ(problems(begin + "  - name: command\n    config: {command: a, format: junit}\n"),
            Lines{"evaluators.1.config: \"format\": \"junit\" needs \"report\", the file that the "
                  "command writes (testcase.yaml:11)"});
}

TEST_F(TestCaseFile, GradersAreCheckedAlsoIfOtherKeysAreWrong) {
  write("tests.yaml", "name: command\nconfig:\n  command: make\n  min_tests: 2\n");
  ReadOptions options;
  options.unknown_grader = [](std::string_view name) -> std::string {
    return name == "git-dif" ? "unknown grader" : "";
  };
  const std::string text = R"(name: n
repo: https://git.example.test/small.git
agent: {type: claude-code, config: {prompt_file: none.md}}
evaluators:
  - name: git-diff

  - name: git-dif
  - name: command
    config:
      command: make
      timeout_ms: 0
  - {name: 7}
  - file: tests.yaml
)";
  EXPECT_EQ(problems(text, options),
            (Lines{"description: Required (testcase.yaml:1)",
                   "evaluators.3.name: Expected string, received number (testcase.yaml:12)",
                   "agent.config.prompt_file: prompt file 'none.md' does not exist (paths are "
                   "relative to testcase.yaml) (testcase.yaml:3)",
                   "evaluators.1.name: unknown grader (testcase.yaml:7)",
                   "evaluators.2.config.timeout_ms: Number must be greater than 0 "
                   "(testcase.yaml:11)",
                   "evaluators.4.config: \"min_tests\" needs \"format\" (tests.yaml:3)"}));
  options.as_yb = true;
  EXPECT_EQ(problems(text, options).size(), 5U);
  const auto warnings = read(text, options).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].line, 7);
}

TEST_F(TestCaseFile, DefaultsOfTheFolderWinOverThoseOfTheHome) {
  write("home/.youbencharc",
        "workspace_dir: a\nkeep_workspace: false\nvariables: {X: '1', Y: '2'}\n");
  write(".youbencha.yaml",
        "workspace_dir: b\nvariables: {X: '3'}\nagent: {model: haiku, timeout_ms: 5}\n");
  const auto read_rc = read_defaults(folder_.path() / "home", folder_.path());
  EXPECT_TRUE(read_rc.warnings.empty());
  EXPECT_EQ(read_rc.value.workspace_dir, "b");
  EXPECT_FALSE(read_rc.value.keep_workspace);
  EXPECT_EQ(read_rc.value.variables, (std::vector<config::Pair>{{"X", "3"}, {"Y", "2"}}));
  EXPECT_EQ(read_rc.value.model, "haiku");
  EXPECT_EQ(read_rc.value.timeout, Millis{5});
}

TEST_F(TestCaseFile, DefaultsWithAnUnknownKeyAreIgnoredWithAWarning) {
  write(".youbencharc", "workspace_dir: b\ncolour: red\n");
  const auto read_rc = read_defaults({}, folder_.path());
  EXPECT_EQ(read_rc.value.workspace_dir, ".youbencha-workspace");
  ASSERT_EQ(read_rc.warnings.size(), 1U);
  EXPECT_EQ(without_place(read_rc.warnings[0]),
            "file ignored: Unrecognized key(s) in object: 'colour'");
}

TEST_F(TestCaseFile, ReadsAnEvalFile) {
  const auto file = write(
      "eval.yaml", "name: n\ndescription: d\ndirectory: work\nevaluators: [{name: git-diff}]\n");
  EXPECT_TRUE(std::holds_alternative<Checked<EvalCase>>(read_case(file, {})));
  const auto read_case = read_eval_case(file, {});
  ASSERT_TRUE(read_case.ok());
  EXPECT_EQ(read_case.value.directory, "work");
  EXPECT_EQ(read_case.value.output_dir, ".youbencha-eval");
}

}  // namespace
}  // namespace ralph::trial
