#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/failure.h"
#include "agent/api/reply.h"
#include "agent/api/request.h"
#include "core/base/result.h"
#include "system/http/client.h"
#include "system/http/message.h"

namespace ralph::api {

/// How requests are authenticated. Both are sent if both are set; empty: not sent.
struct Credential {
  std::string api_key;  // x-api-key
  std::string token;    // Authorization: Bearer
};

struct Endpoint {
  std::string base_url =
      "https://api.anthropic.com";  // with or without "/v1", a path, a trailing slash
  Credential credential;
  http::Headers headers;  // more headers, e.g. user-agent and ANTHROPIC_CUSTOM_HEADERS
  Millis connect_timeout{30'000};
  Millis head_timeout{360'000};   // API_TIMEOUT_MS
  Millis stall_timeout{300'000};  // between two bytes of the stream
};

/// "https://host/prefix/v1/messages". Fails unless it is an http(s) URL.
Result<std::string> messages_url(std::string_view base_url);

/// How often and after which pauses a request is retried, as measured on Claude Code.
struct RetryPolicy {
  int max_retries = 10;  // CLAUDE_CODE_MAX_RETRIES
  int max_overloaded =
      2;  // after 529, for the models that `scarce_models` names; others: max_retries
  std::vector<std::string> scarce_models{"opus", "fable"};  // parts of ids
  std::optional<int> max_unauthorized;  // after 401; nullopt: max_retries, with a token alone 1
  Millis first_pause{500};              // doubled each time
  Millis longest_pause{32'000};
  Millis longest_retry_after{60'000};  // a longer retry-after is not waited for
  std::function<double()> jitter;      // 0 … 1, of a quarter of the pause; empty: random
};

/// The pause before the next retry, after `retries` earlier ones; nullopt: do not retry.
std::optional<Millis> pause_before_retry(const Failure& failure, int retries,
                                         const RetryPolicy& policy);

/// A failed request that will be sent again.
struct Retry {
  int attempt = 1;  // from 1
  int max_retries = 0;
  Millis pause{0};
  const Failure& failure;
};

/// The types of events that bring a reply forward.
enum class EventType {
  message_start,
  block_start,
  block_delta,
  block_stop,
  message_delta,
  message_stop,
};

/// An event of the API as it came.
struct StreamEvent {
  EventType type;
  std::optional<BlockType> starts;  // of block_start
  std::string_view json;            // on one line
};

/// Receives a reply while it arrives, on the thread that asks.
class Listener {
 public:
  virtual ~Listener() = default;
  /// Called before the event that carries the thinking.
  virtual void on_thinking(std::string_view /*text*/) {}
  /// A block is complete. Called before the event that ends it.
  virtual void on_block(const Reply& /*so_far*/, const Block& /*block*/) {}
  /// Not called for "ping" and unknown events.
  virtual void on_event(const Reply& /*so_far*/, const StreamEvent& /*event*/) {}
  /// The stream broke and the request is sent again: discard its blocks from `index` on.
  virtual void on_abandoned(const Reply& /*so_far*/, std::size_t /*index*/) {}
  /// Before the pause.
  virtual void on_retry(const Retry& /*retry*/) {}
};

/// The result of a request. Without a failure the reply is complete, or was cut off after a complete block, which is kept.
struct Answer {
  Reply reply;
  std::optional<Failure> failure;
};

/// Optional parts of a request that an endpoint rejected.
struct UnsupportedParts {
  bool betas = false;     // and the display of thinking, which needs one
  bool thinking = false;  // and effort
  bool cache_marks = false;

  bool operator==(const UnsupportedParts&) const = default;
};

/// Sends requests to the Messages API, streaming, with retries. If a stream breaks before a complete text or tool block was
/// reported, the request is sent again: after a pause if the connection broke, at once and without streaming if the data
/// was invalid. If the endpoint rejects an optional part of a request, that part is left out, for that model from then on.
/// A request that got no byte over a kept connection is sent again. Used by one thread at a time.
class Client {
 public:
  Client(Endpoint endpoint, RetryPolicy policy);

  Answer ask(const Request& request, Listener& listener, const std::stop_token& stop = {});

 private:
  class Call;

  Endpoint endpoint_;
  RetryPolicy policy_;
  http::Client http_;
  std::map<std::string, UnsupportedParts> unsupported_;  // by model
};

}  // namespace ralph::api
