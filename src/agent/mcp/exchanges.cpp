#include "agent/mcp/exchanges.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "core/base/log.h"

namespace ralph::mcp {
namespace {

constexpr std::size_t kMostExchanges = 64;

/// An exception, such as running out of memory, fails the exchange, not the program.
void run_work(const Outgoing& message, Receiver& receiver, const Exchanges::Work& work,
              const std::stop_token& stop) {
  try {
    return work(message, stop);
  } catch (const std::exception& error) {
    log::debug("mcp", std::string("an exchange failed: ") + error.what());
    if (!message.request) return;
    receiver.on_lost(*message.request, {Code::unavailable, error.what(), {}});
  }
}

}  // namespace

void Exchanges::send(Outgoing message, Receiver& receiver, Work work) {
  const auto request = message.request;
  const bool started =
      start(request, [message = std::move(message), &receiver, work = std::move(work)](
                         const std::stop_token& stop) { run_work(message, receiver, work, stop); });
  if (started || !request) return;
  receiver.on_lost(*request, {Code::busy, "the message cannot be sent now", {}});
}

bool Exchanges::start(std::optional<std::int64_t> request,
                      std::function<void(const std::stop_token&)> work) {
  join_finished();
  const std::lock_guard lock(mutex_);
  if (closed_ || exchanges_.size() >= kMostExchanges) return false;
  auto& exchange = exchanges_.emplace_back(Exchange{request});
  try {
    exchange.thread =
        std::jthread([this, &exchange, work = std::move(work)](const std::stop_token& stop) {
          work(stop);
          const std::lock_guard done(mutex_);
          exchange.done = true;
          changed_.notify_all();
        });
  } catch (const std::system_error&) {
    exchanges_.pop_back();
    return false;
  }
  return true;
}

/// Finished threads hold no lock, so that joining them does not wait.
void Exchanges::join_finished() {
  std::list<Exchange> finished;
  const std::lock_guard lock(mutex_);
  for (auto at = exchanges_.begin(); at != exchanges_.end();) {
    const auto next = std::next(at);
    if (at->done) finished.splice(finished.end(), exchanges_, at);
    at = next;
  }
}

void Exchanges::stop(std::int64_t request) {
  const std::lock_guard lock(mutex_);
  for (auto& exchange : exchanges_) {
    if (exchange.request == request) exchange.thread.request_stop();
  }
}

bool Exchanges::wait(SteadyTime end, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, stop, end,
                             [this] { return std::ranges::all_of(exchanges_, &Exchange::done); });
}

void Exchanges::begin_close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (auto& exchange : exchanges_) exchange.thread.request_stop();
}

void Exchanges::close() {
  begin_close();
  std::list<Exchange> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(exchanges_);
  }
}

}  // namespace ralph::mcp
