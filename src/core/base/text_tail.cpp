#include "core/base/text_tail.h"

#include "core/base/utf8.h"

namespace ralph {

void TextTail::add(std::string_view bytes) {
  total_ += bytes.size();
  // One byte more, so that text() sees whether a code point was cut.
  if (bytes.size() > most_ + 1) bytes.remove_prefix(bytes.size() - most_ - 1);
  kept_ += bytes;
  if (kept_.size() > 2 * (most_ + 1)) kept_.erase(0, kept_.size() - most_ - 1);
}

void TextTail::clear() {
  total_ = 0;
  kept_.clear();
}

std::string_view TextTail::text() const { return utf8::suffix(kept_, most_); }

}  // namespace ralph
