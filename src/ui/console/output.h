#pragma once
#include <string_view>

#include "core/base/time.h"

namespace ralph::console {

/// Where a view writes: stdout and stderr of the program, or two strings in a test.
class Output {
 public:
  virtual ~Output() = default;
  /// Any text, from any source: on a terminal it is made harmless.
  virtual void out(std::string_view text) = 0;
  virtual void err(std::string_view text) = 0;
  /// Text in which the sequences of view/style.h mean something. What others wrote is safe_text() in it already.
  virtual void out_styled(std::string_view text) { out(text); }
  virtual void err_styled(std::string_view text) { err(text); }
  /// Writes what was collected.
  virtual void flush() {}
  /// From any thread: ralph is about to end. A reader that reads nothing for `timeout` from now on is given up.
  virtual void set_drain_timeout(Millis timeout) { static_cast<void>(timeout); }
};

}  // namespace ralph::console
