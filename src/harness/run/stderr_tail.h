#pragma once
#include <string>
#include <string_view>

#include "core/base/text_tail.h"

namespace ralph::run {

/// Keeps the end of the agent's stderr, for the message about a failure that nothing else explains.
class StderrTail {
 public:
  void add(std::string_view bytes) { tail_.add(bytes); }
  /// The last line that begins with "error:" (a hint or a stack trace may follow it), or else the
  /// last line that is not blank.
  std::string line() const;

 private:
  TextTail tail_{std::size_t{4} << 10};
};

}  // namespace ralph::run
