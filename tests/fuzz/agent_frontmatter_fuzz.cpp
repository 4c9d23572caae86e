// Whatever the text: the body is its end, or the end of what follows a head; keys and values are one line each; and a body
// without a head is read as it is.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/instructions/frontmatter.h"
#include "agent/instructions/skills.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ralph::instructions;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto fronted = parse_frontmatter(text);
  require(text.ends_with(fronted.body));
  for (const auto& [key, value] : fronted.fields) {
    require(key.find('\n') == key.npos && value.find('\n') == value.npos);
  }
  if (!fronted.body.starts_with("---") && !fronted.body.starts_with("\xEF\xBB\xBF")) {
    require(parse_frontmatter(fronted.body).body == fronted.body);
  }
  const auto cut = text.substr(0, size / 2);
  const auto without = with_arguments(cut, "");
  require(without && without->size() <= cut.size());
  (void)with_arguments(cut, text.substr(size / 2));
  return 0;
}
