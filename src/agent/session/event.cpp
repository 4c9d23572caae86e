#include "agent/session/event.h"

#include "core/base/words.h"

namespace ralph::session {
namespace {

constexpr Words<MessageState, 4> kMessageStates{{"queued", "started", "completed", "cancelled"}};
constexpr Words<CompactTrigger, 2> kTriggers{{"auto", "manual"}};
constexpr Words<CompactFailure, 7> kCompactFailures{{"cancelled", "thrashing", "disabled",
                                                     "request_failed", "no_summary",
                                                     "still_too_long", "blocked_by_hook"}};

}  // namespace

std::string_view to_string(MessageState state) { return kMessageStates.of(state); }
std::string_view to_string(CompactTrigger trigger) { return kTriggers.of(trigger); }
std::string_view to_string(CompactFailure failure) { return kCompactFailures.of(failure); }

}  // namespace ralph::session
