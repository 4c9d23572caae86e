#pragma once
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/api/client.h"
#include "core/json/document.h"
#include "system/http/server.h"

namespace ralph::api {

inline constexpr Millis kLong{600'000};

/// One line per call.
class Log : public Listener {
 public:
  void on_thinking(std::string_view text) override { add(fmt::format("thinking {}", text)); }
  void on_block(const Reply& so_far, const Block& block) override {
    add(fmt::format("block {} of {}", block.json, so_far.content.size()));
  }
  void on_event(const Reply&, const StreamEvent& event) override {
    add(fmt::format("event {}", kEventNames.at(static_cast<std::size_t>(event.type))));
    events.emplace_back(event.json);
  }
  void on_abandoned(const Reply& so_far, std::size_t index) override {
    add(fmt::format("abandoned {} from {}", so_far.id, index));
  }
  void on_retry(const Retry& retry) override {
    add(fmt::format("retry {}/{} {} {}ms", retry.attempt, retry.max_retries,
                    to_string(error_name(retry.failure)), retry.pause.count()));
    if (retried) retried();
  }

  std::vector<std::string> lines_of(std::string_view start) const {
    std::vector<std::string> found;
    for (const auto& line : lines) {
      if (line.starts_with(start)) found.push_back(line);
    }
    return found;
  }

  std::vector<std::string> lines;
  std::vector<std::string> events;
  std::function<void()> retried;

 private:
  static constexpr std::array<std::string_view, 6> kEventNames{
      "message_start",      "content_block_start", "content_block_delta",
      "content_block_stop", "message_delta",       "message_stop"};
  void add(std::string line) { lines.push_back(std::move(line)); }
};

inline std::string sse(std::string_view type, std::string_view data) {
  return fmt::format("event: {}\ndata: {}\n\n", type, data);
}

inline std::string message_start(std::string_view id = "msg_1") {
  return sse("message_start",
             fmt::format(R"({{"type":"message_start","message":{{"id":"{}","type":"message",)"
                         R"("role":"assistant","model":"claude-x","content":[],"stop_reason":null,)"
                         R"("usage":{{"input_tokens":10,"output_tokens":1}}}}}})",
                         id));
}

inline std::string block_start(int index, std::string_view block) {
  return sse("content_block_start",
             fmt::format(R"({{"type":"content_block_start","index":{},"content_block":{}}})", index,
                         block));
}

inline std::string delta(int index, std::string_view json) {
  return sse("content_block_delta",
             fmt::format(R"({{"type":"content_block_delta","index":{},"delta":{}}})", index, json));
}

inline std::string text_delta(int index, std::string_view text) {
  return delta(index, fmt::format(R"({{"type":"text_delta","text":"{}"}})", text));
}

inline std::string block_stop(int index) {
  return sse("content_block_stop",
             fmt::format(R"({{"type":"content_block_stop","index":{}}})", index));
}

inline std::string text_block(int index, std::string_view text) {
  return block_start(index, R"({"type":"text","text":""})") + text_delta(index, text) +
         block_stop(index);
}

inline std::string message_delta(std::string_view reason = "end_turn") {
  return sse("message_delta",
             fmt::format(R"({{"type":"message_delta","delta":{{"stop_reason":"{}",)"
                         R"("stop_sequence":null}},"usage":{{"output_tokens":5}}}})",
                         reason));
}

inline std::string message_stop() { return sse("message_stop", R"({"type":"message_stop"})"); }

inline std::string whole_stream(std::string_view text, std::string_view id = "msg_1") {
  return message_start(id) + text_block(0, text) + message_delta() + message_stop();
}

inline std::string whole_message(std::string_view text) {
  return fmt::format(R"({{"id":"msg_p","type":"message","role":"assistant","model":"claude-x",)"
                     R"("content":[{{"type":"text","text":"{}"}}],"stop_reason":"end_turn",)"
                     R"("stop_sequence":null,"usage":{{"input_tokens":7,"output_tokens":3}}}})",
                     text);
}

using Answerer = std::function<void(http::Exchange&)>;

/// Streams these bytes and ends as HTTP wants it.
inline Answerer streaming(std::string bytes) {
  return [bytes = std::move(bytes)](http::Exchange& exchange) {
    exchange.begin(200, {{"content-type", "text/event-stream"}, {"request-id", "req_s"}});
    if (!bytes.empty()) exchange.send(bytes);
    exchange.end();
  };
}

/// Streams these bytes, then closes the connection inside the body.
inline Answerer cut_after(std::string bytes) {
  return [bytes = std::move(bytes)](http::Exchange& exchange) {
    exchange.begin(200, {{"content-type", "text/event-stream"}});
    exchange.send(bytes);
    exchange.close();
  };
}

inline Answerer answering(int status, std::string body, http::Headers headers = {}) {
  headers.add("content-type", "application/json");
  return [=](http::Exchange& exchange) { exchange.respond({status, headers, body}); };
}

inline std::string error_body(std::string_view type, std::string_view message) {
  return fmt::format(R"({{"type":"error","error":{{"type":"{}","message":"{}"}}}})", type, message);
}

/// An endpoint that gives the next answer of its script to each request, the last one to all others.
class Script {
 public:
  explicit Script(std::vector<Answerer> answers)
      : answers_(answers.begin(), answers.end()),
        server_(
            http::Server::start({}, [this](const http::Request& request, http::Exchange& exchange) {
              next(request)(exchange);
            }).value()) {}

  std::string url() const { return server_->url(); }
  std::vector<http::Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  Answerer next(const http::Request& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    auto answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return answer;
  }

  mutable std::mutex mutex_;
  std::deque<Answerer> answers_;
  std::vector<http::Request> requests_;
  std::unique_ptr<http::Server> server_;
};

inline RetryPolicy quick() {
  RetryPolicy policy;
  policy.first_pause = Millis{1};
  policy.longest_pause = Millis{4};
  policy.jitter = [] { return 0.0; };
  return policy;
}

inline Endpoint endpoint(const std::string& url) {
  Endpoint made;
  made.base_url = url;
  made.credential.api_key = "key";
  return made;
}

inline const std::vector<Message>& hello() {
  static const std::vector<Message> messages{{Role::user, R"([{"type":"text","text":"Hello"}])"}};
  return messages;
}

inline Request request() {
  Request made;
  made.shape.model = "claude-x";
  made.messages = hello();
  return made;
}

using Lines = std::vector<std::string>;

/// The result of one request to an endpoint that follows a script.
struct Asked {
  Log log;
  Answer answer;
  std::vector<http::Request> requests;

  json::Document body(std::size_t index) const {
    return json::parse(requests.at(index).body).value();
  }
  std::string text() const {
    return answer.reply.content.empty() ? "" : answer.reply.content.back().text;
  }
};

inline std::unique_ptr<Asked> ask(std::vector<Answerer> answers,
                                  const RetryPolicy& policy = quick(),
                                  const std::function<void(Endpoint&, Request&)>& adjust = {}) {
  Script script(std::move(answers));
  auto asked = std::make_unique<Asked>();
  auto at = endpoint(script.url());
  auto what = request();
  if (adjust) adjust(at, what);
  Client client(at, policy);
  asked->answer = client.ask(what, asked->log);
  asked->requests = script.requests();
  return asked;
}

}  // namespace ralph::api
