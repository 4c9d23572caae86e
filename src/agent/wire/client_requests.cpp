#include "agent/wire/client_requests.h"

#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "core/base/id.h"
#include "core/json/writer.h"

namespace ralph::wire {

Result<json::Document> ClientRequests::ask(const json::Document& request,
                                           const std::stop_token& stop,
                                           std::optional<Millis> limit) {
  const auto id = make_uuid();
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return fail(Code::unavailable, "the client has closed its end");
    open_.emplace(id, Open{});
  }
  std::string line;
  json::ObjectWriter(line)
      .text("type", "control_request")
      .text("request_id", id)
      .raw("request", json::write(request))
      .close();
  writer_.event(line);

  std::unique_lock lock(mutex_);
  auto& open = open_.at(id);
  const auto answered = [&] { return open.answer.has_value() || closed_; };
  const auto end = limit ? std::chrono::steady_clock::now() + *limit : SteadyTime::max();
  if (limit) {
    changed_.wait_until(lock, stop, end, answered);
  } else {
    changed_.wait(lock, stop, answered);
  }
  auto answer = std::move(open.answer);
  const bool closed = closed_;
  open_.erase(id);
  lock.unlock();
  if (answer) return *std::move(answer);
  if (closed) return fail(Code::unavailable, "the client has closed its end");
  withdraw(id);
  if (stop.stop_requested()) return fail(Code::unavailable, "the request was withdrawn");
  return fail(Code::unavailable, fmt::format("no answer within {} ms", limit->count()));
}

void ClientRequests::withdraw(const std::string& id) {
  std::string line;
  json::ObjectWriter(line).text("type", "control_cancel_request").text("request_id", id).close();
  writer_.event(line);
}

void ClientRequests::accept(ControlResponse response) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(response.id);
  if (found == open_.end() || found->second.answer) return;
  found->second.answer = std::move(response.payload);
  changed_.notify_all();
}

void ClientRequests::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace ralph::wire
