// Whatever a hook prints: an answer that blocks has a reason, only calls are decided about, text that begins an object is an
// answer or a failure, and exit code 2 blocks what can be blocked.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

#include "agent/hook/hook_output.h"
#include "core/base/text.h"

namespace {

namespace hook = ralph::hook;
using hook::Event;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(Event event, std::string_view out) {
  const auto read = hook::read_output(event, "hook", {0, out, ""});
  if (!read) {
    require(ralph::trim(out).starts_with('{') && !read.error().message.empty());
    return;
  }
  const auto& answer = read->answer;
  require(!answer.blocked || !answer.reason.empty());
  require(!(answer.blocked && answer.permission == hook::Permission::allow));
  const bool of_call = event == Event::pre_tool_use || event == Event::permission_request;
  require(of_call || (answer.permission == hook::Permission::none && !answer.updated_input));
  require(!answer.updated_input || answer.updated_input->is_object());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (int i = 0; i <= static_cast<int>(Event::session_end); ++i) {
    const auto event = static_cast<Event>(i);
    check(event, text);
    const auto blocked = hook::read_output(event, "hook", {2, "", text});
    require(blocked.has_value() && (!hook::can_block(event) || blocked->answer.blocked));
    require(!hook::read_output(event, "hook", {127, text, text}).has_value());
  }
  return 0;
}
