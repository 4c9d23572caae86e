#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/mask.h"
#include "core/base/time.h"
#include "harness/stream/handler.h"
#include "harness/stream/summary.h"
#include "ui/console/activity.h"
#include "ui/console/output.h"

namespace ralph::console {

/// One line at the bottom of a terminal that shows what the loop is doing:
///   iteration 3/50 | 12m03s | $0.0312 of $5.0000 | context 12% | Bash: make test
/// All other output goes through it too: the line is erased before, and drawn again at the next flush() or tick(), ten
/// times a second at most. It never wraps. Without a terminal it only passes on what it gets. Any thread may call.
class StatusLine final : public Output, public stream::Handler {
 public:
  struct Options {
    bool terminal = false;
    bool colour = false;
    std::function<std::size_t()> width;  // columns of the terminal now; 0: not known
    std::function<SteadyTime()> now = [] { return std::chrono::steady_clock::now(); };
    std::function<void()> flush = [] {};  // brings what the output has collected to the screen
  };
  /// Both outlive it.
  StatusLine(Options options, const Masker& masker, Output& output);

  void out(std::string_view text) override;
  void err(std::string_view text) override;
  void out_styled(std::string_view text) override;
  void err_styled(std::string_view text) override;
  void flush() override;
  /// Call it ten times a second; draws when something is new, and once a second for the time.
  void tick();

  /// From now on there is a line; `before`: what has elapsed already.
  void show(Millis before);
  /// The line is gone and does not come back.
  void end();

  /// `max` 0, or none: no limit.
  void iteration(std::int64_t n, std::int64_t max);
  /// `so_far` none: it is not known.
  void cost(std::optional<double> so_far, std::optional<double> max);
  /// Instead of what the agent does: "verifying". Empty: the agent again.
  void doing(std::string_view what);
  /// A run begins whose events come now, to this summary first. It is looked at only while they do.
  void watch(const stream::Summary& summary);
  /// Of the last run that was watched.
  std::optional<int> context_percent() const;

  void on_any(const stream::Event&) override;
  void on(const stream::Event&, const stream::Usage&) override;
  void on(const stream::Event&, const stream::TurnEnded&) override;

 private:
  std::string shown(std::string_view text) const;
  std::string text(SteadyTime now) const;
  enum class Target { out, err };
  void pass_on(Target target, void (Output::*how)(std::string_view), std::string_view text);
  void erase();
  void draw(SteadyTime now);
  void draw_if_due();
  void count();

  mutable std::mutex mutex_;
  Options options_;
  const Masker& masker_;
  Output& output_;
  bool shown_ = false, drawn_ = false, changed_ = false, at_line_start_ = true;
  SteadyTime began_, last_draw_;
  Millis before_{0};
  std::int64_t iteration_ = 0, max_iterations_ = 0;
  std::optional<double> cost_ = 0.0, max_cost_, cost_of_run_;
  std::optional<int> context_;
  const stream::Summary* summary_ = nullptr;
  Activity activity_;
  std::string doing_;
};

}  // namespace ralph::console
