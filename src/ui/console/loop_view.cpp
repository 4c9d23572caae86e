#include "ui/console/loop_view.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <fmt/core.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/number.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "ui/console/figures.h"
#include "ui/console/json_lines.h"
#include "ui/console/key_watch.h"
#include "ui/console/loop_json.h"
#include "ui/console/loop_report.h"
#include "ui/console/safe_text.h"
#include "ui/console/status_line.h"

namespace ralph::console {
namespace {

using stream::Level;

constexpr Millis kTick{100};
constexpr Millis kBetweenWaits{10'000};  // of steps that say how long it still waits
constexpr std::size_t kTailLines = 20;
constexpr std::size_t kDeepest = 80;  // columns a line of verification is indented by

/// Of the terminal stdout is; COLUMNS counts where the terminal does not say.
std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  return parse_number<unsigned short>(columns == nullptr ? "" : columns).value_or(0);
}

bool has_status_line(const LoopView::Options& options) {
  const char* kind = std::getenv("TERM");
  const bool dumb = kind == nullptr || std::string_view(kind) == "dumb";
  return !options.json && options.console.verbosity != Verbosity::quiet && !dumb &&
         ::isatty(1) == 1;
}

/// A thread that takes none of the program's signals.
template <typename Work>
std::jthread quiet_thread(Work work) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  std::jthread thread(std::move(work));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

/// The end of a text, each line behind two spaces.
std::string indented_tail(std::string_view text, std::size_t most) {
  text = trim_end(text, "\n");
  std::size_t from = text.size();
  for (std::size_t lines = 0; lines < most && from != std::string_view::npos && from > 0; ++lines) {
    from = text.rfind('\n', from - 1);
  }
  if (from != std::string_view::npos && from > 0) text.remove_prefix(from + 1);
  if (text.empty()) return {};
  std::string out = "  ";
  for (const char c : text) out.append(c == '\n' ? "\n  " : std::string(1, c));
  return out + "\n";
}

/// Remembers where the raw log of the last run is, and whether the console showed why it failed.
struct RunEndKeeper final : stream::Handler {
  void on(const stream::Event&, const stream::RunResult& result) override {
    if (!result.raw_log.empty()) log = result.raw_log;
    error_shown = result.status != stream::Status::success;
  }
  std::string log;
  bool error_shown = false;
};

}  // namespace

struct LoopView::State {
  State(Options options_, const Masker& masker_, Output& output_)
      : options(std::move(options_)),
        masker(masker_),
        output(output_),
        line({has_status_line(options), options.console.colour_out, terminal_width,
              [] { return std::chrono::steady_clock::now(); }, [this] { output.flush(); }},
             masker, output),
        json_lines(masker, line) {
    if (options.stamp_out) options.console.stamp_out = [this] { return stamp(true); };
    if (options.stamp_err) options.console.stamp_err = [this] { return stamp(true); };
    if (!has_status_line(options)) return;
    ticker = quiet_thread([this](const std::stop_token& stop) {
      std::mutex mutex;
      std::condition_variable_any stopped;
      std::unique_lock hold(mutex);
      do {
        line.tick();
      } while (!stopped.wait_for(hold, stop, kTick, [&] { return stop.stop_requested(); }));
    });
  }

  bool quiet() const { return options.console.verbosity == Verbosity::quiet; }
  bool verbose() const { return options.console.verbosity == Verbosity::verbose; }

  std::string shown(std::string_view text, std::size_t code_points) const {
    return one_line(masker.mask(safe_text(text)), code_points);
  }
  std::string stamp(bool wanted) const {
    return wanted ? clock_time(options.now()) + " " : std::string();
  }
  /// A line for people; nothing with --json or -q.
  void say(std::string_view text) {
    if (!quiet() && !options.json) line.out(fmt::format("{}{}\n", stamp(options.stamp_out), text));
  }
  void step(const std::string& json) {
    if (options.json) line.out(masked_step(json, masker) + "\n");
  }
  void show_cost(const store::LoopTotals& totals) {
    const bool known = options.facts.reports_cost || totals.priced > 0;
    line.cost(known ? totals.cost() : std::nullopt, options.max_cost_usd);
  }
  void show(const store::VerificationStarted& started);
  void show(const store::VerificationEnded& verification);
  void show(const store::IterationCommitted& committed);
  void show(const store::IterationRolledBack& back);
  void show(const store::LoopNote& note);
  std::string_view key_hint() const { return keys && keys->works() ? " (any key: now)" : ""; }
  void stop_waiting() {
    keys.reset();
    waits = false;
    line.doing({});
  }

