#include "mock/scenario.h"

#include <array>
#include <limits>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/json/document.h"
#include "mock/scenario_parts_impl.h"

namespace ralph::mock {
namespace {

struct ErrorKind {
  int status;
  std::string_view type;
};

constexpr auto kErrorKinds = std::to_array<ErrorKind>({
    {400, "invalid_request_error"},
    {401, "authentication_error"},
    {402, "billing_error"},
    {403, "permission_error"},
    {404, "not_found_error"},
    {409, "conflict_error"},
    {413, "request_too_large"},
    {429, "rate_limit_error"},
    {500, "api_error"},
    {504, "timeout_error"},
    {529, "overloaded_error"},
});

// --- steps ---

/// A step while its keys are read.
struct Draft {
  Step step;
  Reply reply;
  bool has_content = false;
  std::optional<Action> other;  // an error, or plain HTTP
};

Result<> add_block(Draft& draft, Result<Block> block) {
  TRY(block);
  draft.reply.content.push_back(*std::move(block));
  draft.has_content = true;
  return {};
}

Result<> read_short_text(const Node& value, Draft& draft) {
  TextBlock block;
  TRY(set(block.text, value));
  return add_block(draft, block);
}

Result<> read_short_thinking(const Node& value, Draft& draft) {
  ThinkingBlock block;
  TRY(set(block.thinking, value));
  return add_block(draft, block);
}

Result<> read_content(const Node& value, Draft& draft) {
  if (!value.value.is_array()) return value.wrong_type("an array of blocks");
  draft.has_content = true;
  for (std::size_t n = 0; n < value.value.size(); ++n) {
    TRY(add_block(draft, read_block(value.element(n))));
  }
  return {};
}

Result<> read_match(const Node& node, Draft& draft) {
  TRY(node.must_be_object());
  auto& match = draft.step.match.emplace();
  for (const auto& [key, value] : node.value.items()) {
    const auto* const known = std::ranges::find(kMatchTexts, key, &MatchText::key);
    if (known == kMatchTexts.end()) {
      return unknown_key(node, key, words_of(kMatchTexts, &MatchText::key));
    }
    TRY(set(match.*known->text, node.member(key)));
    if ((match.*known->text).empty()) return node.member(key).fail_here("is empty");
  }
  if (node.value.empty())
    return node.fail_here("matches every request", "add 'contains' or 'model'");
  return {};
}

template <typename Read>
Result<> set_other(const Node& value, Draft& draft, Read read) {
  TRY_ASSIGN(draft.other, read(value));
  return {};
}

constexpr Field<Draft> kStep[] = {
    {"text", read_short_text},
    {"thinking", read_short_thinking},
    {"tool_use",
     [](const Node& value, Draft& draft) { return add_block(draft, read_tool_use(value)); }},
    {"content", read_content},
    {"error",
     [](const Node& value, Draft& draft) { return set_other(value, draft, read_failure); }},
    {"http", [](const Node& value, Draft& draft) { return set_other(value, draft, read_http); }},
    {"stop_reason",
     [](const Node& value, Draft& draft) { return set(draft.reply.stop_reason, value); }},
    {"stop_sequence",
     [](const Node& value, Draft& draft) { return set(draft.reply.stop_sequence, value); }},
    {"stop_details",
     [](const Node& value, Draft& draft) -> Result<> {
       draft.reply.stop_details = json::write(value.value);
       return {};
     }},
    {"id", [](const Node& value, Draft& draft) { return set(draft.reply.id, value); }},
    {"model", [](const Node& value, Draft& draft) { return set(draft.reply.model, value); }},
    {"usage", [](const Node& value, Draft& draft) { return read_usage(value, draft.reply.usage); }},
    {"delay_ms", [](const Node& value,
                    Draft& draft) { return set(draft.step.delay, value, 0, kLongestDelayMs); }},
    {"chunk_delay_ms",
     [](const Node& value, Draft& draft) {
       return set(draft.reply.chunk_delay, value, 0, kLongestDelayMs);
     }},
    {"chunk_size",
     [](const Node& value, Draft& draft) {
       return set(draft.reply.chunk_size, value, 1, std::numeric_limits<int>::max());
     }},
    {"line_end",
     [](const Node& value, Draft& draft) -> Result<> {
       TRY_ASSIGN(draft.reply.line_end, read_name(value, kLineEndNames));
       return {};
     }},
    {"trouble",
     [](const Node& value, Draft& draft) -> Result<> {
       TRY_ASSIGN(draft.step.troubles, read_troubles(value));
       return {};
     }},
    {"match", read_match},
    {"times",
     [](const Node& value, Draft& draft) {
       return set(draft.step.times, value, 1, std::numeric_limits<int>::max());
     }},
};

/// A step is one of a message, an error or plain HTTP. With trouble, the message may be empty.
Result<> check_kind(const Node& node, const Draft& draft) {
  const bool error = node.value.contains("error");
  const bool http = node.value.contains("http");
  if (error && http) return node.fail_here("has both an 'error' and 'http'", "make it two steps");
  if (draft.other && draft.has_content) {
    return node.fail_here(fmt::format("has both {} and a message", error ? "an 'error'" : "'http'"),
                          "make it two steps");
  }
  const auto is_event = [](const Trouble& trouble) {
    return std::holds_alternative<ErrorEvent>(trouble.incident);
  };
  if (draft.other && std::ranges::any_of(draft.step.troubles, is_event)) {
    return node.fail_here("has no message, so its stream cannot end with an error event");
  }
  if (!draft.other && !draft.has_content && draft.step.troubles.empty()) {
    return node.fail_here("is empty",
                          "add text, thinking, tool_use, content, error, http or trouble");
  }
  return {};
}

Result<Step> read_step(const Node& node, std::size_t number) {
  Draft draft;
  TRY(read_fields<Draft>(node, kStep, draft));
  TRY(check_kind(node, draft));
  draft.step.number = number;
  if (draft.other) {
    draft.step.action = *std::move(draft.other);
  } else {
    draft.step.action = std::move(draft.reply);
  }
  return std::move(draft.step);
}

Result<> read_steps(const Node& node, Scenario& scenario) {
  if (!node.value.is_array()) return node.wrong_type("an array of steps");
  for (std::size_t n = 0; n < node.value.size(); ++n) {
    TRY_ASSIGN(auto step, read_step(node.element(n), n + 1));
    scenario.steps.push_back(std::move(step));
  }
  return {};
}

Result<> read_then(const Node& node, Scenario& scenario) {
  TRY_ASSIGN(scenario.then, read_name(node, kThenNames));
  return {};
}

constexpr Field<Scenario> kScenario[] = {{"steps", read_steps}, {"then", read_then}};

}  // namespace

std::string_view error_type(int status) {
  const auto* found = std::ranges::find(kErrorKinds, status, &ErrorKind::status);
  if (found != kErrorKinds.end()) return found->type;
  return status < 500 ? "invalid_request_error" : "api_error";
}

int error_status(std::string_view type) {
  const auto* found = std::ranges::find(kErrorKinds, type, &ErrorKind::type);
  return found == kErrorKinds.end() ? 0 : found->status;
}

Result<Scenario> read_scenario(std::string_view text, std::string_view name) {
  const auto document = json::parse(text, name);
  if (!document) return fail(Code::config, document.error().message, document.error().hint);
  const Node root{*document, std::string(name), ""};
  Scenario scenario;
  TRY(read_fields<Scenario>(root, kScenario, scenario));
  if (scenario.steps.empty()) {
    return root.fail_here("has no steps", "for example {\"steps\": [{\"text\": \"Hello\"}]}");
  }
  return scenario;
}

Scenario scenario_of_texts(const std::vector<std::string>& texts) {
  Scenario scenario;
  for (const auto& text : texts) {
    Step step;
    step.number = scenario.steps.size() + 1;
    step.action = Reply{.content = {TextBlock{utf8::repaired(text), {}}}};
    scenario.steps.push_back(std::move(step));
  }
  return scenario;
}

}  // namespace ralph::mock
