#pragma once
#include <functional>
#include <memory>

#include "core/base/mask.h"
#include "harness/store/loop_observer.h"
#include "harness/store/loop_report.h"
#include "ui/console/console.h"
#include "ui/console/loop_header.h"
#include "ui/console/output.h"

namespace ralph::console {

/// Shows a loop: what its agent does, a line for each of its steps, a status line at the bottom of a terminal, and the
/// report. With `json` every event and every step is a line of JSON on stdout instead.
class LoopView final : public store::LoopObserver {
 public:
  struct Options {
    ConsoleOptions console;
    bool json = false;
    LoopFacts facts;
    std::string resume = "ralph loop --resume";  // without limits
    std::string resume_note;                     // what has to be given again
    bool stamp_out = false, stamp_err = false;   // the time before each step; for a log
    std::function<UtcTime()> now = now_utc;
    std::int64_t max_iterations = 0;  // 0: no limit
    std::optional<double> max_cost_usd;
  };
  /// All of them outlive it.
  LoopView(Options options, const Masker& masker, Output& output);
  ~LoopView() override;

  void started(const store::LoopState& state,
               const std::vector<store::LoopRecord>& before) override;
  std::vector<stream::Handler*> run_started(const store::RunInfo& run,
                                            const stream::Summary& summary) override;
  void run_ended(const store::RunInfo& run, const store::LoopRecord& record,
                 const store::LoopTotals& totals) override;
  void on(const store::LoopEvent& event) override;
  void output_of_verification(std::string_view bytes) override;
  bool waiting(std::string_view why, Millis left) override;
  void flush() override;
  void set_drain_timeout(Millis patience) override;

  /// The report; the status line is gone then.
  void finish(const store::LoopReport& report);
  /// What finish() shows of it at the usual verbosity.
  std::string report_text(const store::LoopReport& report) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ralph::console
