#include "agent/mcp/message_lines.h"

#include <fmt/core.h>

#include "core/base/text.h"

namespace ralph::mcp {

Result<> MessageLines::feed(std::string_view bytes,
                            const std::function<void(std::string_view line)>& on_line) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto part = bytes.substr(0, end);
    if (pending_.size() + part.size() > longest_) {
      pending_ = {};
      return fail(Code::limit, fmt::format("it sent a message of more than {} MB", longest_ >> 20));
    }
    if (end == bytes.npos) {
      pending_ += part;
      return {};
    }
    const auto line = pending_.empty() ? part : std::string_view(pending_ += part);
    if (!is_blank(line)) on_line(trim_end(line, "\r"));
    pending_.clear();
    if (pending_.capacity() > (std::size_t{1} << 20)) pending_.shrink_to_fit();
    bytes.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace ralph::mcp
