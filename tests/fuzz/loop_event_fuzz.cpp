// Property: whatever reads as an event is written as one line that reads as the same event.
#include <cstdint>
#include <cstdlib>

#include "harness/store/loop_event.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ralph;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const auto event = store::read_event(line);
  if (!event || std::holds_alternative<store::UnknownStep>(event->step)) return 0;
  const auto written = store::write_event(*event);
  if (written.find('\n') != written.npos) std::abort();
  const auto back = store::read_event(written);
  if (!back || store::write_event(*back) != written) std::abort();
  return 0;
}
