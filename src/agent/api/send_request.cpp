#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <fmt/ranges.h>

#include "agent/api/assembler.h"
#include "agent/api/response_headers_impl.h"
#include "agent/api/send_request_impl.h"
#include "system/http/sse_decoder.h"

namespace ralph::api {
namespace {

constexpr std::size_t kMostErrorBody = std::size_t{1} << 20;
constexpr std::size_t kMostMessage = std::size_t{64} << 20;
/// How long a stream may stay open after the end of its message.
constexpr Millis kAfterTheEnd{500};
/// Pings, comments and empty events extend the wait for progress, up to this many stall timeouts.
constexpr int kPingPatience = 2;

FailureKind kind_of(http::Failure failure) {
  switch (failure) {
    case http::Failure::cancelled: return FailureKind::cancelled;
    case http::Failure::bad_request:
    case http::Failure::address_refused:
    case http::Failure::no_library: return FailureKind::setup;
    case http::Failure::connect_timed_out:
    case http::Failure::head_timed_out: return FailureKind::timed_out;
    case http::Failure::resolve:
    case http::Failure::connect:
    case http::Failure::tls:
    case http::Failure::certificate:
    case http::Failure::reset:
    case http::Failure::cut_in_head: return FailureKind::connection;
    case http::Failure::cut_in_body: return FailureKind::cut;
    case http::Failure::body_stalled: return FailureKind::stalled;
    case http::Failure::sink:
    case http::Failure::not_http:
    case http::Failure::too_large: return FailureKind::garbage;
  }
  return FailureKind::garbage;
}

Failure transfer_failure(const http::SendError& error) {
  return {.kind = kind_of(error.failure),
          .message = error.message,
          .hint = error.hint,
          .http = error.failure};
}

http::Headers headers_of(const Endpoint& endpoint, const Request& request) {
  http::Headers headers{{"content-type", "application/json"},
                        {"accept", request.stream ? "text/event-stream" : "application/json"},
                        {"anthropic-version", "2023-06-01"}};
  const auto& [api_key, token] = endpoint.credential;
  if (!api_key.empty()) headers.add("x-api-key", api_key);
  if (!token.empty()) headers.add("authorization", "Bearer " + token);
  auto betas = fmt::format("{}", fmt::join(request.shape.betas, ","));
  for (const auto& [name, value] : endpoint.headers) {
    if (!http::equal_ignoring_case(name, "anthropic-beta")) {
      headers.set(name, value);
    } else if (!value.empty()) {
      betas += (betas.empty() ? "" : ",") + value;
    }
  }
  if (!betas.empty()) headers.add("anthropic-beta", betas);
  return headers;
}

Result<http::ClientRequest> http_request(const Endpoint& endpoint, const Request& request) {
  http::ClientRequest made;
  made.method = "POST";
  TRY_ASSIGN(made.url, messages_url(endpoint.base_url));
  if (!request.shape.betas.empty()) made.url += "?beta=true";
  made.headers = headers_of(endpoint, request);
  made.body = body_of(request);
  made.connect_timeout = endpoint.connect_timeout;
  made.head_timeout = endpoint.head_timeout;
  made.stall_timeout = endpoint.stall_timeout;
  return made;
}

/// Endpoints ignore the wish for a stream, or for an answer in one piece.
bool is_stream(const http::Headers& headers, bool wanted) {
  const auto type = headers.find("content-type").value_or("");
  return wanted ? !type.starts_with("application/json") : type.starts_with("text/event-stream");
}

/// How the body of a response is read.
enum class Form { unknown, stream, message, error };

/// Reads an HTTP response.
class Reader {
 public:
  Reader(http::ClientRequest& request, bool streams, Listener& listener)
      : request_(request),
        streams_(streams),
        listener_(listener),
        decoder_([this](const http::SseEvent& event) { return take_event(event); }) {}

  Result<> take_head(const http::Response& head) {
    head_ = head;
    last_progress_ = std::chrono::steady_clock::now();
    const bool good = head.status >= 200 && head.status < 300;
    const bool streamed = is_stream(head.headers, streams_);
    form_ = !good ? Form::error : streamed ? Form::stream : Form::message;
    if (form_ == Form::stream) {
      assembler_.emplace(listener_, std::string(request_id_in(head.headers)));
    }
    return {};
  }

