#pragma once
#include <functional>
#include <memory>

#include "cli/loop_header.h"
#include "cli/std_output.h"
#include "core/base/mask.h"
#include "harness/loop/loop.h"
#include "ui/console/console.h"

namespace ralph::cli {

/// Shows a loop: what its agent does, a line for each of its steps, a status line at the bottom of a terminal, and the
/// report. With `json` every event and every step is a line of JSON on stdout instead.
class LoopView final : public loop::Observer {
 public:
  struct Options {
    view::ConsoleOptions console;
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
  LoopView(Options options, const Masker& masker, StdOutput& output);
  ~LoopView() override;

  void started(const loop::State& state, const std::vector<loop::Record>& before) override;
  std::vector<stream::Handler*> run_started(const loop::RunInfo& run,
                                            const stream::Summary& summary) override;
  void run_ended(const loop::RunInfo& run, const loop::Record& record,
                 const loop::Totals& totals) override;
  void on(const store::LoopEvent& event) override;
  void output_of_verification(std::string_view bytes) override;
  bool waiting(std::string_view why, Millis left) override;
  void flush() override;
  void set_drain_timeout(Millis patience) override;

  /// The report; the status line is gone then.
  void finish(const loop::Report& report);
  /// What finish() shows of it at the usual verbosity.
  std::string report_text(const loop::Report& report) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ralph::cli
