#pragma once
#include <string>
#include <string_view>

#include "core/base/time.h"
#include "harness/store/loop_report.h"

namespace ralph::console {

/// Why a loop ended: one sentence, and what to do about it beside resuming. Of a loop that is done: how that is known.
struct Reason {
  std::string text, hint;
};
Reason reason_of(const store::LoopReport& report);

/// "$0.0312", "unknown", "$0.0312 and 1 run of unknown cost".
std::string cost_text(const store::LoopTotals& totals);

/// The command that continues the loop: `base` and a higher value for each limit that was reached.
std::string resume_command(const store::LoopReport& report, UtcTime now, std::string_view base);
/// The same, or that --resume continues the previous loop: what the report says in its line "Resume".
std::string resume_line(const store::LoopReport& report, UtcTime now, std::string_view base);

/// What a loop came to, for people: plain, aligned lines. `now` tells which day is today; `last_log` is the raw log of
/// its last run, if there was one; `resume` is the base of resume_command(), `note` what a user has to add to it. It is
/// not masked.
std::string loop_report(const store::LoopReport& report, UtcTime now, std::string_view last_log,
                        std::string_view resume, std::string_view note = {});

}  // namespace ralph::console
