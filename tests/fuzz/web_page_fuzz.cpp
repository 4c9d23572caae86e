// Any page: its text is valid UTF-8 if the page is, and not much larger than the page. Any URL
// that is accepted is accepted again in the form it is sent in.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/web/html_text.h"
#include "agent/web/url.h"
#include "core/base/utf8.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto text = ralph::web::html_text(bytes);
  require(text.size() <= 20 * size);
  require(!ralph::utf8::valid(bytes) || ralph::utf8::valid(text));
  if (const auto url = ralph::web::parse_url(bytes)) {
    const auto again = ralph::web::parse_url(url->text());
    require(again.has_value() ? *again == *url : url->text().size() > 2000);
  }
  return 0;
}
