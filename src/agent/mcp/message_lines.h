#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ralph::mcp {

/// Cuts a server's output into lines. Memory is bounded by the longest line.
class MessageLines {
 public:
  explicit MessageLines(std::size_t longest) : longest_(longest) {}
  /// Passes on each line that is complete, without its line end; empty lines are skipped. An error: a line is too long.
  Result<> feed(std::string_view bytes, const std::function<void(std::string_view line)>& on_line);

 private:
  std::size_t longest_;
  std::string pending_;
};

}  // namespace ralph::mcp
