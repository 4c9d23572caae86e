#pragma once
#include <functional>
#include <string_view>

namespace ralph::wire {

/// The agent's standard streams.
struct Io {
  /// Whole lines for stdout, written before it returns. False: the reader is gone.
  std::function<bool(std::string_view lines)> out;
  /// Whole lines for stderr.
  std::function<void(std::string_view lines)> err;
  int in = 0;  // the descriptor of stdin
};

}  // namespace ralph::wire
