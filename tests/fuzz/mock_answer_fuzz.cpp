// Property: whatever an endpoint answers becomes a step that can be written, read and written again
// without a change.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mock/recorded_answer.h"
#include "mock/scenario.h"

namespace mock = ralph::mock;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool stream = (data[0] & 1) != 0;
  const auto ended = (data[0] & 2) != 0 ? mock::Ended::cut : mock::Ended::whole;
  const ralph::http::Response answer{
      (data[0] & 4) != 0 ? 429 : 200,
      {{"content-type", stream ? "text/event-stream" : "application/json"}, {"retry-after", "1"}},
      body};
  const auto once = mock::write_scenario({{mock::step_of_answer(answer, ended)}});
  const auto read = mock::read_scenario(once, "once");
  if (!read) std::abort();
  const auto twice = mock::write_scenario(*read);
  const auto again = mock::read_scenario(twice, "twice");
  if (!again || mock::write_scenario(*again) != twice) std::abort();
  return 0;
}
