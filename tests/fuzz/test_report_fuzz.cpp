// TAP and JUnit reports that graded code wrote.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bench/grade/test_report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& counts : {ralph::grade::read_tap(text), ralph::grade::read_junit(text)}) {
    if (counts && (counts->failed < 0 || counts->skipped < 0 || counts->total < 0)) std::abort();
  }
  // A line that reports a failure counts, whatever is around it.
  const auto failed = ralph::grade::read_tap(std::string(text) + "\nnot ok 1\n");
  if (failed && failed->failed == 0) std::abort();
  return 0;
}
