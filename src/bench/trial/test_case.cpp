#include "bench/trial/test_case.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/trial/case_node_impl.h"
#include "bench/trial/case_shapes_impl.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/json/field.h"

namespace ralph::trial {
namespace {

namespace fs = std::filesystem;
using json::Document;

constexpr std::string_view kCommandName = "command";
constexpr std::size_t kLargestPrompt = std::size_t{16} << 20;

/// Reads one case file; the value is made only if nothing is wrong with it.
class CaseReader {
 public:
  CaseReader(fs::path file, const ReadOptions& options)
      : file_(std::move(file)), folder_(file_.parent_path()), options_(options) {}

  /// null: there are problems.
  Document read(const Shape& shape);
  std::vector<GraderSpec> resolve_graders(Document& document);
  std::string read_prompt(const Document& config);
  std::string path_beside(const std::string& path) const;
  void complain(std::string path, std::string message);

  std::vector<Problem> problems, warnings;

 private:
  GraderSpec read_definition(const std::string& name, const std::string& path);
  void check_settings(const GraderSpec& spec, const Shape& shape, const std::string& path);
  void complete_judge(GraderSpec& spec, const std::string& path);
  std::string read_text(const std::string& name, const std::string& path);
  int line_of(std::string_view path) const;

  fs::path file_, folder_;
  const ReadOptions& options_;
  config::Node node_;
};

void CaseReader::complain(std::string path, std::string message) {
  const int line = line_of(path);
  problems.push_back({std::move(path), std::move(message), file_.native(), line});
}

/// The line of a value, or of the nearest one around it that exists.
int CaseReader::line_of(std::string_view path) const {
  const config::Node* node = &node_;
  int line = node->line;
  while (!path.empty()) {
    const auto dot = path.find('.');
    const auto word = path.substr(0, dot);
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    const config::Node* next = node->find(word);
    if (node->kind == config::Node::Kind::list) {
      const auto index =
          static_cast<std::size_t>(std::strtoul(std::string(word).c_str(), nullptr, 10));
      next = index < node->items.size() ? &node->items[index] : nullptr;
    }
    if (next == nullptr) return line;
    node = next;
    line = node->line;
  }
  return line;
}

Document CaseReader::read(const Shape& shape) {
  auto node = read_node(file_);
  if (!node) {
    // The message of the parser names file and line.
    auto message = node.error().message;
    if (node.error().code == Code::not_found)
      message += "; 'init' writes a test case to start from";
    problems.push_back({{}, std::move(message), {}, 0});
    return nullptr;
  }
  node_ = *std::move(node);
  if (!options_.defaults.variables.empty()) substitute(node_, options_.defaults.variables);
  check_file(node_, shape, file_, problems, warnings);
  return problems.empty() ? make_document(node_, shape) : Document(nullptr);
}

GraderSpec grader_of(const Document& item) {
  const auto& config = json::member(item, "config");
  return {json::text(item, "name"), config.is_object() ? json::write(config) : "{}"};
}

/// `{file: F}` becomes the name and the settings in F, in the document too.
std::vector<GraderSpec> CaseReader::resolve_graders(Document& document) {
  std::vector<GraderSpec> graders;
  std::size_t index = 0;
  for (auto& item : document["evaluators"]) {
    if (const auto* name = json::find_text(item, "file")) {
      auto spec = read_definition(*name, fmt::format("evaluators.{}.file", index));
      Document resolved{{"name", spec.name}};
      if (spec.config != "{}") resolved["config"] = Document::parse(spec.config);
      item = std::move(resolved);
    }
    graders.push_back(grader_of(item));
    if (graders.back().name == kCommandName) {
      check_settings(graders.back(), kCommandConfig, fmt::format("evaluators.{}.config", index));
    }
    if (is_judge_name(graders.back().name)) {
      complete_judge(graders.back(), fmt::format("evaluators.{}.config", index));
    }
    ++index;
  }
  return graders;
}

/// Before any agent starts. `path` is that of the settings.
void CaseReader::check_settings(const GraderSpec& spec, const Shape& shape,
                                const std::string& path) {
  const auto node = config::parse(spec.config, file_.native());
  std::vector<Problem> wrong;
  if (node) check(*node, shape, file_.native(), wrong, warnings);
  for (const auto& problem : wrong) {
    complain(problem.path.empty() ? path : fmt::format("{}.{}", path, problem.path),
             problem.message);
  }
}

GraderSpec CaseReader::read_definition(const std::string& name, const std::string& path) {
  const auto file = path_beside(name);
  auto node = read_node(file);
  if (!node) {
    complain(path, fmt::format("Failed to load evaluator definition from {}: {}", file,
                               node.error().message));
    return {};
  }
  if (!options_.defaults.variables.empty()) substitute(*node, options_.defaults.variables);
  std::vector<Problem> wrong;
  check_file(*node, kEvaluatorDefinition, file, wrong, warnings);
  if (wrong.empty()) return grader_of(make_document(*node, kEvaluatorDefinition));
  std::vector<std::string> texts;
  for (const auto& problem : wrong) texts.push_back(without_place(problem));
  complain(path,
           fmt::format("Invalid evaluator definition in {}: {}", file, fmt::join(texts, ", ")));
  return {};
}

std::string CaseReader::path_beside(const std::string& path) const {
  return (folder_ / path).native();
}

/// A file beside the case; `path` is the key that names it.
std::string CaseReader::read_text(const std::string& name, const std::string& path) {
  const auto text = read_file(path_beside(name), kLargestPrompt);
  if (!text) {
    complain(path, text.error().code == Code::not_found
                       ? fmt::format("prompt file '{}' does not exist (paths are relative to {})",
                                     name, file_.filename().native())
                       : text.error().message);
    return {};
  }
  std::string content(trim(*text));
  if (content.empty()) complain(path, fmt::format("'{}' is empty", name));
  if (content.contains('\0')) complain(path, fmt::format("'{}' contains a NUL byte", name));
  return content;
}

std::string CaseReader::read_prompt(const Document& config) {
  if (const auto* prompt = json::find_text(config, "prompt")) return *prompt;
  if (const auto* name = json::find_text(config, "prompt_file")) {
    return read_text(*name, "agent.config.prompt_file");
  }
  complain("agent.config", "One of \"prompt\" or \"prompt_file\" is required in agent config");
  return {};
}

/// The settings of a judge are checked, and its texts read, before any agent starts.
void CaseReader::complete_judge(GraderSpec& spec, const std::string& path) {
  check_settings(spec, kJudgeConfig, path);
  const auto config = Document::parse(spec.config);
  spec.prompt = json::text(config, "prompt");
  if (const auto* name = json::find_text(config, "prompt_file")) {
    spec.prompt = read_text(*name, path + ".prompt_file");
  }
  if (const auto* name = json::find_text(config, "instructions-file")) {
    spec.instructions = read_text(*name, path + ".instructions-file");
  }
}

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

AgentSpec agent_of(const Document& agent, CaseReader& reader) {
  const auto& config = json::member(agent, "config");
  AgentSpec spec;
  spec.type = json::text(agent, "type");
  spec.agent_name = json::text(agent, "agent_name");
  spec.model = json::text(agent, "model");
  spec.prompt = reader.read_prompt(config);
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

}  // namespace

Checked<TestCase> read_test_case(const fs::path& file, const ReadOptions& options) {
  Checked<TestCase> read;
  read.value.file = file;
  CaseReader reader(file, options);
  auto document = reader.read(options.allow_local ? kLocalTestCase : kPublicTestCase);
  if (document.is_object()) {
    if (document.contains("expected_source") && !document.contains("expected")) {
      reader.complain("expected",
                      "When expected_source is provided, expected value must also be provided");
    }
    read.value.agent = agent_of(document["agent"], reader);
    read.value.graders = reader.resolve_graders(document);
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

Checked<EvalCase> read_eval_case(const fs::path& file, const ReadOptions& options) {
  Checked<EvalCase> read;
  auto& value = read.value;
  value.file = file;
  CaseReader reader(file, options);
  auto document = reader.read(kEvalCase);
  if (document.is_object()) {
    value.name = json::text(document, "name");
    value.description = json::text(document, "description");
    value.directory = json::text(document, "directory");
    value.expected_directory = json::text(document, "expected_directory");
    value.output_dir = json::text(document, "output_dir");
    if (value.output_dir.empty()) value.output_dir = options.defaults.output_dir;
    value.post_evaluation = posts_of(json::member(document, "post_evaluation"));
    value.graders = reader.resolve_graders(document);
    value.canonical = json::write(document);
  }
  read.problems = std::move(reader.problems);
  read.warnings = std::move(reader.warnings);
  return read;
}

bool is_eval_case(const fs::path& file) {
  const auto node = read_node(file);
  return node && node->find("directory") != nullptr && node->find("repo") == nullptr;
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
  return row == rows.end() ? "" : json_schema(*row->shape, row->title);
}

}  // namespace ralph::trial
