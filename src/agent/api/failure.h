#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.h"
#include "system/http/failure.h"
#include "system/http/message.h"

namespace ralph::api {

/// Why there is no complete reply.
enum class FailureKind {
  cancelled,    // a stop was requested
  status,       // the endpoint answered with an error status
  error_event,  // the endpoint sent an error event inside a stream
  connection,   // no response: refused, reset, unknown host, TLS
  timed_out,    // no response in time
  stalled,      // the stream made no progress
  cut,          // the stream ended early
  garbage,      // neither an event stream nor a message of the API
  setup,        // the request cannot be made: bad URL, no libcurl
};

/// "prompt is too long: 250000 tokens > 200000 maximum".
struct PromptTooLong {
  std::int64_t tokens = 0;
  std::int64_t limit = 0;
};

enum class MediaKind { any, picture, document };
/// messages.M.content.B, and for a part of a tool's result .tool_result.content.P.
struct MediaPlace {
  std::size_t message = 0;
  std::size_t block = 0;
  std::optional<std::size_t> part;
  bool operator==(const MediaPlace&) const = default;
};
/// "messages.2.content.0.tool_result.content.0.image.source.base64: Could not process image".
struct MediaRefusal {
  MediaKind kind = MediaKind::any;
  std::optional<MediaPlace> place;
  std::string reason;  // the API's message without the place
};

/// What the message of a rejected request is about. Read once, where the response is read: rejection.cpp has the phrases.
struct Rejection {
  bool credit = false;       // the account has no credit left
  bool cache_marks = false;  // the endpoint does not support cache_control
  bool feature = false;      // … or thinking, effort, a beta
  std::optional<PromptTooLong> prompt_too_long;
  std::optional<MediaRefusal> media;  // a picture or document was not accepted
};

struct Failure {
  FailureKind kind = FailureKind::setup;
  int status = 0;         // HTTP status; 0: none
  std::string type;       // "overloaded_error", as the API sent it; empty: none
  std::string message;    // the endpoint's message, or ours
  std::string hint = {};  // what to do about a failed connection; empty: nothing
  std::string request_id;
  Rejection rejection = {};
  std::optional<Millis> retry_after = {};  // retry-after-ms or retry-after (seconds or a date)
  std::optional<bool> should_retry = {};   // x-should-retry
  std::optional<http::Failure> http = {};  // of the transfer
};

/// The `error` of Claude Code's events.
enum class ErrorName {
  authentication_failed,
  billing_error,
  invalid_request,
  loop_guard,  // ralph's addition
  max_output_tokens,
  model_not_found,
  overloaded,
  rate_limit,
  server_error,
  unknown,
};
std::string_view to_string(ErrorName name);
ErrorName error_name(const Failure& failure);

/// The failure of an HTTP response: any status, body in the API's form or not (HTML of a proxy).
Failure failure_of(int status, std::string_view body, std::string_view request_id);
/// The same, with its headers.
Failure failure_of(const http::Response& response);
/// The failure of an error event; `body`: its data.
Failure failure_of_event(std::string_view body, std::string_view request_id);

/// A shorter request may be accepted: too many tokens, or too many bytes (413).
bool is_too_long(const Failure& failure);
/// The model has no capacity at the moment; another one may.
bool is_overloaded(const Failure& failure);

}  // namespace ralph::api
