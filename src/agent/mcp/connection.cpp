#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/mcp/connection_impl.h"
#include "core/base/safe_text.h"
#include "core/json/field.h"

namespace ralph::mcp {
namespace {

using json::Document;

/// A server that asks more before it answers our next request gets no answers: it may not even read them.
constexpr int kMostAnswers = 1000;
constexpr std::int64_t kMethodNotFound = -32601;
constexpr Millis kLongestWait = std::chrono::hours(24 * 365);
constexpr std::size_t kShown = 200;
constexpr const char* kInitialize = "initialize";

SteadyTime deadline(SteadyTime from, Millis limit) { return from + std::min(limit, kLongestWait); }

}  // namespace

Connection::Connection(std::unique_ptr<Transport> transport, std::string roots)
    : roots_(std::move(roots)), answers_left_(kMostAnswers), transport_(std::move(transport)) {}

Connection::~Connection() { transport_->close(); }

Result<Document> Connection::request(std::string_view method, Document params,
                                     const AnswerLimits& limits, const std::stop_token& stop) {
  std::int64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return std::unexpected(*closed_);
    id = next_id_++;
    open_.emplace(id, Open{std::chrono::steady_clock::now()});
  }
  if (params.contains("_meta")) params["_meta"]["progressToken"] = id;
  transport_->send({request_json(id, method, params), id});
  auto reply = wait_for(id, limits, stop);
  if (reply.pending && method != kInitialize) {
    cancel(id, reply.answer.error().message, limits.silence);
  }
  transport_->abandon(id);
  return std::move(reply.answer);
}

Connection::Reply Connection::wait_for(std::int64_t id, const AnswerLimits& limits,
                                       const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  auto& open = open_.at(id);
  const auto end = deadline(open.touched, limits.total);
  const auto until = [&] { return std::min(end, deadline(open.touched, limits.silence)); };
  const auto is_over = [&] { return open.answer || closed_ || stop.stop_requested(); };
  while (!is_over() && std::chrono::steady_clock::now() < until()) {
    changed_.wait_until(lock, stop, until(), is_over);
  }
  auto answer = std::move(open.answer);
  const bool in_time = deadline(open.touched, limits.silence) > end;
  open_.erase(id);
  if (answer) {
    answers_left_ = kMostAnswers;
    return {.answer = *std::move(answer)};
  }
  if (closed_) return {.answer = std::unexpected(*closed_)};
  auto why = stop.stop_requested()
                 ? std::string("the call was interrupted")
                 : fmt::format("no answer within {}",
                               format_duration(in_time ? limits.total : limits.silence));
  return {.answer = fail(Code::busy, std::move(why)), .pending = true};
}

/// Takes no longer than the request did, so that there are never more of them than of requests.
void Connection::cancel(std::int64_t id, std::string_view why, Millis limit) {
  transport_->send({.json = notification_json("notifications/cancelled",
                                              {{"requestId", id}, {"reason", std::string(why)}}),
                    .limit = std::min(limit, kNotificationLimit)});
}

Result<> Connection::notify(std::string_view method, SteadyTime end, const std::stop_token& stop) {
  transport_->send({notification_json(method, nullptr)});
  if (transport_->flush(end, stop)) return {};
  if (stop.stop_requested()) return fail(Code::unavailable, "it was interrupted");
  return fail(Code::unavailable, fmt::format("it did not accept {} in time", method));
}

void Connection::on_message(std::string_view text) {
  auto messages = read_messages(text);
  if (messages.empty()) return note_garbage(text);
  for (auto& message : messages) {
    if (auto* answer = std::get_if<Answer>(&message)) accept(*answer);
    if (const auto* request = std::get_if<ServerRequest>(&message)) answer_server(*request);
    if (const auto* note = std::get_if<Notification>(&message)) take_note(*note);
  }
}

/// Ignored if nothing waits for it: a second answer, a late one, or one with an id that was never sent.
void Connection::accept(Answer& answer) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(answer.id);
  if (found == open_.end() || found->second.answer) return;
  found->second.answer = std::move(answer.result);
  changed_.notify_all();
}

void Connection::answer_server(const ServerRequest& request) {
  {
    const std::lock_guard lock(mutex_);
    if (answers_left_ == 0) return;
    --answers_left_;
  }
  if (request.method == "ping") return transport_->send({answer_json(request.id, "{}")});
  if (request.method == "roots/list") return transport_->send({answer_json(request.id, roots_)});
  transport_->send({refusal_json(request.id, kMethodNotFound, "Method not found")});
}

void Connection::take_note(const Notification& notification) {
  if (notification.method == "notifications/tools/list_changed") tools_changed_ = true;
  if (notification.method != "notifications/progress") return;
  const auto& token = json::member(notification.params, "progressToken");
  if (!token.is_number_integer()) return;
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(token.get<std::int64_t>());
  if (found != open_.end()) found->second.touched = std::chrono::steady_clock::now();
}

void Connection::note_garbage(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (garbage_++ == 0) first_garbage_ = one_line(std::string(text.substr(0, kShown * 4)), kShown);
}

void Connection::on_lost(std::int64_t request, const Error& why) {
  Answer answer{request, std::unexpected(why)};
  accept(answer);
}

void Connection::on_closed(const Error& why) {
  const std::lock_guard lock(mutex_);
  if (!closed_) closed_ = why;
  changed_.notify_all();
}

std::optional<Error> Connection::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

Error Connection::explained(Error error) const {
  const auto log = one_line(transport_->server_log(), kShown * 2);
  if (!log.empty()) error.message += "; stderr: " + log;
  const std::lock_guard lock(mutex_);
  if (garbage_ > 0) {
    error.message += fmt::format("; {} of its messages {} not JSON-RPC, the first: {}", garbage_,
                                 garbage_ == 1 ? "is" : "are", first_garbage_);
  }
  return error;
}

}  // namespace ralph::mcp
