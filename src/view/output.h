#pragma once
#include <string_view>

namespace ralph::view {

/// Where a view writes: stdout and stderr of the program, or two strings in a test.
class Output {
 public:
  virtual ~Output() = default;
  virtual void out(std::string_view text) = 0;
  virtual void err(std::string_view text) = 0;
};

}  // namespace ralph::view
