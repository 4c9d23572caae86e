// Any text is a template or an error with its name and a line; a filled one holds nothing that was not in it or in the
// values.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/loop/prompt.h"

namespace {

void require(bool promise) {
  if (!promise) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto form = ralph::loop::Template::parse(text, "name");
  if (!form) {
    require(form.error().code == ralph::Code::malformed);
    require(form.error().message.starts_with("name:") && form.error().message.size() < 300);
    return 0;
  }
  require(form->fill({}).size() <= size);
  const auto filled = form->fill({{"goal", "{{goal}}"}, {"history", "{{#"}});
  require(filled.size() <= size + 8 * (size / 8));
  if (text.find("{{") == text.npos) require(filled == text);
  return 0;
}
