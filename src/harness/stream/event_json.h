#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "harness/stream/event.h"

namespace ralph::stream {

/// Appends the event as one JSON object, without a newline. Fields that say nothing are left out.
void encode(const Event& event, std::string& out);
std::string encode(const Event& event);

/// Reads what encode() wrote: decode(encode(e)) == e.
class EventReader {
 public:
  EventReader();
  ~EventReader();

  /// The event borrows from this reader until the next call.
  Result<Event> decode(std::string_view line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ralph::stream
