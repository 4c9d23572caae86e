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

/// How we say who we are. Both may be set: both are sent then. Empty: not sent.
struct Credential {
  std::string api_key;  // x-api-key
  std::string token;    // Authorization: Bearer
};

struct Endpoint {
  std::string base_url =
      "https://api.anthropic.com";  // with or without "/v1", a path, a trailing slash
  Credential credential;
  http::Headers headers;  // further ones, e.g. user-agent and those of ANTHROPIC_CUSTOM_HEADERS
  Millis connect_timeout{30'000};
  Millis head_timeout{360'000};   // API_TIMEOUT_MS
  Millis stall_timeout{300'000};  // without a byte of the stream
};

/// "https://host/prefix/v1/messages". Fails unless it is an http(s) URL.
Result<std::string> messages_url(std::string_view base_url);

/// The policy as measured on Claude Code: which failure is worth how many tries, and how long to wait.
struct RetryPolicy {
  int max_retries = 10;  // CLAUDE_CODE_MAX_RETRIES
  int max_overloaded =
      2;  // after 529, for the models that `scarce_models` names; others: max_retries
  std::vector<std::string> scarce_models{"opus", "fable"};  // parts of ids
  std::optional<int> max_unauthorized;  // after 401; nullopt: max_retries, with a token alone 1
  Millis first_pause{500};              // doubled each time
  Millis longest_pause{32'000};
  Millis longest_retry_after{60'000};  // longer ones are not waited for
  std::function<double()> jitter;      // 0 … 1, of a quarter of the pause; empty: random
};

/// The pause before the next try after `retries` earlier ones; nullopt: it is not worth one.
std::optional<Millis> pause_before_retry(const Failure& failure, int retries,
                                         const RetryPolicy& policy);

/// A try that failed and will be repeated.
struct Retry {
  int attempt = 1;  // from 1
  int max_retries = 0;
  Millis pause{0};
  const Failure& failure;
};

/// Hears an answer while it comes, on the thread that asks.
class Listener {
 public:
  virtual ~Listener() = default;
  /// Some thinking came; before the event that carries it.
  virtual void on_thinking(std::string_view /*text*/) {}
  /// A block is whole; before the event that ends it.
  virtual void on_block(const Reply& /*so_far*/, const Block& /*block*/) {}
  /// An event of the API as it came, on one line; not "ping", not unknown ones.
  virtual void on_event(const Reply& /*so_far*/, std::string_view /*type*/,
                        std::string_view /*json*/) {}
  /// The stream broke and is asked for again: what was shown of it from block `index` on is void.
  virtual void on_abandoned(const Reply& /*so_far*/, std::size_t /*index*/) {}
  /// Before the pause.
  virtual void on_retry(const Retry& /*retry*/) {}
};

/// What came of a request; without a failure the reply is whole, or was cut after a whole block that stands.
struct Answer {
  Reply reply;
  std::optional<Failure> failure;
};

/// Optional parts of a request that an endpoint turned out not to take.
struct Withheld {
  bool betas = false;     // and the display of thinking, which needs one
  bool thinking = false;  // and effort
  bool cache_marks = false;

  bool operator==(const Withheld&) const = default;
};

/// Asks the Messages API, streaming, with retries. A stream that breaks before a whole text or tool block was reported is
/// asked for again: after a pause when the connection broke, at once and in one piece when what came made no sense.
/// A request refused for an optional part of it is repeated without, later ones to that model too. One that a kept
/// connection did not answer with a byte is sent again: nothing was reported. Used by one thread at a time.
class Client {
 public:
  Client(Endpoint endpoint, RetryPolicy policy);

  Answer ask(const Request& request, Listener& listener, const std::stop_token& stop = {});

 private:
  class Asking;

  Endpoint endpoint_;
  RetryPolicy policy_;
  http::Client http_;
  std::map<std::string, Withheld> withheld_;  // by model
};

}  // namespace ralph::api
