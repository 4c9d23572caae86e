#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>

#include "core/base/time.h"
#include "core/base/unique_fd.h"

namespace ralph {

/// Reads from a descriptor with a timeout and a way to stop the reading thread.
class WakeableReader {
 public:
  enum class Event { bytes, end, timed_out, stopped, failed };
  struct Got {
    Event event = Event::end;
    std::size_t size = 0;  // of bytes
    int error_number = 0;  // of failed
  };

  /// The descriptor stays the caller's.
  explicit WakeableReader(int fd);

  /// Waits for bytes or the end, no longer than `patience` (nullopt: for ever), and not after a stop request.
  Got read(std::span<char> into, const std::stop_token& stop,
           std::optional<Millis> patience = std::nullopt);

 private:
  int fd_;
  UniqueFd wake_;  // eventfd
};

}  // namespace ralph
