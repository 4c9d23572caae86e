// Whatever bytes come: repair() gives UTF-8 and is done after one pass, parse() never fails to
// return, and what was read and written is read as the same document.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/json/document.h"
#include "core/json/repair.h"

namespace {

void require(bool promise) {
  if (!promise) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ralph;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const auto mended = json::repair(text);
  require(!mended || *mended != text);
  require(!mended || !json::repair(*mended));
  require(utf8::valid(mended ? *mended : text));

  const auto document = json::parse(text, "fuzz");
  if (mended) {
    const auto again = json::parse(*mended, "fuzz");
    require(again.has_value() == document.has_value() && (!document || *again == *document));
  }
  if (!document) {
    require(!document.error().message.empty() && utf8::valid(document.error().message));
    return 0;
  }
  const auto written = json::write(*document);
  require(utf8::valid(written) && written.find('\n') == written.npos);
  require(json::parse(written) == *document);
  require(json::parse(json::write_pretty(*document)) == *document);
  return 0;
}
