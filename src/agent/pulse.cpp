#include "agent/pulse.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/text.h"
#include "base/id.h"

namespace ralph::agent {
namespace {

std::string text_of(const json::Document& input, const char* key) {
  const auto found = input.find(key);
  return found != input.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Sleeps until then; false: a stop was asked for before.
bool sleep_until(SteadyTime when, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_until(lock, stop, when, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace

tool::Outcome Pulse::watch(const api::Block& call, const json::Document& input,
                           const std::function<tool::Outcome()>& run) const {
  if (call.name != "Bash") return run();
  auto what = text_of(input, "description");
  if (what.empty()) what = text_of(input, "command");
  const auto id = "b" + random_hex(4);
  const auto began = std::chrono::steady_clock::now();
  bool told = false;
  std::jthread teller([&](const std::stop_token& stop) {
    if (!sleep_until(began + times_.first, stop)) return;
    told = true;
    wire_.event(events_.command_started(id, call, what));
    for (std::int64_t beat = 0; sleep_until(began + times_.beat * (beat + 1), stop); ++beat) {
      wire_.event(events_.heartbeat(call, beat, since(began)));
    }
  });

  auto outcome = run();
  teller.request_stop();
  teller.join();
  if (!told) return outcome;
  const bool failed = outcome.is_error.value_or(false);
  if (!outcome.task.empty()) what += fmt::format(" (goes on in the background: {})", outcome.task);
  wire_.event(events_.command_ended(id, call, failed ? "failed" : "completed", what));
  return outcome;
}

}  // namespace ralph::agent
