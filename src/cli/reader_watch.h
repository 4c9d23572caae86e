#pragma once
#include <functional>
#include <thread>

#include "core/base/unique_fd.h"

namespace ralph::cli {

/// Detects that the reader of a pipe, socket or terminal has closed it, even while nothing is written. Calls `on_gone`
/// at most once, on its own thread.
class ReaderWatch {
 public:
  ReaderWatch(int fd, std::function<void()> on_gone);
  ~ReaderWatch();
  ReaderWatch(const ReaderWatch&) = delete;
  ReaderWatch& operator=(const ReaderWatch&) = delete;

 private:
  UniqueFd quit_;  // eventfd
  std::jthread thread_;
};

}  // namespace ralph::cli
