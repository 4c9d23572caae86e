#include "agent/tool/line_window.h"

#include "core/base/utf8.h"

namespace ralph::tool {

LineWindow::LineWindow(std::uint64_t first, std::uint64_t count, std::size_t max_bytes)
    : first_(first), count_(count), max_bytes_(max_bytes) {
  begin_line();
}

void LineWindow::feed(std::string_view piece) {
  while (!piece.empty()) {
    const auto end = piece.find('\n');
    keep(piece.substr(0, end));
    if (end == std::string_view::npos) return;
    if (inside() && text_.ends_with('\r')) text_.pop_back();
    ++current_;
    begin_line();
    piece.remove_prefix(end + 1);
  }
}

void LineWindow::begin_line() {
  if (!inside()) return;
  if (taken_ > 0) keep("\n");
  ++taken_;
}

void LineWindow::keep(std::string_view part) {
  if (!inside() || overflowed_) return;
  overflowed_ = part.size() > max_bytes_ - text_.size();
  text_ += overflowed_ ? utf8::prefix(part, max_bytes_ - text_.size()) : part;
}

}  // namespace ralph::tool
