#include "harness/run/cpu_activity_monitor.h"

#include <algorithm>
#include <exception>

#include <fmt/core.h>

#include "core/base/log.h"
#include "system/process/cpu_time.h"

namespace ralph::run {
namespace {

constexpr int kLooksPerLimit = 4;
constexpr Millis kMostOften{50};
constexpr Millis kLeastOften{30'000};
constexpr int kBusyShare = 20;  // one part of so many of a processor

}  // namespace

CpuActivityMonitor::CpuActivityMonitor(pid_t root, Millis silence, process::RunHandle& handle,
                                       std::function<bool()> busy)
    : busy_(std::move(busy)) {
  if (silence <= Millis::zero()) return;
  const auto every = std::clamp(silence / kLooksPerLimit, kMostOften, kLeastOften);
  thread_ = std::jthread([this, root, every, &handle](const std::stop_token& stop) {
    try {
      look(stop, root, every, handle);
    } catch (const std::exception& error) {
      // Then only output resets the idle timeout.
      log::debug("run", fmt::format("processor time is no longer watched: {}", error.what()));
    }
  });
}

void CpuActivityMonitor::look(const std::stop_token& stop, pid_t root, Millis every,
                              process::RunHandle& handle) {
  auto used = process::tree_cpu_time(root);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wakeup_.wait_for(lock, stop, every, [] { return false; });
    const auto now = process::tree_cpu_time(root);
    if (now - used >= every / kBusyShare || busy_()) handle.touch();
    used = now;
  }
}

}  // namespace ralph::run
