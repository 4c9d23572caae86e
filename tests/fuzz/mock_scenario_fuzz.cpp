// Property: every text is a scenario with steps, or an error that says something.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mock/scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto scenario = ralph::mock::read_scenario(text, "s.json");
  if (scenario && scenario->steps.empty()) std::abort();
  if (!scenario && scenario.error().message.empty()) std::abort();
  return 0;
}