  Options options;
  const Masker& masker;
  Output& output;
  StatusLine line;
  JsonLines json_lines;
  std::unique_ptr<Console> console;
  RunEndKeeper last_run;
  std::int64_t iteration = 0;  // the last one that was announced
  std::unique_ptr<KeyWatch> keys;
  bool waits = false;
  SteadyTime last_wait_step;
  std::string half_line;  // of what verification prints
  std::jthread ticker;    // the last: it ends before the others go
};

LoopView::LoopView(Options options, const Masker& masker, Output& output)
    : state_(std::make_unique<State>(std::move(options), masker, output)) {}

LoopView::~LoopView() {
  state_->ticker = {};
  state_->line.end();
}

void LoopView::started(const store::LoopState& state,
                       const std::vector<store::LoopRecord>& before) {
  auto& my = *state_;
  const auto totals = store::add_up(before);
  my.step(started_step(my.options.facts, state, totals));
  my.show_cost(totals);
  my.line.doing("starting");
  my.line.show(state.ran);
  if (my.quiet() || my.options.json) return;
  for (const auto& line : loop_header(my.options.facts, state, before, my.options.now())) {
    my.line.out(fmt::format("{:<12} {}\n", line.name, my.shown(line.value, kShort)));
  }
}

std::vector<stream::Handler*> LoopView::run_started(const store::RunInfo& run,
                                                    const stream::Summary& summary) {
  auto& my = *state_;
  my.stop_waiting();
  my.step(store::write_step(store::IterationStarted{run.iteration, run.role, run.run_id}));
  const bool worker = run.role == store::AgentRole::worker;
  if (!worker) {
    my.say("— summary of the iterations so far —");
  } else if (run.iteration != my.iteration) {
    my.say(my.options.max_iterations > 0
               ? fmt::format("— iteration {}/{} —", run.iteration, my.options.max_iterations)
               : fmt::format("— iteration {} —", run.iteration));
  }
  if (worker) my.iteration = run.iteration;
  if (worker) my.line.iteration(run.iteration, my.options.max_iterations);
  my.line.watch(summary);
  my.console = std::make_unique<Console>(my.options.console, my.masker, summary, my.line);
  std::vector<stream::Handler*> handlers{&my.last_run, &my.line, my.console.get()};
  if (my.options.json) handlers.push_back(&my.json_lines);
  return handlers;
}

void LoopView::run_ended(const store::RunInfo& run, const store::LoopRecord& record,
                         const store::LoopTotals& totals) {
  auto& my = *state_;
  my.step(ended_step(run, record, totals));
  my.show_cost(totals);
  my.line.doing("between two runs");
  const bool failed = record.failed || record.step == store::LoopRecord::Step::attempt;
  my.say(my.shown(record_line(record, my.line.context_percent(),
                              failed && std::exchange(my.last_run.error_shown, false)),
                  kShort));
  // The next start of the same iteration is another one.
  if (record.step == store::LoopRecord::Step::attempt) my.iteration = 0;
  my.line.flush();
}

/// Only whole lines are shown, and of one that does not end its first part.
void LoopView::output_of_verification(std::string_view bytes) {
  auto& my = *state_;
  if (!my.verbose() || my.options.json) return;
  for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    my.half_line += bytes.substr(0, end);
    const auto text = std::min(my.half_line.find_first_not_of(' '), my.half_line.size());
    my.say("  " + std::string(std::min(text, kDeepest), ' ') + my.shown(my.half_line, kLong));
    my.half_line.clear();
    bytes.remove_prefix(end + 1);
  }
  if (my.half_line.size() < 4 * kLong) my.half_line += bytes.substr(0, 4 * kLong);
  my.line.flush();
}

