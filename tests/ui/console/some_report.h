#pragma once
#include "harness/store/loop_report.h"

namespace ralph::console {

/// Of a loop that reached its limit of iterations.
inline store::LoopReport some_report() {
  store::LoopReport report;
  report.reason = store::StopReason::iterations;
  report.exit_code = 6;
  report.budget.iterations = 12;
  report.loop_id = "L";
  report.has_git = true;
  report.elapsed = Millis{3'700'000};
  report.totals.iterations = 12;
  report.totals.tool_calls = 1234;
  report.totals.cost_usd = 1.25;
  report.totals.priced = 12;
  report.totals.tokens = {1'000, 2'000'000, 30, 4'000, 0};
  report.totals.time.model = Millis{2'400'000};
  report.totals.time.tools = Millis{1'200'000};
  report.days = {{"2026-11-15", 2.5}, {"2026-11-14", 9}};
  report.state_folder = "/w/.ralph/state";
  report.from = "0123456789abcdef0123";
  report.files_known = true;
  report.to = "fedcba9876543210fedc";
  report.files = {{'M', "src/a.cpp", 12, 3}, {'A', "b\x1b[2J.png", -1, -1}};
  return report;
}

}  // namespace ralph::console
