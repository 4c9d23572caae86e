#pragma once
#include <string>
#include <string_view>

namespace ralph::run {

/// Keeps the end of the agent's stderr, for the message about a failure that nothing else explains.
class StderrTail {
 public:
  void add(std::string_view bytes);
  /// The last line that begins with "error:" (a hint or a stack trace may follow it), or else the
  /// last line that is not blank.
  std::string line() const;

 private:
  std::string kept_;
};

}  // namespace ralph::run
