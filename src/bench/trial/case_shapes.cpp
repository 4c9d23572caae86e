#include <algorithm>
#include <array>
#include <cstdint>

#include "bench/trial/case_shapes_impl.h"

namespace ralph::trial {
namespace {

using config::Node;
using enum Presence;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string check_workspace_name(const Node& node) {
  const auto& name = node.text;
  const bool begins_well = !name.empty() && is_word_character(name.front());
  const bool valid = std::ranges::all_of(
      name, [](char c) { return is_word_character(c) || c == '.' || c == '_' || c == '-'; });
  return begins_well && valid
             ? ""
             : "must begin with a letter or digit and have only letters, digits, '.', '_' and '-'";
}

/// The host of an http(s) address; empty: it is none.
std::string host_of(std::string_view address) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!address.starts_with(scheme)) continue;
    auto host = address.substr(scheme.size());
    host = host.substr(0, host.find_first_of("/?#"));
    if (const auto at = host.rfind('@'); at != host.npos) host.remove_prefix(at + 1);
    if (host.starts_with('[')) return std::string(host.substr(0, host.find(']') + 1));
    return std::string(host.substr(0, host.find(':')));
  }
  return {};
}

std::string check_public_repo(const Node& node) {
  constexpr auto kLocal =
      std::to_array<std::string_view>({"localhost", "127.0.0.1", "0.0.0.0", "[::1]", "::1"});
  constexpr auto kPrivate = std::to_array<std::string_view>({"192.168.", "10.", "172.16."});
  const auto host = host_of(node.text);
  const bool is_private =
      std::ranges::find(kLocal, host) != kLocal.end() ||
      std::ranges::any_of(kPrivate, [&](auto prefix) { return host.starts_with(prefix); });
  const bool has_blank = node.text.find_first_of(" \t\n") != std::string::npos;
  if (!host.empty() && !is_private && !has_blank) return {};
  return "Repository must be a valid HTTP(S) URL to a public repository";
}

/// git would read a leading "-" as an option.
std::string check_any_repo(const Node& node) {
  if (node.text.empty()) return "must not be empty";
  return node.text.starts_with('-') ? "must not begin with '-'" : "";
}

std::string check_ref(const Node& node) {
  return node.text.empty() || node.text.starts_with('-')
             ? "must be the name of a branch or commit, without '-' in front"
             : "";
}

std::string check_prompts(const Node& node) {
  return node.find("prompt") != nullptr && node.find("prompt_file") != nullptr
             ? "Cannot specify both \"prompt\" and \"prompt_file\". Please use only one."
             : "";
}

std::string check_no_nul(const Node& node) {
  return node.text.find('\0') == std::string::npos ? "" : "must not contain a NUL byte";
}

constexpr Shape kText{.type = Type::text};
constexpr Shape kSomeText{.type = Type::text, .least = 1};
constexpr Shape kRef{.type = Type::text, .rule = check_ref};
constexpr Shape kTexts{.type = Type::list, .items = &kText};
constexpr Shape kTextMap{.type = Type::text_map};
constexpr Shape kBoolean{.type = Type::boolean};
constexpr Shape kAnyNumber{.type = Type::number};
constexpr Shape kPositive{.type = Type::number, .positive = true};
constexpr Shape kPositiveInteger{.type = Type::integer, .positive = true};
constexpr Shape kFreeObject{.type = Type::object, .others = OtherKeys::kept};
constexpr Shape kName{.type = Type::text, .least = 1, .most = 200};
constexpr Shape kDescription{.type = Type::text, .least = 1, .most = 1000};

// ---- the agent

