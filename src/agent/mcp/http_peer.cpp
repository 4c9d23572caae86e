#include "agent/mcp/http_peer.h"

#include <optional>
#include <utility>

#include <fmt/core.h>

#include "agent/mcp/transport.h"
#include "core/base/safe_text.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "system/http/sse_decoder.h"

namespace ralph::mcp {
namespace {

constexpr std::size_t kMostIdleClients = 4;
constexpr std::size_t kErrorBody = 2000;
constexpr std::size_t kErrorShown = 200;

bool is_success(int status) { return status >= 200 && status < 300; }

Error status_error(const HttpAnswer& answer) {
  const bool credential = answer.status == 401 || answer.status == 403;
  auto text = fmt::format("HTTP status {}", answer.status);
  if (const auto body = one_line(answer.body, kErrorShown); !body.empty()) text += ": " + body;
  return {credential ? Code::permission : Code::unavailable, std::move(text),
          credential ? "set the server's header Authorization in its configuration" : ""};
}

/// Collects one answer.
class AnswerReader {
 public:
  AnswerReader(HttpAnswer& answer, const HttpPeer::OnHead& on_head,
               const HttpPeer::OnEvent& on_event)
      : answer_(answer), on_head_(on_head), on_event_(on_event) {}

  Result<> head(const http::Response& head) {
    answer_.status = head.status;
    answer_.headers = head.headers;
    const auto type = to_lower(head.headers.find("content-type").value_or(""));
    if (is_success(head.status) && type.starts_with("text/event-stream")) {
      decoder_.emplace(
          [this](const http::SseEvent& event) -> Result<> {
            on_event_(event.type, event.data);
            return {};
          },
          http::SseLimits{kLargestMessage, kLargestMessage});
    }
    if (on_head_) on_head_(answer_);
    return {};
  }

  Result<> body(std::string_view bytes) {
    if (decoder_) return decoder_->feed(bytes);
    if (!is_success(answer_.status)) {
      answer_.body += utf8::prefix(bytes, kErrorBody - std::min(kErrorBody, answer_.body.size()));
      return {};
    }
    if (answer_.body.size() + bytes.size() > kLargestMessage) {
      return fail(Code::limit,
                  fmt::format("it sent a message of more than {} MB", kLargestMessage >> 20));
    }
    answer_.body += bytes;
    return {};
  }

 private:
  HttpAnswer& answer_;
  const HttpPeer::OnHead& on_head_;
  const HttpPeer::OnEvent& on_event_;
  std::optional<http::SseDecoder> decoder_;
};

}  // namespace

void HttpPeer::set_header(const std::string& name, const std::string& value) {
  const std::lock_guard lock(mutex_);
  headers_.set(name, value);
}

http::Client HttpPeer::take_client() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return http::Client();
  auto client = std::move(idle_.back());
  idle_.pop_back();
  return client;
}

void HttpPeer::return_client(http::Client client) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdleClients) idle_.push_back(std::move(client));
}

http::ClientRequest HttpPeer::make_request(const std::string& method, const std::string& url) {
  const std::lock_guard lock(mutex_);
  return {.method = method,
          .url = url,
          .headers = headers_,
          .form = http::BodyForm::decoded,
          .head_timeout = Millis{0},
          .stall_timeout = Millis{0}};
}

Result<HttpAnswer> HttpPeer::exchange(const std::string& url, std::string_view message,
                                      std::optional<Millis> limit, const OnHead& on_head,
                                      const OnEvent& on_event, const std::stop_token& stop) {
  auto request = make_request(message.empty() ? "GET" : "POST", url);
  request.body = message;
  request.total_timeout = limit.value_or(Millis{0});
  if (message.empty()) {
    request.headers.set("Accept", "text/event-stream");
  } else {
    request.headers.set("Content-Type", "application/json");
    request.headers.set("Accept", "application/json, text/event-stream");
  }
  HttpAnswer answer;
  AnswerReader reader(answer, on_head, on_event);
  auto client = take_client();
  const auto sent = client.send(request,
                                {[&](const http::Response& head) { return reader.head(head); },
                                 [&](std::string_view bytes) { return reader.body(bytes); }},
                                stop);
  if (!sent) return std::unexpected(Error(sent.error()));
  return_client(std::move(client));
  if (!is_success(answer.status)) return std::unexpected(status_error(answer));
  return answer;
}

void HttpPeer::end_session() {
  auto request = make_request("DELETE", url_);
  request.total_timeout = Millis{1000};
  auto client = take_client();
  const auto leave = [](const http::Response&) -> Result<> {
    return fail(Code::limit, "the body does not matter");
  };
  [[maybe_unused]] const auto sent = client.send(request, {.head = leave});
}

}  // namespace ralph::mcp
