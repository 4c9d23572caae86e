#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/tool/text_encoding.h"
#include "agent/tool/typographic_quotes.h"
#include "core/base/utf8.h"

/// What Edit does with a file's bytes: valid UTF-16 survives the way to UTF-8 and back, and whatever is found by its quotes
/// lies in the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ralph;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto encoding = tool::encoding_of(bytes);
  const auto text = tool::decoded(bytes, encoding);
  if (tool::is_utf16(encoding)) {
    if (!utf8::valid(text)) std::abort();
    if (tool::decoded(tool::encoded(text, encoding), encoding) != text) std::abort();
  } else if (tool::encoded(text, encoding) != bytes) {
    std::abort();
  }
  const auto wanted = bytes.substr(0, size % 7);
  std::size_t last = 0;
  for (const auto& span : tool::occurrences_by_quotes(bytes, wanted)) {
    if (span.begin < last || span.end < span.begin || span.end > size) std::abort();
    last = span.end;
    (void)tool::with_quotes_of(bytes.substr(span.begin, span.end - span.begin), wanted);
  }
  (void)tool::with_quotes_of(bytes.substr(0, size / 2), bytes.substr(size / 2));
  return 0;
}
