#include "harness/stream/handler.h"

namespace ralph::stream {

void dispatch(const Event& event, Handler& handler) {
  handler.on_any(event);
  std::visit([&](const auto& payload) { handler.on(event, payload); }, event.what);
}

}  // namespace ralph::stream
