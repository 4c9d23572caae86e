#pragma once
#include <functional>
#include <thread>

#include "core/base/unique_fd.h"

namespace ralph::cli {

/// Notices that the reader of a pipe, socket or terminal is gone, also while nothing is written to it. `on_gone` is called
/// at most once, on a thread of its own.
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
