#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/mask.h"
#include "harness/store/loop_observer.h"
#include "harness/store/loop_report.h"
#include "ui/console/loop_header.h"

namespace ralph::console {

// Steps of a loop as lines for programs, where those have more than store::write_step() writes. Without the newline and
// not masked.

std::string started_step(const LoopFacts& facts, const store::LoopState& state,
                         const store::LoopTotals& totals);
std::string ended_step(const store::RunInfo& run, const store::LoopRecord& record,
                       const store::LoopTotals& totals);
std::string waiting_step(std::string_view why, Millis left);
/// `resume`: the command that continues the loop.
std::string finished_step(const store::LoopReport& report, std::string_view resume);

/// `["a","b"]`, with bytes that are not UTF-8 repaired.
std::string texts_json(const std::vector<std::string>& texts);

/// A loop that could not begin.
std::string start_error_step(const Error& error, int exit_code);

/// "3m42s": at least the time that is left.
std::string rounded_up(Millis left);
/// For the status line. The time comes first: a narrow terminal shows the beginning only.
std::string wait_text(std::string_view why, Millis left, std::string_view key_hint);

std::string masked_step(std::string_view step, const Masker& masker);

/// What is over, for people: "iteration 3: 1m12s, $0.0312, files changed, context 12%: SUMMARY". Neither safe nor
/// masked. `error_shown`: why it failed was shown already, and is left out.
std::string record_line(const store::LoopRecord& record, std::optional<int> context_percent,
                        bool error_shown);

}  // namespace ralph::console
