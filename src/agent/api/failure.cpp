#include "agent/api/failure.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/api/plain_text_impl.h"
#include "agent/api/response_headers_impl.h"
#include "agent/api/status_impl.h"
#include "core/base/utf8.h"
#include "core/json/document.h"

namespace ralph::api {
namespace {

constexpr std::size_t kLongestMessage = 2'000;

struct Named {
  int status;
  std::string_view type;   // the API's word for it
  std::string_view event;  // Claude Code's
};

constexpr auto kNames = std::to_array<Named>({
    {400, "invalid_request_error", "unknown"},
    {401, "authentication_error", "authentication_failed"},
    {402, "billing_error", "billing_error"},
    {403, "permission_error", "authentication_failed"},
    {404, "not_found_error", "model_not_found"},
    {408, "", "server_error"},
    {409, "conflict_error", "server_error"},
    {413, "request_too_large", "invalid_request"},
    {429, "rate_limit_error", "rate_limit"},
    {500, "api_error", "server_error"},
    {504, "timeout_error", "server_error"},
    {529, "overloaded_error", "overloaded"},
});

const json::Document* member(const json::Document& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string text_in(const json::Document& object, std::string_view name) {
  const auto* value = member(object, name);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

/// The message of a value that describes an error: a text, an object with a message, or whatever it is.
std::string words_of(const json::Document& value) {
  if (value.is_string()) return value.get<std::string>();
  for (const auto* name : {"message", "msg", "error", "detail"}) {
    if (auto text = text_in(value, name); !text.empty()) return text;
  }
  return json::write(value);
}

void read_body(Failure& failure, const json::Document& body) {
  if (failure.request_id.empty()) failure.request_id = text_in(body, "request_id");
  for (const auto* name : {"error", "detail", "message"}) {
    const auto* told = member(body, name);
    if (told == nullptr || told->is_null()) continue;
    failure.type = text_in(*told, "type");
    failure.message = words_of(*told);
    return;
  }
}

std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto begin = text.find_first_of("0123456789");
  if (begin == text.npos) return std::nullopt;
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + begin, end, number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

bool is_about_credit(const Failure& failure) {
  return failure.message.find("credit balance") != failure.message.npos;
}

}  // namespace

int status_of(const Failure& failure) {
  if (failure.kind == FailureKind::status) return failure.status;
  if (failure.kind != FailureKind::error_event) return 0;
  const auto* named = std::ranges::find(kNames, failure.type, &Named::type);
  return named == kNames.end() || failure.type.empty() ? 500 : named->status;
}

std::string_view event_name(const Failure& failure) {
  const auto status = status_of(failure);
  if (status == 400 && is_about_credit(failure)) return "billing_error";
  if (prompt_too_long(failure)) return "invalid_request";
  const auto* named = std::ranges::find(kNames, status, &Named::status);
  if (named != kNames.end()) return named->event;
  return status >= 500 ? "server_error" : "unknown";
}

Failure failure_of(int status, std::string_view body, std::string_view request_id) {
  Failure failure{.kind = FailureKind::status, .status = status};
  failure.request_id = request_id;
  const auto document = json::parse(body);
  if (document) read_body(failure, *document);
  if (failure.message.empty()) failure.message = one_line_of(body);
  if (failure.message.empty()) failure.message = fmt::format("status {} without a word", status);
  failure.message = utf8::shortened(utf8::repaired(failure.message), kLongestMessage);
  return failure;
}

Failure failure_of(const http::Response& response) {
  // Nothing encoded is asked for, and nothing is decoded.
  const auto encoding = response.headers.find("content-encoding").value_or("identity");
  const auto body = encoding == "identity" ? response.body
                                           : fmt::format("status {}; its text is encoded ({})",
                                                         response.status, encoding);
  auto failure = failure_of(response.status, body, request_id_in(response.headers));
  failure.retry_after = retry_after_in(response.headers, now_utc());
  failure.should_retry = should_retry_in(response.headers);
  return failure;
}

std::optional<PromptTooLong> prompt_too_long(const Failure& failure) {
  constexpr std::string_view kWords = "rompt is too long";
  auto rest = std::string_view(failure.message);
  const auto at = rest.find(kWords);
  if (at == rest.npos) return std::nullopt;
  rest.remove_prefix(at + kWords.size());
  PromptTooLong found;
  found.tokens = take_number(rest).value_or(0);
  found.limit = take_number(rest).value_or(0);
  return found;
}

bool is_too_long(const Failure& failure) {
  return prompt_too_long(failure).has_value() || status_of(failure) == 413;
}

}  // namespace ralph::api
