#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/trial/adapter.h"
#include "bench/trial/case_node_impl.h"
#include "bench/trial/case_reader_impl.h"
#include "bench/trial/case_shapes_impl.h"
#include "core/base/file.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/config/setting.h"
#include "core/json/field.h"
#include "harness/backend/agent_type.h"
#include "harness/backend/backend.h"

namespace ralph::trial {
namespace {

using config::Node;
using json::Document;

constexpr std::string_view kCommandName = "command";
constexpr std::string_view kBranchGrader = "expected-diff";  // compares with `expected`
constexpr std::size_t kLargestPrompt = std::size_t{16} << 20;
constexpr Shape kAnySettings{.type = Type::object, .others = OtherKeys::kept};

/// A member that is a text with at least one character; nullptr: there is none.
const Node* find_text_in(const Node& node, std::string_view key) {
  const auto* value = node.find(key);
  return value != nullptr && !value->text.empty() && type_name(*value) == "string" ? value
                                                                                   : nullptr;
}

bool has_words(const Node* command) {
  if (command == nullptr) return false;
  return command->kind == Node::Kind::list ? !command->items.empty() : !trim(command->text).empty();
}

/// What is wrong with an agent on every machine, at "type" or "command"; `settings` would have the command.
std::optional<Problem> agent_problem(const Node& type, const Node& settings) {
  if (auto wrong = unknown_agent_type(type.text); !wrong.empty()) {
    return Problem{"type", std::move(wrong), {}, type.line};
  }
  if (!needs_command(type.text) || has_words(settings.find("command"))) return std::nullopt;
  return Problem{"command",
                 fmt::format("Required for the type {}: a list of words; {{prompt}} stands for the "
                             "prompt, otherwise it is on stdin",
                             type.text),
                 {},
                 settings.line};
}

/// A permission mode that no agent has, and what there is; empty: it is one.
std::string unknown_mode(std::string_view mode) {
  std::string known(config::setting(config::Key::permission_mode).choices);
  for (std::string_view rest = known; !rest.empty();) {
    const auto word = rest.substr(0, rest.find('|'));
    if (word == mode) return {};
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  for (std::size_t at = 0; (at = known.find('|', at)) != std::string::npos;) {
    known.replace(at, 1, ", ");
  }
  return fmt::format("unknown mode '{}' (known modes: {})", mode, known);
}

/// A misspelt tool: "unknown tool 'Bsh'; did you mean 'Bash'?"; empty: it may be one, such as that of an MCP server.
std::string misspelt_tool(std::string_view rule, std::span<const std::string_view> tools) {
  const auto name = rule.substr(0, rule.find('('));
  const std::vector<std::string> known(tools.begin(), tools.end());
  if (std::ranges::find(known, name) != known.end()) return {};
  const auto near = nearest(name, known);
  return near.empty() ? "" : fmt::format("unknown tool '{}'; did you mean '{}'?", name, near);
}

/// What the settings of a grader must look like; nullptr: anything.
const Shape* settings_shape(std::string_view grader) {
  if (grader == kCommandName) return &kCommandConfig;
  if (is_judge_name(grader)) return &kJudgeConfig;
  const auto found = std::ranges::find(measuring_graders(), grader, &GraderShape::grader);
  return found == measuring_graders().end() ? nullptr : found->shape;
}

/// The name and the settings in the document's form.
Document to_document(const GraderSpec& spec) {
  Document document{{"name", spec.name}};
  if (spec.config != "{}") document["config"] = Document::parse(spec.config);
  return document;
}

}  // namespace

void CaseReader::complain(std::string path, std::string message) {
  const int line = line_of(path);
  problems.push_back({std::move(path), std::move(message), file_.native(), line});
}

/// The line of a value, or of the nearest one around it that exists.
int CaseReader::line_of(std::string_view path) const {
  const Node* node = &node_;
  int line = node->line;
  while (!path.empty()) {
    const auto dot = path.find('.');
    const auto word = path.substr(0, dot);
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    const Node* next = node->find(word);
    if (node->kind == Node::Kind::list) {
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

/// Once: a pipe is empty then.
bool CaseReader::load() {
  if (was_read_) return problems.empty();
  was_read_ = true;
  auto node = read_node(file_);
  if (!node) {
    // The message of the parser names file and line.
    auto message = node.error().message;
    if (node.error().code == Code::not_found)
      message += "; 'init' writes a test case to start from";
    problems.push_back({{}, std::move(message), {}, 0});
    return false;
  }
  node_ = *std::move(node);
  return true;
}

bool CaseReader::is_eval_case() {
  return load() && node_.find("directory") != nullptr && node_.find("repo") == nullptr;
}

Document CaseReader::read(const Shape& shape) {
  if (!load()) return nullptr;
  if (!options_.defaults.variables.empty()) substitute(node_, options_.defaults.variables);
  is_test_case_ = &shape != &kEvalCase;
  check_file(node_, shape, file_, problems, warnings);
  return problems.empty() ? make_document(node_, shape) : Document(nullptr);
}

void CaseReader::check_expected() {
  const auto* source = node_.find("expected_source");
  if (source == nullptr || source->text != "branch" || node_.find("expected") != nullptr) return;
  complain("expected", "When expected_source is provided, expected value must also be provided");
}

void CaseReader::check_agent() {
  const auto* agent = node_.find("agent");
  const auto* config = agent == nullptr ? nullptr : agent->find("config");
  if (config != nullptr) warn_of_unknown_options(*config);
  const auto* type = agent == nullptr ? nullptr : find_text_in(*agent, "type");
  if (type == nullptr) return;
  if (config != nullptr) check_options(type->text, *config);
  auto problem = agent_problem(*type, config == nullptr ? *agent : *config);
  if (!problem) return;
  complain(problem->path == "type" ? "agent.type" : "agent.config.command",
           std::move(problem->message));
}

/// They are kept in the canonical values, as youBencha does, but no agent gets them.
void CaseReader::warn_of_unknown_options(const Node& config) {
  const auto known = agent_config_keys(), outer = agent_keys();
  for (const auto& key : config.keys) {
    if (std::ranges::find(known, key.text) != known.end()) continue;
    const bool is_outer = std::ranges::find(outer, key.text) != outer.end();
    const auto near = is_outer ? "agent." + key.text : nearest(key.text, known);
    warnings.push_back({"agent.config." + key.text,
                        near.empty() ? "unknown key ignored"
                                     : fmt::format("unknown key ignored; did you mean '{}'?", near),
                        file_.native(), key.line});
  }
}

void CaseReader::check_options(std::string_view type, const Node& config) {
  const auto found = backend::find_agent_type(type);
  if (!found || found->command != nullptr) return;
  const auto& agent = *backend::find_backend(found->backend);
  const auto* mode = agent.can.permission_mode ? find_text_in(config, "permission_mode") : nullptr;
  if (auto wrong = mode == nullptr ? "" : unknown_mode(mode->text); !wrong.empty()) {
    complain("agent.config.permission_mode", std::move(wrong));
  }
  const auto* tools = agent.can.tool_lists ? config.find("allowed_tools") : nullptr;
  for (std::size_t i = 0; tools != nullptr && i < tools->items.size(); ++i) {
    auto wrong = misspelt_tool(tools->items[i].text, agent.tools.worker);
    if (!wrong.empty()) {
      complain(fmt::format("agent.config.allowed_tools.{}", i), std::move(wrong));
    }
  }
  const auto* servers = agent.can.mcp_config ? find_text_in(config, "mcp_config") : nullptr;
  if (servers != nullptr) check_mcp_config(servers->text);
}

void CaseReader::check_mcp_config(const std::string& name) {
  constexpr const char* kKey = "agent.config.mcp_config";
  const auto text = read_file(path_beside(name), kLargestPrompt);
  if (!text) {
    complain(kKey, text.error().code == Code::not_found
                       ? fmt::format("'{}' does not exist (paths are relative to {})", name,
                                     file_.filename().native())
                       : text.error().message);
    return;
  }
  const auto servers = json::parse(*text, name);
  if (!servers) return complain(kKey, servers.error().message);
  if (json::member(*servers, "mcpServers").is_object()) return;
  complain(kKey, fmt::format("'{}' has no object 'mcpServers'", name));
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

std::string CaseReader::read_prompt() {
  const auto* agent = node_.find("agent");
  if (agent == nullptr || agent->kind != Node::Kind::map) return {};
  const auto* config = agent->find("config");
  if (config != nullptr && config->kind != Node::Kind::map) return {};
  const auto* prompt = config == nullptr ? nullptr : config->find("prompt");
  const auto* name = config == nullptr ? nullptr : config->find("prompt_file");
  if (prompt != nullptr) return prompt->text;
  if (name == nullptr) {
    complain("agent.config", "One of \"prompt\" or \"prompt_file\" is required in agent config");
    return {};
  }
  const auto* text = find_text_in(*config, "prompt_file");
  return text == nullptr ? "" : read_text(text->text, "agent.config.prompt_file");
}

std::vector<GraderSpec> CaseReader::read_graders(Document& document) {
  std::vector<GraderSpec> graders;
  const auto* list = node_.find("evaluators");
  if (list == nullptr || list->kind != Node::Kind::list) return graders;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const auto grader = grader_node(list->items[i], fmt::format("evaluators.{}", i));
    if (find_text_in(grader.node, "name") == nullptr) continue;
    graders.push_back(read_grader(grader));
    const bool by_file = list->items[i].find("file") != nullptr;
    if (document.is_object() && by_file) {
      document["evaluators"][i] = to_document(graders.back());
    }
  }
  return graders;
}

/// Without a name: it has problems, which were reported.
CaseReader::GraderNode CaseReader::grader_node(const Node& item, const std::string& path) {
  const auto* file = find_text_in(item, "file");
  if (file == nullptr || item.find("name") != nullptr) return {item, file_.native(), path};
  return {read_definition(file->text, path + ".file"), path_beside(file->text), path};
}

Node CaseReader::read_definition(const std::string& name, const std::string& path) {
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
  if (wrong.empty()) return *std::move(node);
  std::vector<std::string> texts;
  for (const auto& problem : wrong) texts.push_back(without_place(problem));
  complain(path,
           fmt::format("Invalid evaluator definition in {}: {}", file, fmt::join(texts, ", ")));
  return {};
}

GraderSpec CaseReader::read_grader(const GraderNode& grader) {
  const auto& name = *grader.node.find("name");
  const auto* config = grader.node.find("config");
  GraderSpec spec;
  spec.name = name.text;
  spec.path = grader.path + ".config";
  spec.file = grader.file;
  spec.line = config == nullptr ? name.line : config->line;
  if (config != nullptr && config->kind == Node::Kind::map) {
    spec.config = json::write(make_document(*config, kAnySettings));
  }
  check_name(grader, name);
  if (spec.name == kBranchGrader && is_test_case_) check_branch(grader, name);
  if (const auto* shape = settings_shape(spec.name)) check_settings(grader, *shape);
  if (is_judge_name(spec.name)) {
    check_judge(grader);
    read_judge_texts(spec, grader.path + ".config");
  }
  return spec;
}

void CaseReader::check_name(const GraderNode& grader, const Node& name) {
  if (!options_.unknown_grader) return;
  auto wrong = options_.unknown_grader(name.text);
  if (wrong.empty()) return;
  auto& list = options_.as_yb ? warnings : problems;
  list.push_back({grader.path + ".name", std::move(wrong), grader.file, name.line});
}

void CaseReader::check_branch(const GraderNode& grader, const Node& name) {
  if (node_.find("expected") != nullptr) return;
  auto& list = options_.as_yb ? warnings : problems;
  list.push_back({grader.path + ".name",
                  "expected-diff needs 'expected', the branch with the expected result",
                  grader.file, name.line});
}

/// Before any agent starts.
void CaseReader::check_settings(const GraderNode& grader, const Shape& shape) {
  const auto* config = grader.node.find("config");
  if (config != nullptr && config->kind != Node::Kind::map) return;
  Node none;
  none.kind = Node::Kind::map;
  none.line = grader.node.line;
  std::vector<Problem> wrong, doubtful;
  check(config == nullptr ? none : *config, shape, grader.file, wrong, doubtful);
  const auto add = [&](std::vector<Problem>& from, std::vector<Problem>& to) {
    for (auto& problem : from) {
      problem.path =
          fmt::format("{}.config{}{}", grader.path, problem.path.empty() ? "" : ".", problem.path);
      to.push_back(std::move(problem));
    }
  };
  const bool measures = &shape != &kCommandConfig && &shape != &kJudgeConfig;
  add(wrong, options_.as_yb && measures ? warnings : problems);
  add(doubtful, warnings);
}

/// youBencha skips a judge that it cannot start.
void CaseReader::check_judge(const GraderNode& grader) {
  const auto* config = grader.node.find("config");
  const auto* type = config == nullptr ? nullptr : find_text_in(*config, "type");
  if (type == nullptr) return;
  auto problem = agent_problem(*type, *config);
  if (!problem) return;
  problem->path = fmt::format("{}.config.{}", grader.path, problem->path);
  problem->file = grader.file;
  (options_.as_yb ? warnings : problems).push_back(*std::move(problem));
}

/// They are read before any agent starts.
void CaseReader::read_judge_texts(GraderSpec& spec, const std::string& path) {
  const auto config = Document::parse(spec.config);
  spec.prompt = json::text(config, "prompt");
  if (const auto* name = json::find_text(config, "prompt_file")) {
    spec.prompt = read_text(*name, path + ".prompt_file");
  }
  if (const auto* name = json::find_text(config, "instructions-file")) {
    spec.instructions = read_text(*name, path + ".instructions-file");
  }
}

}  // namespace ralph::trial
