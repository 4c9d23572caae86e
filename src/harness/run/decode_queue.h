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

/// Passes the agent's output to a worker thread, in order, so that reading goes on meanwhile. The queue is bounded; queued
/// bytes are processed together.
class DecodeQueue {
 public:
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 20;

  /// `failed` is called once, in that thread, when `work` returns its first error; the rest is discarded.
  DecodeQueue(std::function<Result<>(std::string_view)> work, std::function<void()> failed);
  DecodeQueue(const DecodeQueue&) = delete;
  DecodeQueue& operator=(const DecodeQueue&) = delete;
  ~DecodeQueue() { finish(); }

  /// False: the queue is full; push nothing now.
  bool has_room();
  void push(std::string_view bytes);
  /// Bytes are queued or being processed.
  bool busy();
  /// Starts processing the queued bytes.
  void go();
  /// Returns when everything was processed; the error of `work`, if any.
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
