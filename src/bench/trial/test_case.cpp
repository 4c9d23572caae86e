#include "bench/trial/test_case.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "bench/trial/case_node_impl.h"
#include "bench/trial/case_reader_impl.h"
#include "bench/trial/case_shapes_impl.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/json/field.h"

namespace ralph::trial {
namespace {

namespace fs = std::filesystem;
using json::Document;

/// Blanks separate the words of a command that is one text.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (;;) {
    text = trim(text);
    if (text.empty()) return words;
    const auto end = text.find_first_of(kBlanks);
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  }
}

AgentSpec agent_of(const Document& agent, const CaseReader& reader) {
  const auto& config = json::member(agent, "config");
  AgentSpec spec;
  spec.type = json::text(agent, "type");
  spec.agent_name = json::text(agent, "agent_name");
  spec.model = json::text(agent, "model");
  spec.system_prompt = json::text(config, "system_prompt");
  spec.append_system_prompt = json::text(config, "append_system_prompt");
  spec.permission_mode = json::text(config, "permission_mode");
  spec.allowed_tools = texts(config, "allowed_tools");
  spec.extra_args = texts(config, "extra_args");
  spec.env = pairs(config, "env");
  spec.output_format = json::text(config, "output_format");
  if (const auto* file = json::find_text(config, "mcp_config")) {
    std::error_code error;
    spec.mcp_config = fs::absolute(reader.path_beside(*file), error).native();
  }
  spec.command = texts(config, "command");
  if (json::find_text(config, "command") != nullptr) spec.command = words_of(spec.command.front());
  for (const std::string_view key : {"max_tokens", "temperature"}) {
    if (!json::member(config, key).is_null()) spec.ignored_keys.emplace_back(key);
  }
  return spec;
}

std::vector<ScriptSpec> scripts_of(const Document& list) {
  std::vector<ScriptSpec> scripts;
  if (!list.is_array()) return scripts;
  for (const auto& item : list) {
    const auto& config = json::member(item, "config");
    scripts.push_back({json::text(config, "command"), texts(config, "args"), pairs(config, "env"),
                       json::text(config, "working_dir"),
                       Millis(json::integer(config, "timeout_ms"))});
  }
  return scripts;
}

std::vector<PostSpec> posts_of(const Document& list) {
  std::vector<PostSpec> posts;
  if (!list.is_array()) return posts;
  for (const auto& item : list) {
    posts.push_back({json::text(item, "name"), json::write(json::member(item, "config"))});
  }
  return posts;
}

void set_rest(const Document& document, const Defaults& defaults, TestCase& value) {
  value.name = json::text(document, "name");
  value.description = json::text(document, "description");
  value.repo = json::text(document, "repo");
  value.branch = json::text(document, "branch");
  value.commit = json::text(document, "commit");
  value.expected_source = json::text(document, "expected_source");
  value.expected = json::text(document, "expected");
  value.pre_execution = scripts_of(json::member(document, "pre_execution"));
  value.post_evaluation = posts_of(json::member(document, "post_evaluation"));
  value.workspace_dir = json::text(document, "workspace_dir");
  value.workspace_name = json::text(document, "workspace_name");
  const auto timeout = json::number(document, "timeout");
  if (timeout) value.timeout = std::max(Millis{1}, Millis(static_cast<std::int64_t>(*timeout)));
  if (!timeout && defaults.timeout) value.timeout = *defaults.timeout;
  if (value.agent.model.empty()) value.agent.model = defaults.model;
}

Checked<TestCase> test_case_of(CaseReader& reader, const fs::path& file,
                               const ReadOptions& options) {
  Checked<TestCase> read;
  read.value.file = file;
  auto document = reader.read(options.allow_local ? kLocalTestCase : kPublicTestCase);
  reader.check_expected();
  reader.check_agent();
  auto prompt = reader.read_prompt();
  read.value.graders = reader.read_graders(document);
  if (document.is_object()) {
    read.value.agent = agent_of(document["agent"], reader);
    read.value.agent.prompt = std::move(prompt);
    set_rest(document, options.defaults, read.value);
    if (!document.contains("workspace_dir")) {
      document["workspace_dir"] = options.defaults.workspace_dir;
      read.value.workspace_dir = options.defaults.workspace_dir;
    }
    read.value.canonical = json::write(document);
  }
  read.problems = std::move(reader.problems);
  read.warnings = std::move(reader.warnings);
  return read;
}

Checked<EvalCase> eval_case_of(CaseReader& reader, const fs::path& file,
                               const ReadOptions& options) {
  Checked<EvalCase> read;
  auto& value = read.value;
  value.file = file;
  auto document = reader.read(kEvalCase);
  value.graders = reader.read_graders(document);
  if (document.is_object()) {
    value.name = json::text(document, "name");
    value.description = json::text(document, "description");
    value.directory = json::text(document, "directory");
    value.expected_directory = json::text(document, "expected_directory");
    value.output_dir = json::text(document, "output_dir");
    if (value.output_dir.empty()) value.output_dir = options.defaults.output_dir;
    value.post_evaluation = posts_of(json::member(document, "post_evaluation"));
    value.canonical = json::write(document);
  }
  read.problems = std::move(reader.problems);
  read.warnings = std::move(reader.warnings);
  return read;
}

}  // namespace

Checked<TestCase> read_test_case(const fs::path& file, const ReadOptions& options) {
  CaseReader reader(file, options);
  return test_case_of(reader, file, options);
}

Checked<EvalCase> read_eval_case(const fs::path& file, const ReadOptions& options) {
  CaseReader reader(file, options);
  return eval_case_of(reader, file, options);
}

std::variant<Checked<TestCase>, Checked<EvalCase>> read_case(const fs::path& file,
                                                             const ReadOptions& options) {
  CaseReader reader(file, options);
  if (reader.is_eval_case()) return eval_case_of(reader, file, options);
  return test_case_of(reader, file, options);
}

bool is_judge_name(std::string_view name) {
  if (!name.starts_with(kJudgeName)) return false;
  const auto rest = name.substr(kJudgeName.size());
  return rest.empty() || rest.starts_with(':') || rest.starts_with('-');
}

std::string config_hash(std::string_view canonical) { return sha256_hex(canonical).substr(0, 16); }

std::string input_schema(std::string_view name) {
  struct Row {
    std::string_view name;
    const Shape* shape;
    std::string_view title;
  };
  const auto rows = std::to_array<Row>({
      {"testcase", &kLocalTestCase, "Test case of ralph bench"},
      {"eval", &kEvalCase, "Eval file of ralph bench"},
      {"evaluator", &kEvaluatorDefinition, "Evaluator definition of ralph bench"},
      {"command", &kCommandConfig, "Settings of the grader command"},
      {"judge", &kJudgeConfig, "Settings of agentic-judge"},
      {"config", &kDefaultsFile, ".youbencharc"},
  });
  const auto row = std::ranges::find(rows, name, &Row::name);
  if (row != rows.end()) return json_schema(*row->shape, row->title);
  const auto grader = std::ranges::find(measuring_graders(), name, &GraderShape::grader);
  return grader == measuring_graders().end()
             ? ""
             : json_schema(*grader->shape, fmt::format("Settings of the grader {}", name));
}

}  // namespace ralph::trial
