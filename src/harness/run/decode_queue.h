#pragma once
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "core/base/result.h"

namespace ralph::run {

/// Works on the agent's output in a thread of its own, in order, so that more of it is read meanwhile. What waits is
/// bounded; work that came together is done together.
class Relay {
 public:
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 20;

  /// `failed` is called once, in that thread, when `work` returns its first error; nothing is worked on after it.
  Relay(std::function<Result<>(std::string_view)> work, std::function<void()> failed);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay() { finish(); }

  /// False: too much is waiting; push nothing for the moment.
  bool has_room();
  void push(std::string_view bytes);
  /// Something is being worked on or waits for it.
  bool busy();
  /// What was collected is worked on now.
  void go();
  /// Returns when everything has been worked on; the work's error, if there was one.
  std::optional<Error> finish();

 private:
  void serve();
  Result<> work_on(std::string_view bytes);

  std::function<Result<>(std::string_view)> work_;
  std::function<void()> failed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  bool going_ = false;
  bool working_ = false;
  bool closed_ = false;
  std::optional<Error> error_;
  std::jthread thread_;
};

}  // namespace ralph::run
