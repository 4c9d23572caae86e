#include "agent/wire/client_requests.h"

#include <chrono>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/id.h"
#include "core/json/field.h"
#include "core/json/writer.h"

namespace ralph::wire {
namespace {

constexpr std::string_view kClosed = "the client has closed its end";
constexpr std::string_view kWithdrawn = "the request was withdrawn";

}  // namespace

bool ClientRequests::Open::is(std::string_view subtype) const {
  return !answer && !withdrawn && json::text(request, "subtype") == subtype;
}

/// Returns the id.
Result<std::string> ClientRequests::send(const json::Document& request) {
  const auto id = make_uuid();
  const std::lock_guard writing(writing_);
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return fail(Code::unavailable, std::string(kClosed));
    open_.emplace(id, Open{.request = request});
  }
  std::string line;
  json::ObjectWriter(line)
      .text("type", "control_request")
      .text("request_id", id)
      .raw("request", json::write(request))
      .close();
  writer_.event(line);
  return id;
}

Result<json::Document> ClientRequests::ask(const json::Document& request,
                                           const std::stop_token& stop,
                                           std::optional<Millis> limit) {
  if (stop.stop_requested()) return fail(Code::unavailable, std::string(kWithdrawn));
  TRY_ASSIGN(const auto id, send(request));
  std::unique_lock lock(mutex_);
  auto& open = open_.at(id);
  const auto answered = [&] { return open.answer || open.ended || closed_; };
  if (limit) {
    changed_.wait_until(lock, stop, std::chrono::steady_clock::now() + *limit, answered);
  } else {
    changed_.wait(lock, stop, answered);
  }
  auto ended = std::move(open_.extract(id).mapped());
  const bool closed = closed_;
  lock.unlock();
  if (ended.answer) return *std::move(ended.answer);
  if (closed) return fail(Code::unavailable, std::string(kClosed));
  if (!ended.withdrawn) write_withdrawal(id);
  if (ended.withdrawn || stop.stop_requested()) {
    return fail(Code::unavailable, std::string(kWithdrawn));
  }
  return fail(Code::unavailable, fmt::format("no answer within {} ms", limit->count()));
}

void ClientRequests::write_withdrawal(const std::string& id) {
  std::string line;
  json::ObjectWriter(line).text("type", "control_cancel_request").text("request_id", id).close();
  writer_.event(line);
}

void ClientRequests::withdraw(std::string_view subtype) {
  std::vector<std::string> ids;
  const std::lock_guard writing(writing_);
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, open] : open_) {
      if (!open.is(subtype)) continue;
      open.withdrawn = true;
      ids.push_back(id);
    }
  }
  for (const auto& id : ids) write_withdrawal(id);
}

void ClientRequests::end_withdrawn() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, open] : open_) open.ended = open.withdrawn;
  changed_.notify_all();
}

json::Document ClientRequests::waiting(std::string_view subtype) {
  auto list = json::Document::array();
  const std::lock_guard writing(writing_);
  const std::lock_guard lock(mutex_);
  for (const auto& [id, open] : open_) {
    if (!open.is(subtype)) continue;
    list.push_back({{"type", "control_request"}, {"request_id", id}, {"request", open.request}});
  }
  return list;
}

void ClientRequests::accept(ControlResponse response) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(response.id);
  if (found == open_.end() || found->second.answer || found->second.withdrawn) return;
  found->second.answer = std::move(response.payload);
  changed_.notify_all();
}

void ClientRequests::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace ralph::wire