constexpr Shape kPrompt{.type = Type::text, .least = 1, .most = 50'000, .rule = check_no_nul};
constexpr std::string_view kOutputFormats[] = {"stream-json", "text"};
constexpr Shape kOutputFormat{.type = Type::text, .choices = kOutputFormats};
constexpr const Shape* kCommandForms[] = {&kSomeText, &kTexts};
constexpr Shape kCommand{.forms = kCommandForms, .choose = [](const Node& node) -> const Shape* {
                           return node.kind == Node::Kind::list ? &kTexts : &kSomeText;
                         }};
constexpr Field kAgentConfigFields[] = {
    {"prompt", &kPrompt, optional, {}, "the prompt"},
    {"prompt_file", &kSomeText, optional, {}, "a file with the prompt, relative to this file"},
    {"system_prompt", &kText, optional, {}, "replaces the agent's system prompt"},
    {"append_system_prompt", &kText, optional, {}, "added to the agent's system prompt"},
    {"permission_mode", &kSomeText, optional, {}, "default: permissions are skipped"},
    {"allowed_tools", &kTexts, optional, {}, "default: the agent's own tools"},
    {"max_tokens", &kPositiveInteger, optional, {}, "accepted and ignored: no agent has it"},
    {"temperature", &kAnyNumber, optional, {}, "accepted and ignored: no agent has it"},
    {"mcp_config", &kSomeText, optional, {}, "a file with MCP servers, relative to this file"},
    {"extra_args", &kTexts, optional, {}, "further arguments of the agent"},
    {"env", &kTextMap, optional, {}, "environment variables of the agent"},
    {"command",
     &kCommand,
     optional,
     {},
     "of the type custom: the command; {prompt} marks the prompt"},
    {"output_format", &kOutputFormat, optional, {}, "of the type custom: what the command prints"},
};
constexpr Shape kAgentConfig{.type = Type::object,
                             .rule = check_prompts,
                             .fields = kAgentConfigFields,
                             .others = OtherKeys::kept};
constexpr Field kAgentFields[] = {
    {"type", &kSomeText, required, {}, "the agent CLI, or a backend of ralph"},
    {"agent_name", &kSomeText, optional, {}, "a named agent of the agent CLI"},
    {"model", &kSomeText, optional, {}, "the model"},
    {"config", &kAgentConfig, optional, {}, "the prompt and options"},
};
constexpr Shape kAgent{.type = Type::object, .fields = kAgentFields};

std::vector<std::string> keys_of(std::span<const Field> fields) {
  std::vector<std::string> keys;
  for (const Field& field : fields) keys.emplace_back(field.key);
  return keys;
}

// ---- graders

constexpr Field kNamedGraderFields[] = {
    {"name", &kSomeText, required, {}, "the grader"},
    {"config", &kFreeObject, optional, {}, "its settings"},
};
constexpr Field kGraderFileFields[] = {
    {"file", &kSomeText, required, {}, "an evaluator definition, relative to this file"},
};
constexpr Shape kNamedGrader{
    .type = Type::object, .fields = kNamedGraderFields, .others = OtherKeys::refused};
constexpr Shape kGraderFile{
    .type = Type::object, .fields = kGraderFileFields, .others = OtherKeys::refused};
constexpr const Shape* kGraderForms[] = {&kNamedGrader, &kGraderFile};
constexpr Shape kAnyGrader{.forms = kGraderForms, .choose = [](const Node& node) -> const Shape* {
                             const bool by_file =
                                 node.find("file") != nullptr && node.find("name") == nullptr;
                             return by_file ? &kGraderFile : &kNamedGrader;
                           }};
constexpr Shape kGraders{.type = Type::list, .least = 1, .items = &kAnyGrader};
constexpr Shape kNamedGraders{.type = Type::list, .least = 1, .items = &kNamedGrader};

// ---- judges

constexpr std::int64_t kMostVotes = 99;

/// A map of texts, or a list of texts.
std::string check_assertions(const Node& node) {
  const bool texts = std::ranges::all_of(node.items, [](const Node& item) {
    return item.kind == Node::Kind::scalar && !item.is_null();
  });
  const bool several = node.kind != Node::Kind::scalar && !node.items.empty();
  return several && texts ? "" : "Expected a map or a list of texts, with at least one";
}

std::string check_one_of_assertions(const Node& node) {
  if (auto problem = check_prompts(node); !problem.empty()) return problem;
  return node.find("assertions") != nullptr && node.find("criteria") != nullptr
             ? "Cannot specify both \"assertions\" and \"criteria\", which mean the same"
             : "";
}

std::string check_votes(const Node& node) {
  return number_of(node) <= kMostVotes ? "" : "must be at most 99";
}

std::string check_threshold(const Node& node) {
  const double value = number_of(node);
  return value >= 0 && value <= 1 ? "" : "must be between 0 and 1";
}

constexpr Shape kAssertions{.type = Type::anything, .rule = check_assertions};
constexpr Shape kVotes{.type = Type::integer, .positive = true, .rule = check_votes};
constexpr Shape kThreshold{.type = Type::number, .rule = check_threshold};
constexpr Field kJudgeFields[] = {
    {"type", &kSomeText, required, {}, "the agent that judges, as agent.type"},
    {"agent_name", &kSomeText, optional, {}, "a named agent of the agent CLI"},
    {"model", &kSomeText, optional, {}, "the model"},
    {"timeout", &kPositive, optional, {}, "milliseconds for each vote; default 300000"},
    {"prompt", &kPrompt, optional, {}, "before the assertions"},
    {"prompt_file", &kSomeText, optional, {}, "a file with it, relative to the test case"},
    {"assertions", &kAssertions, optional, {}, "what must be true: texts by key, or a list"},
    {"criteria", &kAssertions, optional, {}, "another name of assertions"},
    {"instructions-file",
     &kSomeText,
     optional,
     {},
     "a file that replaces our instructions; {{ASSERTIONS}} marks the assertions"},
    {"votes", &kVotes, optional, {}, "how often the judge is asked; default 1"},
    {"threshold", &kThreshold, optional, {}, "the least score that passes; default 0.5"},
    {"command", &kTexts, optional, {}, "of the type custom: the command"},
    {"output_format", &kOutputFormat, optional, {}, "of the type custom: what it prints"},
    {"extra_args", &kTexts, optional, {}, "further arguments of the agent"},
    {"env", &kTextMap, optional, {}, "environment variables of the agent"},
};

// ---- pre_execution and post_evaluation

constexpr Field kScriptConfigFields[] = {
    {"command", &kSomeText, required, {}, "run by sh -c, with the arguments behind it"},
    {"args", &kTexts, optional, {}, "shell text, not quoted"},
    {"env", &kTextMap},
    {"timeout_ms", &kPositiveInteger, optional, "30000"},
    {"working_dir", &kText},
};
constexpr Shape kScriptConfig{.type = Type::object, .fields = kScriptConfigFields};
constexpr std::string_view kScriptName[] = {"script"};
constexpr Shape kScriptWord{.type = Type::text, .choices = kScriptName};
constexpr Field kScriptFields[] = {
    {"name", &kScriptWord, required},
    {"config", &kScriptConfig, required},
};
constexpr Shape kScript{.type = Type::object, .fields = kScriptFields};
constexpr Shape kScripts{.type = Type::list, .items = &kScript};

constexpr std::string_view kMethods[] = {"POST", "PUT", "PATCH"};
constexpr Shape kMethod{.type = Type::text, .choices = kMethods};
constexpr Shape kUrl{.type = Type::text, .rule = [](const Node& node) -> std::string {
                       return host_of(node.text).empty() ? "Invalid url" : "";
                     }};
constexpr Field kWebhookConfigFields[] = {
    {"url", &kUrl, required},
    {"method", &kMethod, optional, "\"POST\""},
    {"headers", &kTextMap},
    {"include_artifacts", &kBoolean, optional, "false"},
    {"retry_on_failure", &kBoolean, optional, "true"},
    {"timeout_ms", &kPositiveInteger, optional, "5000"},
};
constexpr Shape kWebhookConfig{.type = Type::object, .fields = kWebhookConfigFields};
constexpr std::string_view kDatabaseTypes[] = {"json-file"};
constexpr Shape kDatabaseType{.type = Type::text, .choices = kDatabaseTypes};
constexpr Field kDatabaseConfigFields[] = {
    {"type", &kDatabaseType, required},
    {"output_path", &kSomeText, required},
    {"include_full_bundle", &kBoolean, optional, "true"},
    {"append", &kBoolean, optional, "true"},
};
constexpr Shape kDatabaseConfig{.type = Type::object, .fields = kDatabaseConfigFields};

constexpr std::string_view kPostNames[] = {"webhook", "database", "script"};
constexpr Shape kPostName{.type = Type::text, .choices = kPostNames};
constexpr Field kWebhookFields[] = {{"name", &kPostName, required},
                                    {"config", &kWebhookConfig, required}};
constexpr Field kDatabaseFields[] = {{"name", &kPostName, required},
                                     {"config", &kDatabaseConfig, required}};
constexpr Field kPostScriptFields[] = {{"name", &kPostName, required},
                                       {"config", &kScriptConfig, required}};
constexpr Field kUnknownPostFields[] = {{"name", &kPostName, required}};
constexpr Shape kWebhook{.type = Type::object, .fields = kWebhookFields};
constexpr Shape kDatabase{.type = Type::object, .fields = kDatabaseFields};
constexpr Shape kPostScript{.type = Type::object, .fields = kPostScriptFields};
constexpr Shape kUnknownPost{
    .type = Type::object, .fields = kUnknownPostFields, .others = OtherKeys::kept};
constexpr const Shape* kPostForms[] = {&kWebhook, &kDatabase, &kPostScript};
constexpr Shape kPost{.forms = kPostForms, .choose = [](const Node& node) -> const Shape* {
                        const auto* name = node.find("name");
                        if (name == nullptr) return &kUnknownPost;
                        if (name->text == "webhook") return &kWebhook;
                        if (name->text == "database") return &kDatabase;
                        return name->text == "script" ? &kPostScript : &kUnknownPost;
                      }};
constexpr Shape kPosts{.type = Type::list, .items = &kPost};

// ---- the files

constexpr std::string_view kSources[] = {"branch"};
constexpr Shape kSource{.type = Type::text, .choices = kSources};
constexpr Shape kPublicRepo{.type = Type::text, .pattern = "^https?://", .rule = check_public_repo};
constexpr Shape kAnyRepo{.type = Type::text, .rule = check_any_repo};
constexpr Shape kWorkspaceName{.type = Type::text,
                               .least = 1,
                               .most = 100,
                               .pattern = "^[a-zA-Z0-9][a-zA-Z0-9._-]*$",
                               .rule = check_workspace_name};

constexpr std::array<Field, 14> test_case_fields(const Shape* repo) {
  return {{
      {"name", &kName, required, {}, "a short name"},
      {"description", &kDescription, required, {}, "what the case tests"},
      {"repo", repo, required, {}, "the repository the agent works in"},
      {"branch", &kRef, optional, {}, "default: the repository's own"},
      {"commit", &kRef, optional, {}, "default: the newest of the branch"},
      {"agent", &kAgent, required, {}, "the agent and its task"},
      {"expected_source", &kSource, optional, {}, "where the expected result is"},
      {"expected", &kRef, optional, {}, "a branch with the expected result"},
      {"evaluators", &kGraders, required, {}, "the graders"},
      {"pre_execution", &kScripts, optional, {}, "commands before the agent"},
      {"post_evaluation", &kPosts, optional, {}, "what happens with the results"},
      {"workspace_dir", &kText, optional, {}, "default: .youbencha-workspace"},
      {"workspace_name",
       &kWorkspaceName,
       optional,
       {},
       "the beginning of the run's directory name"},
      {"timeout", &kPositive, optional, {}, "milliseconds, for git and for the agent"},
  }};
}
constexpr auto kPublicFields = test_case_fields(&kPublicRepo);
constexpr auto kLocalFields = test_case_fields(&kAnyRepo);

constexpr Field kEvalFields[] = {
    {"name", &kName, required},
    {"description", &kDescription, required},
    {"directory", &kSomeText, required, {}, "the directory to grade"},
    {"expected_directory", &kSomeText, optional, {}, "the expected result"},
    {"evaluators", &kNamedGraders, required},
    {"post_evaluation", &kPosts},
    {"output_dir", &kSomeText, optional, {}, "default: .youbencha-eval"},
};
constexpr Field kDefinitionFields[] = {
    {"name", &kSomeText, required},
    {"description", &kText},
    {"config", &kFreeObject},
};

constexpr std::string_view kLogLevels[] = {"debug", "info", "warn", "error"};
constexpr Shape kLogLevel{.type = Type::text, .choices = kLogLevels};
constexpr Field kDefaultAgentFields[] = {{"timeout_ms", &kPositiveInteger}, {"model", &kText}};
constexpr Shape kDefaultAgent{
    .type = Type::object, .fields = kDefaultAgentFields, .others = OtherKeys::refused};
constexpr Field kDefaultGraderFields[] = {{"max_concurrent", &kPositiveInteger}};
constexpr Shape kDefaultGraders{
    .type = Type::object, .fields = kDefaultGraderFields, .others = OtherKeys::refused};
constexpr Field kDefaultsFields[] = {
    {"workspace_dir", &kText, optional, {}, "default: .youbencha-workspace"},
    {"output_dir", &kText, optional, {}, "default: .youbencha-eval"},
    {"keep_workspace", &kBoolean, optional, {}, "default: true"},
    {"variables", &kTextMap, optional, {}, "values of ${NAME} in test cases"},
    {"timeout_ms", &kPositiveInteger, optional, {}, "of test cases without a timeout"},
    {"log_level", &kLogLevel, optional, {}, "accepted and ignored"},
    {"agent", &kDefaultAgent, optional, {}, "of test cases without a timeout or model"},
    {"evaluators", &kDefaultGraders, optional, {}, "accepted and ignored"},
};

}  // namespace

std::vector<std::string> agent_config_keys() { return keys_of(kAgentConfigFields); }
std::vector<std::string> agent_keys() { return keys_of(kAgentFields); }

constinit const Shape kPublicTestCase{.type = Type::object, .fields = kPublicFields};
constinit const Shape kLocalTestCase{.type = Type::object, .fields = kLocalFields};
constinit const Shape kEvalCase{.type = Type::object, .fields = kEvalFields};
constinit const Shape kEvaluatorDefinition{.type = Type::object, .fields = kDefinitionFields};
constinit const Shape kJudgeConfig{
    .type = Type::object, .rule = check_one_of_assertions, .fields = kJudgeFields};
constinit const Shape kDefaultsFile{
    .type = Type::object, .fields = kDefaultsFields, .others = OtherKeys::refused};

}  // namespace ralph::trial
