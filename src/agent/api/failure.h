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

/// Why there is no whole answer.
enum class FailureKind {
  cancelled,    // the stop token asked for it
  status,       // the endpoint answered with an error
  error_event,  // … inside a stream that had begun well
  connection,   // no answer: refused, reset, no such host, TLS
  timed_out,    // no answer in time
  stalled,      // the stream fell silent
  cut,          // the stream ended too early
  garbage,      // neither an event stream nor a message of the API
  setup,        // the request cannot be made: bad URL, no libcurl
};

struct Failure {
  FailureKind kind = FailureKind::setup;
  int status = 0;       // HTTP status; 0: none
  std::string type;     // "overloaded_error"; empty: none given
  std::string message;  // the endpoint's own words, or ours
  std::string request_id;
  std::optional<Millis> retry_after;  // retry-after-ms or retry-after (seconds or a date)
  std::optional<bool> should_retry;   // x-should-retry
  std::optional<http::Failure> http;  // for those that happened below us
};

/// The words of Claude Code's events: "authentication_failed", "billing_error", "rate_limit", "overloaded",
/// "invalid_request", "model_not_found", "server_error", "unknown".
std::string_view event_name(const Failure& failure);

/// The failure of an HTTP response: any status, body in the API's form or not (HTML of a proxy).
Failure failure_of(int status, std::string_view body, std::string_view request_id);
/// The same with what its headers say.
Failure failure_of(const http::Response& response);

/// "prompt is too long: 250000 tokens > 200000 maximum".
struct PromptTooLong {
  std::int64_t tokens = 0;
  std::int64_t limit = 0;
};
std::optional<PromptTooLong> prompt_too_long(const Failure& failure);
/// A shorter request may be taken: too many tokens, or too many bytes (413).
bool is_too_long(const Failure& failure);

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
  std::string reason;  // the API's words without the place
};
/// The API does not take a picture or document of the request; nullopt: it says something else.
std::optional<MediaRefusal> media_refusal(const Failure& failure);

}  // namespace ralph::api