void LoopView::State::show(const store::VerificationStarted& started) {
  const auto& commands = started.commands;
  std::string names;
  for (const auto& command : commands) {
    names +=
        commands.size() == 1 ? command : fmt::format("{}`{}`", names.empty() ? "" : ", ", command);
  }
  line.doing("verifying: " + names);
  say(shown("verifying: " + names, kShort));
  half_line.clear();
}

void LoopView::State::show(const store::VerificationEnded& verification) {
  line.doing({});
  if (verification.passed) {
    return say(fmt::format("verification passed ({})", short_duration(verification.duration)));
  }
  say(shown(fmt::format("DONE refused by verification: `{}` failed: {}", verification.command,
                        verification.reason),
            kLong));
  // With -v all of it was shown while it ran.
  if (quiet() || verbose() || options.json) return;
  line.out(indented_tail(masker.mask(safe_text(verification.tail)), kTailLines));
}

void LoopView::State::show(const store::IterationCommitted& committed) {
  say(fmt::format("committed {}", short_commit(committed.commit)));
}

void LoopView::State::show(const store::IterationRolledBack& back) {
  say(fmt::format("rolled back to {}: the files are as before iteration {}",
                  short_commit(back.commit), back.iteration));
}

void LoopView::State::show(const store::LoopNote& note) {
  const auto words = shown(note.text, kLong);
  if (note.level == Level::warning) {
    if (!quiet() && !options.json) {
      line.err(fmt::format("{}ralph: warning: {}\n", stamp(options.stamp_err), words));
    }
  } else if (note.level == Level::info || verbose()) {
    say(words);
  }
  line.flush();
}

/// Steps without show() are shown by the other calls.
void LoopView::on(const store::LoopEvent& event) {
  std::visit(
      [&](const auto& step) {
        if constexpr (requires { state_->show(step); }) {
          state_->step(store::write_step(event.step));
          state_->show(step);
        }
      },
      event.step);
}

bool LoopView::waiting(std::string_view why, Millis left) {
  auto& my = *state_;
  const auto now = std::chrono::steady_clock::now();
  if (!my.waits) {
    my.keys = std::make_unique<KeyWatch>(0);
    my.say(my.shown(fmt::format("{}; retrying in {}, at {}{}", why, rounded_up(left),
                                clock_time(my.options.now() + left), my.key_hint()),
                    kShort));
  }
  if (!my.waits || now - my.last_wait_step >= kBetweenWaits) {
    my.step(waiting_step(why, left));
    my.last_wait_step = now;
  }
  my.waits = true;
  my.line.doing(wait_text(why, left, my.key_hint()));
  const bool go_on = my.keys->pressed();
  if (go_on) my.stop_waiting();
  my.line.flush();
  return go_on;
}

void LoopView::flush() { state_->line.flush(); }

void LoopView::set_drain_timeout(Millis patience) { state_->output.set_drain_timeout(patience); }

std::string LoopView::report_text(const store::LoopReport& report) const {
  const auto& my = *state_;
  // An agent may have removed it.
  const auto last_log = path_exists(my.last_run.log) ? my.last_run.log : std::string();
  return my.masker.mask(
      loop_report(report, my.options.now(), last_log, my.options.resume, my.options.resume_note));
}

void LoopView::finish(const store::LoopReport& report) {
  auto& my = *state_;
  my.stop_waiting();
  my.ticker = {};
  my.line.end();
  const auto now = my.options.now();
  const auto resume = resume_command(report, now, my.options.resume);
  my.step(finished_step(report, resume));
  if (!my.quiet() && !my.options.json) {
    my.line.out(report_text(report));
  } else if (!my.options.json || report.exit_code != 0) {
    const auto reason = reason_of(report);
    my.line.err(fmt::format("ralph: {}\n", my.shown(reason.text, kLong)));
    if (!reason.hint.empty()) my.line.err(reason.hint + "\n");
    if (report.reason != store::StopReason::done && report.restored_loop.empty()) {
      my.line.err(my.masker.mask(fmt::format("to resume: {}\n", resume)));
    }
  }
  my.line.flush();
}

}  // namespace ralph::console