  Result<> take_body(std::string_view bytes) {
    if (form_ == Form::stream) {
      TRY(decoder_.feed(bytes));
      return check_progress();
    }
    const auto most = form_ == Form::error ? kMostErrorBody : kMostMessage;
    head_.body += bytes.substr(0, most - head_.body.size());
    if (head_.body.size() == most) return fail(Code::limit, "the response is too long");
    return check_progress();
  }

  Attempt finish(const http::Sent& sent) {
    Attempt attempt;
    if (assembler_) {
      attempt.reported = assembler_->reported();
      attempt.reply = assembler_->release();
    }
    attempt.reply.request_id = request_id_in(head_.headers);
    if (!sent && sent.error().failure == http::Failure::cancelled) {
      attempt.failure = transfer_failure(sent.error());
    } else if (form_ == Form::error) {
      attempt.failure = failure_of(head_);
    } else if (form_ == Form::stream) {
      attempt.failure = end_stream(attempt, sent);
    } else if (!sent) {
      attempt.failure = failure_ ? *failure_ : transfer_failure(sent.error());
    } else {
      attempt.failure = read_message(head_.body, attempt.reply, listener_);
      attempt.reported = !attempt.reply.content.empty();
    }
    if (attempt.failure && attempt.failure->request_id.empty()) {
      attempt.failure->request_id = attempt.reply.request_id;
    }
    return attempt;
  }

 private:
  Result<> take_event(const http::SseEvent& event) {
    const auto before = assembler_->progress();
    failure_ = assembler_->take(event);
    if (failure_) return fail(Code::malformed, failure_->message);
    // After the listener: its time does not count as the endpoint's.
    if (assembler_->progress() > before) last_progress_ = std::chrono::steady_clock::now();
    ended_ = assembler_->reply().whole;
    if (ended_) shorten(request_.stall_timeout);
    return {};
  }

  /// The transfer only sees bytes; this checks that they extend the reply. A response that is not streamed must be complete
  /// within the limit.
  Result<> check_progress() {
    const auto limit = request_.stall_timeout * (ended_ ? 1 : kPingPatience);
    if (limit <= Millis{0} || std::chrono::steady_clock::now() - last_progress_ <= limit) return {};
    const auto message = fmt::format("the response made no progress for {}, only keep-alives",
                                     format_duration(limit));
    if (!ended_) failure_ = Failure{.kind = FailureKind::stalled, .message = message};
    return fail(Code::limit, message);
  }

  static void shorten(Millis& timeout) {
    timeout = timeout > Millis{0} ? std::min(timeout, kAfterTheEnd) : kAfterTheEnd;
  }

  /// A stream with a stop reason is complete, however the connection ended.
  std::optional<Failure> end_stream(Attempt& attempt, const http::Sent& sent) {
    if (failure_) return failure_;
    if (attempt.reply.stop_reason.reported()) attempt.reply.whole = true;
    if (attempt.reply.whole) return std::nullopt;
    if (!sent) return transfer_failure(sent.error());
    if (!attempt.reported)
      return Failure{.kind = FailureKind::garbage, .message = "the response is empty"};
    return Failure{.kind = FailureKind::cut, .message = "the response ended early"};
  }

  http::ClientRequest& request_;
  bool streams_;
  Listener& listener_;
  http::SseDecoder decoder_;
  std::optional<Assembler> assembler_;
  http::Response head_;
  Form form_ = Form::unknown;
  std::optional<Failure> failure_;  // why reading the stream was stopped
  bool ended_ = false;              // its message is complete
  SteadyTime last_progress_;
};

}  // namespace

Attempt send_request(http::Client& client, const Endpoint& endpoint, const Request& request,
                     Listener& listener, const std::stop_token& stop) {
  auto made = http_request(endpoint, request);
  if (!made) {
    return {.failure = Failure{.kind = FailureKind::setup, .message = describe(made.error())}};
  }
  Reader reader(*made, request.stream, listener);
  const http::ResponseSink sink{[&](const http::Response& head) { return reader.take_head(head); },
                                [&](std::string_view bytes) { return reader.take_body(bytes); }};
  const auto sent = client.send(*made, sink, stop);
  return reader.finish(sent);
}

}  // namespace ralph::api
