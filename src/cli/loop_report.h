#pragma once
#include <string>
#include <string_view>

#include "base/time.h"
#include "loop/loop.h"

namespace ralph::cli {

/// Why a loop ended: one sentence, and what to do about it.
struct Reason {
  std::string text, hint;
};
Reason reason_of(const loop::Report& report);

/// What a loop came to, for people: plain, aligned lines. `now` tells which day is today; `last_log` is the raw log of its
/// last run, if there was one. It is not masked.
std::string loop_report(const loop::Report& report, UtcTime now, std::string_view last_log);

}  // namespace ralph::cli
