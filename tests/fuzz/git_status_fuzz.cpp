// Property: nothing crashes, and what is told is in the text.
#include <cstdint>
#include <cstdlib>

#include "git/status.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto state = ralph::git::parse_status(text);
  if (text.find(state.head) == text.npos || text.find(state.branch) == text.npos) std::abort();
  return 0;
}
