#include "agent/api/failure.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/api/plain_text_impl.h"
#include "agent/api/rejection_impl.h"
#include "agent/api/response_headers_impl.h"
#include "agent/api/status_impl.h"
#include "core/base/utf8.h"
#include "core/json/document.h"
#include "core/json/field.h"

namespace ralph::api {
namespace {

constexpr std::size_t kLongestMessage = 2'000;

struct NameRow {
  ErrorName name;
  std::string_view text;
};

constexpr auto kErrorNames = std::to_array<NameRow>({
    {ErrorName::authentication_failed, "authentication_failed"},
    {ErrorName::billing_error, "billing_error"},
    {ErrorName::invalid_request, "invalid_request"},
    {ErrorName::loop_guard, "loop_guard"},
    {ErrorName::max_output_tokens, "max_output_tokens"},
    {ErrorName::model_not_found, "model_not_found"},
    {ErrorName::overloaded, "overloaded"},
    {ErrorName::rate_limit, "rate_limit"},
    {ErrorName::server_error, "server_error"},
    {ErrorName::unknown, "unknown"},
});

struct StatusRow {
  int status;
  std::string_view type;  // as the API names it
  ErrorName name;
};

constexpr int kOverloaded = 529;
constexpr auto kStatuses = std::to_array<StatusRow>({
    {400, "invalid_request_error", ErrorName::unknown},
    {401, "authentication_error", ErrorName::authentication_failed},
    {402, "billing_error", ErrorName::billing_error},
    {403, "permission_error", ErrorName::authentication_failed},
    {404, "not_found_error", ErrorName::model_not_found},
    {408, "", ErrorName::server_error},
    {409, "conflict_error", ErrorName::server_error},
    {413, "request_too_large", ErrorName::invalid_request},
    {429, "rate_limit_error", ErrorName::rate_limit},
    {500, "api_error", ErrorName::server_error},
    {504, "timeout_error", ErrorName::server_error},
    {kOverloaded, "overloaded_error", ErrorName::overloaded},
});

/// The status that the API's error type stands for; 0: unknown or empty.
int status_of_type(std::string_view type) {
  const auto* row = std::ranges::find(kStatuses, type, &StatusRow::type);
  return row == kStatuses.end() || type.empty() ? 0 : row->status;
}

/// The message of a value that describes an error: a string, an object with a message, or any JSON.
std::string words_of(const json::Document& value) {
  if (value.is_string()) return value.get<std::string>();
  for (const auto* name : {"message", "msg", "error", "detail"}) {
    if (auto text = json::text(value, name); !text.empty()) return text;
  }
  return json::write(value);
}

void read_body(Failure& failure, const json::Document& body) {
  if (failure.request_id.empty()) failure.request_id = json::text(body, "request_id");
  for (const auto* name : {"error", "detail", "message"}) {
    const auto& error = json::member(body, name);
    if (error.is_null()) continue;
    failure.type = json::text(error, "type");
    failure.message = words_of(error);
    return;
  }
}

Failure read_failure(FailureKind kind, int status, std::string_view body,
                     std::string_view request_id) {
  Failure failure{.kind = kind, .status = status};
  failure.request_id = request_id;
  if (const auto document = json::parse(body)) read_body(failure, *document);
  if (failure.message.empty()) failure.message = one_line_of(body);
  if (failure.message.empty()) failure.message = fmt::format("status {} without a message", status);
  failure.message = utf8::shortened(utf8::repaired(failure.message), kLongestMessage);
  failure.rejection = read_rejection(status_of(failure), failure.message);
  return failure;
}

}  // namespace

int status_of(const Failure& failure) {
  if (failure.kind == FailureKind::status) return failure.status;
  if (failure.kind != FailureKind::error_event) return 0;
  const auto status = status_of_type(failure.type);
  return status == 0 ? 500 : status;
}

std::string_view to_string(ErrorName name) {
  return std::ranges::find(kErrorNames, name, &NameRow::name)->text;
}

ErrorName error_name(const Failure& failure) {
  const auto status = status_of(failure);
  if (status == 400 && failure.rejection.credit) return ErrorName::billing_error;
  if (failure.rejection.prompt_too_long) return ErrorName::invalid_request;
  const auto* row = std::ranges::find(kStatuses, status, &StatusRow::status);
  if (row != kStatuses.end()) return row->name;
  return status >= 500 ? ErrorName::server_error : ErrorName::unknown;
}

Failure failure_of(int status, std::string_view body, std::string_view request_id) {
  return read_failure(FailureKind::status, status, body, request_id);
}

Failure failure_of_event(std::string_view body, std::string_view request_id) {
  return read_failure(FailureKind::error_event, 0, body, request_id);
}

Failure failure_of(const http::Response& response) {
  // The request accepts no encoding, so none is decoded.
  const auto encoding = response.headers.find("content-encoding").value_or("identity");
  const auto body = encoding == "identity" ? response.body
                                           : fmt::format("status {}; its body is encoded ({})",
                                                         response.status, encoding);
  auto failure = failure_of(response.status, body, request_id_in(response.headers));
  failure.retry_after = retry_after_in(response.headers, now_utc());
  failure.should_retry = should_retry_in(response.headers);
  return failure;
}

bool is_too_long(const Failure& failure) {
  return failure.rejection.prompt_too_long.has_value() || status_of(failure) == 413;
}

bool is_overloaded(const Failure& failure) {
  return failure.status == kOverloaded || status_of_type(failure.type) == kOverloaded;
}

}  // namespace ralph::api
