#include "mock/scenario.h"

#include <array>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "json/document.h"
#include "mock/node_impl.h"

namespace ralph::mock {
namespace {

constexpr std::int64_t kMostTokens = 1'000'000'000;
constexpr std::int64_t kLongestDelayMs = std::int64_t{24} * 3'600'000;

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

/// Blocks a scenario may hold in the API's own form beside text, thinking and tool_use.
constexpr auto kVerbatimTypes = std::to_array<std::string_view>({
    "redacted_thinking",
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "compaction",
});

Result<> set(std::string& into, const Node& value) {
  TRY_ASSIGN(into, value.text());
  return {};
}
template <typename Number>
Result<> set(Number& into, const Node& value, std::int64_t least, std::int64_t most) {
  TRY_ASSIGN(const auto number, value.whole_number(least, most));
  into = Number(number);
  return {};
}

// --- blocks ---

constexpr Field<ToolUseBlock> kToolUse[] = {
    {"name", [](const Node& value, ToolUseBlock& block) { return set(block.name, value); }},
    {"input",
     [](const Node& value, ToolUseBlock& block) -> Result<> {
       if (!value.value.is_object()) return value.wrong_type("an object");
       block.input = json::write(value.value);
       return {};
     }},
    {"id", [](const Node& value, ToolUseBlock& block) { return set(block.id, value); }},
    {"type", [](const Node&, ToolUseBlock&) -> Result<> { return {}; }},
};
constexpr Field<ThinkingBlock> kThinking[] = {
    {"thinking",
     [](const Node& value, ThinkingBlock& block) { return set(block.thinking, value); }},
    {"signature",
     [](const Node& value, ThinkingBlock& block) { return set(block.signature, value); }},
    {"type", [](const Node&, ThinkingBlock&) -> Result<> { return {}; }},
};
constexpr Field<TextBlock> kText[] = {
    {"text", [](const Node& value, TextBlock& block) { return set(block.text, value); }},
    {"type", [](const Node&, TextBlock&) -> Result<> { return {}; }},
};

Result<Block> read_tool_use(const Node& node) {
  ToolUseBlock block;
  TRY(read_fields<ToolUseBlock>(node, kToolUse, block));
  if (block.name.empty()) return node.fail_here("has no 'name'", "name the tool to call");
  return block;
}

Result<Block> read_thinking(const Node& node) {
  ThinkingBlock block;
  TRY(read_fields<ThinkingBlock>(node, kThinking, block));
  return block;
}

Result<Block> read_text(const Node& node) {
  TextBlock block;
  TRY(read_fields<TextBlock>(node, kText, block));
  return block;
}

Result<Block> read_typed_block(const Node& node, std::string_view type) {
  if (type == "text") return read_text(node);
  if (type == "thinking") return read_thinking(node);
  if (type == "tool_use") return read_tool_use(node);
  if (std::ranges::find(kVerbatimTypes, type) != kVerbatimTypes.end()) {
    return VerbatimBlock{json::write(node.value)};
  }
  return node.member("type").fail_here(fmt::format("is '{}', a block nobody knows", type),
                                       "known: text, thinking, tool_use, redacted_thinking …");
}

/// {"text": …}, {"thinking": …}, {"tool_use": {…}} or the API's own form with a "type".
Result<Block> read_block(const Node& node) {
  const auto& value = node.value;
  if (!value.is_object()) return node.wrong_type("an object");
  if (value.contains("type")) {
    TRY_ASSIGN(const auto type, node.member("type").text());
    return read_typed_block(node, type);
  }
  if (value.contains("tool_use")) return read_tool_use(node.member("tool_use"));
  if (value.contains("thinking")) return read_thinking(node);
  if (value.contains("text")) return read_text(node);
  return node.fail_here("is no block", "give it 'text', 'thinking' or 'tool_use'");
}

// --- parts of a step ---

constexpr Field<UsageWish> kUsage[] = {
    {"input_tokens",
     [](const Node& value, UsageWish& u) { return set(u.input_tokens, value, 0, kMostTokens); }},
    {"output_tokens",
     [](const Node& value, UsageWish& u) { return set(u.output_tokens, value, 0, kMostTokens); }},
    {"cache_creation_input_tokens",
     [](const Node& value, UsageWish& u) {
       return set(u.cache_creation_input_tokens, value, 0, kMostTokens);
     }},
    {"cache_read_input_tokens",
     [](const Node& value, UsageWish& u) {
       return set(u.cache_read_input_tokens, value, 0, kMostTokens);
     }},
};

constexpr Field<Match> kMatch[] = {
    {"contains", [](const Node& value, Match& match) { return set(match.contains, value); }},
    {"model", [](const Node& value, Match& match) { return set(match.model, value); }},
};

bool fits_in_header(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

/// The server's own business: with a second one no client could read the answer.
constexpr auto kFramingHeaders =
    std::to_array<std::string_view>({"content-length", "transfer-encoding", "connection"});

bool is_framing(std::string_view name) {
  return std::ranges::any_of(kFramingHeaders, [&](std::string_view framing) {
    return http::equal_ignoring_case(name, framing);
  });
}

Result<> read_headers(const Node& node, Failure& failure) {
  if (!node.value.is_object()) return node.wrong_type("an object");
  for (const auto& [name, value] : node.value.items()) {
    auto text = value.is_string() ? value.template get<std::string>() : value.dump();
    if (value.is_structured() || name.empty() || name.find_first_of(": ") != name.npos ||
        !fits_in_header(name) || !fits_in_header(text)) {
      return node.member(name).fail_here("is no header", "a name and one line of text");
    }
    if (is_framing(name)) return node.member(name).fail_here("is set by the server itself");
    failure.headers.add(name, std::move(text));
  }
  return {};
}

constexpr Field<Failure> kFailure[] = {
    {"status",
     [](const Node& value, Failure& failure) { return set(failure.status, value, 400, 599); }},
    {"type", [](const Node& value, Failure& failure) { return set(failure.type, value); }},
    {"message", [](const Node& value, Failure& failure) { return set(failure.message, value); }},
    {"headers", read_headers},
};

/// "error": 529, or an object.
Result<Failure> read_failure(const Node& node) {
  Failure failure;
  if (node.value.is_number()) {
    TRY(set(failure.status, node, 400, 599));
  } else {
    TRY(read_fields<Failure>(node, kFailure, failure));
  }
  if (failure.status == 0) failure.status = error_status(failure.type);
  if (failure.status == 0) {
    return node.fail_here("has no 'status'", "for example {\"status\": 529}");
  }
  if (failure.type.empty()) failure.type = error_type(failure.status);
  if (failure.message.empty()) failure.message = "mock " + failure.type;
  return failure;
}

// --- steps ---

/// A step on the way from its keys to its kind.
struct Draft {
  Step step;
  Reply reply;
  bool has_content = false;
  std::optional<Failure> failure;
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

Result<> read_match(const Node& value, Draft& draft) {
  TRY(read_fields<Match>(value, kMatch, draft.step.match.emplace()));
  if (!draft.step.match->contains.empty() || !draft.step.match->model.empty()) return {};
  return value.fail_here("matches everything", "give it 'contains' or 'model'");
}

constexpr Field<Draft> kStep[] = {
    {"text", read_short_text},
    {"thinking", read_short_thinking},
    {"tool_use",
     [](const Node& value, Draft& draft) { return add_block(draft, read_tool_use(value)); }},
    {"content", read_content},
    {"error",
     [](const Node& value, Draft& draft) -> Result<> {
       TRY_ASSIGN(draft.failure, read_failure(value));
       return {};
     }},
    {"stop_reason",
     [](const Node& value, Draft& draft) { return set(draft.reply.stop_reason, value); }},
    {"model", [](const Node& value, Draft& draft) { return set(draft.reply.model, value); }},
    {"usage",
     [](const Node& value, Draft& draft) {
       return read_fields<UsageWish>(value, kUsage, draft.reply.usage);
     }},
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
    {"match", read_match},
};

Result<Step> read_step(const Node& node, std::size_t number) {
  Draft draft;
  TRY(read_fields<Draft>(node, kStep, draft));
  if (draft.failure && draft.has_content) {
    return node.fail_here("has both an 'error' and something to say", "make it two steps");
  }
  if (!draft.failure && !draft.has_content) {
    return node.fail_here("says nothing", "give it text, thinking, tool_use, content or error");
  }
  draft.step.number = number;
  if (draft.failure) {
    draft.step.action = *std::move(draft.failure);
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

struct ThenName {
  std::string_view name;
  Then then;
};
constexpr auto kThenNames = std::to_array<ThenName>({
    {"repeat_last", Then::repeat_last},
    {"start_again", Then::start_again},
    {"error", Then::error},
});

Result<> read_then(const Node& node, Scenario& scenario) {
  TRY_ASSIGN(const auto text, node.text());
  const auto* found = std::ranges::find(kThenNames, text, &ThenName::name);
  if (found == kThenNames.end()) {
    return node.fail_here(fmt::format("is '{}'", text),
                          "it must be repeat_last, start_again or error");
  }
  scenario.then = found->then;
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
    step.action = Reply{.content = {TextBlock{text}}};
    scenario.steps.push_back(std::move(step));
  }
  return scenario;
}

}  // namespace ralph::mock
