// Whatever an agent says: there is a summary or a correction, never both; an object put behind it is found, and the
// marker on a line of its own is DONE.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/loop/answer.h"
#include "harness/loop/json_objects.h"

namespace {

namespace loop = ralph::loop;

void require(bool promise) {
  if (!promise) std::abort();
}

void check(const loop::Answer& answer) {
  require(answer.summary.empty() != answer.correction.empty());
  require(answer.correction.size() < 500);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check(loop::structured_answer(text, "Answer"));
  check(loop::text_answer(text, "MARK"));
  const auto object = loop::last_object_with(text, "summary");
  require(object.empty() || (object.starts_with('{') && object.ends_with('}')));
  require(loop::text_answer(text + "\nMARK\n", "MARK").done);
  // A control character ends every string, a '!' every object.
  require(loop::text_answer(text + "\n!{\"summary\":\"ok\"}", "").summary == "ok");
  return 0;
}
