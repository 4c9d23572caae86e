#include <algorithm>
#include <array>

#include "core/json/raw.h"
#include "core/json/writer.h"
#include "harness/stream/claude_impl.h"

namespace ralph::stream {
namespace {

struct ErrorRow {
  std::string_view word;
  ErrorClass error_class;
};
constexpr std::array kErrors = std::to_array<ErrorRow>({
    {"authentication_failed", ErrorClass::auth},
    {"oauth_org_not_allowed", ErrorClass::auth},
    {"account_on_hold", ErrorClass::auth},
    {"verification_required", ErrorClass::auth},
    {"cloud_credential_error", ErrorClass::auth},
    {"billing_error", ErrorClass::limit},
    {"max_output_tokens", ErrorClass::limit},
    {"loop_guard", ErrorClass::limit},
    {"rate_limit", ErrorClass::rate_limit},
    {"overloaded", ErrorClass::overloaded},
    {"invalid_request", ErrorClass::invalid_request},
    {"model_not_found", ErrorClass::invalid_request},
});

/// Errors that start like this are notes of the CLI to its own developers.
constexpr std::string_view kDiagnostic = "[ede_diagnostic]";

Tokens read_model_usage(View usage) {
  Tokens tokens;
  tokens.input_uncached = usage["inputTokens"].integer();
  tokens.cache_read = usage["cacheReadInputTokens"].integer();
  tokens.cache_write = usage["cacheCreationInputTokens"].integer();
  tokens.output = usage["outputTokens"].integer();
  tokens.reasoning = usage["thinkingTokens"].integer();
  return tokens;
}

struct TurnEndRow {
  std::string_view word;
  TurnEndReason end;
};
constexpr auto kTurnEnds = std::to_array<TurnEndRow>({
    {"max_turns", TurnEndReason::max_turns},
    {"error_max_turns", TurnEndReason::max_turns},
    {"budget_exhausted", TurnEndReason::cost_limit},
    {"error_max_budget_usd", TurnEndReason::cost_limit},
    {"structured_output_retry_exhausted", TurnEndReason::invalid_output},
    {"error_max_structured_output_retries", TurnEndReason::invalid_output},
    {"prompt_too_long", TurnEndReason::context_full},
    {"blocking_limit", TurnEndReason::context_full},
    {"rapid_refill_breaker", TurnEndReason::context_full},
});

TurnEndReason turn_end(std::string_view word) {
  const auto row = std::ranges::find(kTurnEnds, word, &TurnEndRow::word);
  return row == kTurnEnds.end() ? TurnEndReason::other : row->end;
}

}  // namespace

bool says_remedy(std::string_view message) { return message.contains(" · "); }

ErrorClass classify_error(std::string_view word, std::optional<std::int64_t> http_status) {
  for (const auto& row : kErrors) {
    if (row.word == word) return row.error_class;
  }
  if (http_status) return class_of_status(*http_status);
  return word.empty() ? ErrorClass::unknown : ErrorClass::network;
}

void ClaudeDialect::result(const Line& line) {
  model_usage(line);
  const auto reason = line.root["terminal_reason"].text();
  TurnEnded ended;
  const auto subtype = line.root["subtype"].text();
  ended.is_error = line.root["is_error"].truth() || subtype.starts_with("error_");
  if (ended.is_error) {
    ended.error = error_text(line);
    ended.says_remedy = says_remedy(ended.error);
  } else {
    ended.text = line.root["result"].text();
  }
  ended.structured.text = json::locate(line.text, {"structured_output"});
  ended.reason = reason.empty() ? subtype : reason;
  ended.end = turn_end(ended.reason);
  ended.origin = line.root["origin"]["kind"].text();
  ended.session_id = line.root["session_id"].text();
  ended.usage = read_usage(line.root["usage"]);
  ended.total_cost_usd = line.root["total_cost_usd"].maybe_real();
  ended.turns = line.root["num_turns"].integer();
  ended.duration_ms = line.root["duration_ms"].integer();
  ended.denials.text = denials(line);
  ended.http_status = line.root["api_error_status"].maybe_integer();
  calls_.clear();
  line.emit(ended);
}

/// Empty: none.
std::string_view ClaudeDialect::denials(const Line& line) {
  std::string list;
  json::Elements elements(json::locate_start(line.text, {"permission_denials"}));
  std::size_t index = 0;
  line.root["permission_denials"].each([&](View entry) {
    list += list.empty() ? '[' : ',';
    json::ObjectWriter object(list);
    object.text("tool", entry["tool_name"].text()).text("call_id", entry["tool_use_id"].text());
    const auto input = json::locate(elements.start(index++), {"tool_input"});
    if (!input.empty()) object.raw("input", input);
    object.close();
  });
  return list.empty() ? std::string_view() : keep(list + "]");
}

/// Exact figures per model for the part since the last result; older versions only know the
/// session's total. A cost of an unknown basis is a guess by another model's price.
void ClaudeDialect::model_usage(const Line& line) {
  const auto recent = line.root["model_usage_since_last_result"];
  const auto scope = recent ? UsageScope::turn : UsageScope::session_total;
  (recent ? recent : line.root["modelUsage"]).each_member([&](std::string_view model, View usage) {
    line.emit(
        Usage{scope,
              model,
              {},
              read_model_usage(usage),
              usage["costBasis"].text() == "unknown" ? std::nullopt : usage["costUSD"].maybe_real(),
              usage["contextWindow"].maybe_integer(),
              false});
  });
}

std::string_view ClaudeDialect::error_text(const Line& line) {
  std::string joined;
  line.root["errors"].each([&](View message) {
    if (message.text().starts_with(kDiagnostic)) return;
    if (!joined.empty()) joined += "; ";
    joined += message.text();
  });
  if (joined.empty() && line.root["terminal_reason"].text().starts_with("aborted")) {
    return "the agent was interrupted";
  }
  if (!joined.empty()) return keep(std::move(joined));
  return line.root["result"].text();
}

}  // namespace ralph::stream
