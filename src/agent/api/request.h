#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/message.h"
#include "core/model/model.h"

namespace ralph::api {

enum class ThinkingMode { omitted, adaptive, enabled, disabled };

/// How long the API caches the marked prefixes of a prompt.
enum class Caching { none, five_minutes, hour };

/// The settings of a request: everything but the conversation.
struct Shape {
  std::string model;  // the id that is sent
  std::int64_t max_tokens = 32'000;
  ThinkingMode thinking = ThinkingMode::omitted;
  std::int64_t thinking_budget = 0;  // for enabled
  std::string thinking_display;      // for adaptive; empty: not given
  std::string effort;                // empty: not given
  std::vector<std::string> betas;    // those that the fields above require, and the user's
  Caching caching = Caching::five_minutes;
  std::string extra_body;  // a JSON object; its members replace those of the body. Empty: none

  bool operator==(const Shape&) const = default;
};

/// What the user set for the model, by options and environment; empty and nullopt: not set.
struct ShapeOptions {
  std::string effort;                             // --effort, CLAUDE_CODE_EFFORT_LEVEL
  std::optional<std::int64_t> thinking_tokens;    // MAX_THINKING_TOKENS, --max-thinking-tokens
  std::string thinking;                           // --thinking adaptive|disabled
  std::string display;                            // "updates", "omitted", "summarized"
  std::optional<std::int64_t> max_output_tokens;  // CLAUDE_CODE_MAX_OUTPUT_TOKENS
  bool without_thinking = false;                  // CLAUDE_CODE_DISABLE_THINKING
  bool without_adaptive = false;                  // CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING
  bool without_betas = false;                     // CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS
  bool without_interleaving = false;              // DISABLE_INTERLEAVED_THINKING
  std::vector<std::string> betas;                 // --betas
  bool cache_for_an_hour = false;                 // ENABLE_PROMPT_CACHING_1H
  std::vector<std::string> uncached_models;       // parts of ids; "" is all: DISABLE_PROMPT_CACHING
  std::string extra_body;                         // CLAUDE_CODE_EXTRA_BODY, if it is an object
};

/// The shape for a model, given by alias or id. Models other than Claude get no thinking, effort or betas.
Shape shape_for(const model::Table& models, std::string_view alias_or_id,
                const ShapeOptions& options);

/// A request to POST /v1/messages. The messages are not copied.
struct Request {
  Shape shape;
  std::vector<std::string> system;  // texts, stable over a session
  std::string tools;                // JSON array of definitions in a stable order; empty: none
  std::span<const Message> messages;
  std::string user_id;  // metadata; empty: none
  bool stream = true;
  bool cache_marks = true;
  bool is_last = false;  // no later request extends it: its last message is not cached
};

/// The body: one line of JSON. The last system block (or the last tool, if there is none) and the last two user messages get
/// cache marks; with is_last the last message gets none. The prefix before a mark stays the same while messages are added.
std::string body_of(const Request& request);

}  // namespace ralph::api
