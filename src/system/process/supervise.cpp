#include "system/process/supervise.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "system/process/guard_link.h"
#include "system/process/registry.h"
#include "system/process/run_handle_state.h"
#include "system/process/sigpipe_block.h"

namespace ralph::process {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t kReadSize = std::size_t{64} << 10;
constexpr std::size_t kPtyCapacity = std::size_t{256} << 10;  // more than a PTY ever holds
constexpr Millis kLongestPoll{60'000};
constexpr Millis kLongestGrace{24 * 3'600'000};
constexpr Millis kHeldBack{2};           // until a sink is asked again whether it is ready
constexpr Millis kRetry{100};            // for a request the guard had no room for
constexpr Millis kWakeGuard{1000};       // for a guard that somebody stopped
constexpr Millis kPollWithoutWake{100};  // when no descriptor was left for the RunHandle's eventfd

/// One output of the program on its way to its sink.
struct Output {
  UniqueFd fd;
  const Sink& sink;
  std::uint64_t& bytes;
  const char* name;
  bool sink_failed = false;
  bool readable = false;
  std::uint64_t last_byte = 0;  // once the tree is gone: what the pipe can hold ends here
};

/// What is still to be written to the program's stdin.
struct Input {
  UniqueFd fd;
  std::string bytes;
  std::size_t written = 0;
  bool keep_open = false;

  bool pending() const { return written < bytes.size(); }
};

EndedBy ended_by(Limit limit) {
  switch (limit) {
    case Limit::wall: return EndedBy::wall;
    case Limit::silence: return EndedBy::silence;
    case Limit::after_end: return EndedBy::after_end;
  }
  return EndedBy::wall;
}

Millis millis_from_micros(std::int64_t micros) {
  return std::chrono::duration_cast<Millis>(std::chrono::microseconds(micros));
}

/// One run of supervise(): a single thread, one poll, no state of the program kept elsewhere.
class Supervision {
 public:
  Supervision(ChildParts child, const Sinks& sinks, RunHandle& handle, std::stop_token stop,
              const EndPolicy& policy)
      : guard_(child.guard),
        program_(child.program),
        control_(std::move(child.control)),
        pty_(child.transport == Transport::pty),
        started_(child.started),
        out_{std::move(child.out), sinks.out, exit_.out_bytes, "stdout"},
        err_{std::move(child.err), sinks.err, exit_.err_bytes, "stderr"},
        pause_(sinks.pause),
        ready_(sinks.ready),
        in_{std::move(child.in), std::move(child.input), 0, child.keep_in_open},
        handle_(RunHandleAccess::state(handle)),
        stop_(std::move(stop)),
        policy_{std::clamp(policy.grace, Millis{0}, kLongestGrace),
                std::clamp(policy.drain, Millis{0}, kLongestGrace),
                std::clamp(policy.patience, Millis{0}, kLongestGrace)} {}

  Supervision(const Supervision&) = delete;
  Supervision& operator=(const Supervision&) = delete;
  /// A sink that throws ends the run as well.
  ~Supervision() {
    if (!swept_) Child({.guard = guard_, .program = program_, .control = std::move(control_)});
  }

  Exit run() {
    const UniqueFd direct(::fcntl(control_.get(), F_DUPFD_CLOEXEC, 0));
    const std::stop_callback end_on_stop(stop_, [this, &direct] { stop_at_once(direct.get()); });
    handle_.touch();
    while (!finished()) {
      follow_handle();
      feed_input();
      wait();
      hear_guard();
      read_output(out_);
      read_output(err_);
      pause();
      keep_limits();
      stop_draining();
    }
    handle_.end();
    return std::move(exit_);
  }

 private:
  /// In the thread that asks us to stop: the tree ends also while a sink blocks ours.
  void stop_at_once(int control) {
    stop_at_ns_ = steady_clock::now().time_since_epoch().count();
    wake_guard(guard_);
    send_request(control, guard::RequestKind::end, static_cast<int>(policy_.grace.count()));
    handle_.wake_up();
  }

  bool finished() const { return swept_ && !out_.fd && !err_.fd; }

  void wait() {
    held_back_ = ready_ && out_.fd && !ready_(exit_.ended_by);
    std::array<pollfd, 5> fds{{{control_.get(), POLLIN, 0},
                               {handle_.wake.get(), POLLIN, 0},
                               {held_back_ ? -1 : out_.fd.get(), POLLIN, 0},
                               {err_.fd.get(), POLLIN, 0},
                               {in_.pending() ? in_.fd.get() : -1, POLLOUT, 0}}};
    polled_after_sweep_ = swept_;
    while (::poll(fds.data(), fds.size(), static_cast<int>(time_to_wait().count())) < 0 &&
           errno == EINTR) {
    }
    if (fds[1].revents != 0) handle_.reset_wakeup();
    // A terminal that the program has left takes nothing more.
    if ((fds[4].revents & (POLLHUP | POLLERR)) != 0 && (fds[4].revents & POLLOUT) == 0)
      in_.fd.reset();
    out_.readable = fds[2].revents != 0;
    err_.readable = fds[3].revents != 0;
  }

  Millis time_to_wait() {
    std::optional<SteadyTime> until;
    const auto consider = [&](std::optional<SteadyTime> at) {
      if (at && (!until || *at < *until)) until = at;
    };
    if (const auto limit = limits_apply() ? handle_.nearest() : std::nullopt) consider(limit->at);
    if (swept_) consider(drain_until_);
    if (!swept_) consider(answer_by_);
    const Millis longest = held_back_          ? kHeldBack
                           : end_unsent_       ? kRetry
                           : waits_for_guard() ? kWakeGuard
                           : handle_.wake      ? kLongestPoll
                                               : kPollWithoutWake;
    if (!until) return longest;
    const auto left = std::chrono::ceil<Millis>(*until - steady_clock::now());
    return std::clamp(left, Millis{0}, longest);
  }

  bool limits_apply() const { return !program_ended_ && !end_requested_ && !swept_; }

  /// The program seems to be gone and only the guard has not said so.
  bool waits_for_guard() const { return !swept_ && !out_.fd && !err_.fd; }

  void hear_guard() {
    guard::Report report;
    while (!swept_) {
      const Heard heard = receive_report(control_.get(), report);
      if (heard == Heard::nothing) return;
      if (heard == Heard::guard_gone) return finish_without_guard();
      if (report.kind == guard::ReportKind::exited) note_exit(report);
      if (report.kind == guard::ReportKind::swept) {
        retire_guard(guard_);
        note_swept({report.strays, report.left});
      }
    }
  }

  void note_exit(const guard::Report& report) {
    program_ended_ = true;
    if (report.signal != 0) {
      exit_.signal = report.signal;
    } else {
      exit_.exit_code = report.exit_code;
    }
    if (stop_at_ns_ != 0 && stop_at_ns_ <= report.ended_at_ns) end_because(EndedBy::stop_request);
    const SteadyTime ended{std::chrono::nanoseconds(report.ended_at_ns)};
    exit_.duration = std::chrono::duration_cast<Millis>(ended - started_);
    exit_.user_cpu = millis_from_micros(report.user_us);
    exit_.system_cpu = millis_from_micros(report.system_us);
    exit_.max_rss_kb = report.max_rss_kb;
    in_.fd.reset();
    if (!end_requested_) ask_to_end(std::min(policy_.grace, Millis{guard::kStrayGraceMs}));
  }

  void note_swept(const Swept& swept) {
    exit_.strays += swept.strays;
    exit_.left += swept.left;
    swept_ = true;
    in_.fd.reset();
    control_.reset();
    drain_until_ = steady_clock::now() + policy_.drain;
    out_.last_byte = exit_.out_bytes + capacity(out_);
    err_.last_byte = exit_.err_bytes + capacity(err_);
    if (!program_ended_) {
      exit_.duration = since(started_);
    }
  }

  void finish_without_guard() {
    if (!program_ended_ && exit_.ended_by == EndedBy::nothing) exit_.ended_by = EndedBy::guard_lost;
    note_swept(retire_lost_guard(guard_, program_));
  }

  static std::size_t capacity(const Output& output) {
    const int size = output.fd ? ::fcntl(output.fd.get(), F_GETPIPE_SZ) : 0;
    return size < 0 ? kPtyCapacity : static_cast<std::size_t>(size);
  }

  bool is_terminal(const Output& output) const { return pty_ && &output == &out_; }

  /// A pipe gives all it holds, a terminal 4 kB at most: there a buffer's worth is taken before the
  /// next poll. Each piece is delivered at once, while the kernel fills the terminal again.
  void read_output(Output& output) {
    if (!output.fd || !output.readable) return;
    std::size_t taken = 0;
    do {
      const ssize_t got = ::read(output.fd.get(), buffer_.get(), kReadSize);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (got <= 0) return end_output(output, got == 0 ? 0 : errno);
      taken += static_cast<std::size_t>(got);
      output.bytes += static_cast<std::uint64_t>(got);
      deliver(output, {buffer_.get(), static_cast<std::size_t>(got)});
      keep_limits();
    } while (is_terminal(output) && taken < kReadSize && !end_requested_);
  }

  void end_output(Output& output, int error_number) {
    if (is_terminal(output) && error_number == EIO) {
      // Nobody holds the terminal's other end any more. Closing ours would send SIGHUP to the
      // program.
      quiet_terminal_ = std::move(output.fd);
    } else if (error_number != 0 && !exit_.read_error) {
      exit_.read_error =
          fail_errno(error_number, std::string("cannot read the program's ") + output.name).error();
    }
    output.fd.reset();
  }

  void deliver(Output& output, std::string_view bytes) {
    if (output.sink && !output.sink_failed) {
      if (auto taken = output.sink(bytes); !taken) {
        output.sink_failed = true;
        note_sink_failure(std::move(taken).error());
      }
    }
    delivered_ = true;
    handle_.touch();
  }

  void pause() {
    if (!std::exchange(delivered_, false) || !pause_ || exit_.sink_error) return;
    if (auto done = pause_(); !done) note_sink_failure(std::move(done).error());
  }

  void note_sink_failure(Error error) {
    if (!exit_.sink_error) exit_.sink_error = std::move(error);
    end_because(EndedBy::sink_failure);
  }

  void follow_handle() {
    RunHandleRequests requests = handle_.take_requests();
    if (swept_) return;
    for (const int signal_number : requests.signals) {
      send_request(control_.get(), guard::RequestKind::signal, signal_number);
    }
    if (!in_.fd || !in_.keep_open) return;
    if (!in_.pending()) {
      in_.bytes = std::move(requests.input);
      in_.written = 0;
    } else if (!requests.input.empty()) {
      in_.bytes.erase(0, std::exchange(in_.written, 0));
      in_.bytes += requests.input;
    }
    if (requests.close_stdin) in_.keep_open = false;
  }

  void feed_input() {
    if (!in_.fd) return;
    while (in_.pending()) {
      const std::string_view rest = std::string_view(in_.bytes).substr(in_.written);
      const ssize_t put = ::write(in_.fd.get(), rest.data(), std::min(rest.size(), kReadSize));
      if (put < 0 && errno == EAGAIN) return;
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return in_.fd.reset();
      in_.written += static_cast<std::size_t>(put);
    }
    if (!in_.keep_open) in_.fd.reset();
  }

  void keep_limits() {
    if (end_unsent_) ask_to_end_again();
    if (waits_for_guard()) wake_guard(guard_);
    if (!swept_ && answer_by_ && steady_clock::now() >= *answer_by_) {
      hear_guard();
      if (!swept_) finish_without_guard();
    }
    if (!limits_apply()) return;
    if (stop_.stop_requested()) {
      hear_guard();
      if (limits_apply()) end_because(EndedBy::stop_request);
      return;
    }
    const auto limit = handle_.nearest();
    if (!limit || steady_clock::now() < limit->at) return;
    hear_guard();
    if (limits_apply()) end_because(ended_by(limit->limit));
  }

  void end_because(EndedBy why) {
    if (exit_.ended_by != EndedBy::nothing) return;
    exit_.ended_by = why;
    if (!program_ended_) ask_to_end(policy_.grace);
  }

  void ask_to_end(Millis grace) {
    end_requested_ = true;
    end_grace_ = grace;
    answer_by_ = steady_clock::now() + grace + policy_.patience;
    wake_guard(guard_);
    ask_to_end_again();
  }

  void ask_to_end_again() {
    const auto grace = static_cast<int>(end_grace_.count());
    end_unsent_ =
        !swept_ && send_request(control_.get(), guard::RequestKind::end, grace) == Sent::later;
  }

  /// Whoever still holds the pipe once the tree is gone is none of ours: after the drain time only
  /// what the pipe held is still owed, and only as long as it is there.
  void stop_draining() {
    if (!polled_after_sweep_ || steady_clock::now() < drain_until_) return;
    for (Output* output : {&out_, &err_}) {
      if (held_back_ && output == &out_) continue;
      if (!output->readable || output->bytes >= output->last_byte) output->fd.reset();
    }
  }

  Exit exit_;
  pid_t guard_;
  pid_t program_;
  UniqueFd control_;
  bool pty_;
  SteadyTime started_;
  UniqueFd quiet_terminal_;
  Output out_;
  Output err_;
  const std::function<Result<>()>& pause_;
  const std::function<bool(EndedBy)>& ready_;
  bool held_back_ = false;  // the sink is not ready for stdout
  bool delivered_ = false;  // since the last pause
  Input in_;
  RunHandleAccess::State& handle_;
  std::stop_token stop_;
  EndPolicy policy_;
  std::unique_ptr<char[]> buffer_ = std::make_unique<char[]>(kReadSize);
  bool program_ended_ = false;
  bool end_requested_ = false;
  bool end_unsent_ = false;  // the guard's socket was full
  Millis end_grace_{0};
  std::atomic<std::int64_t> stop_at_ns_ = 0;
  bool swept_ = false;
  bool polled_after_sweep_ = false;
  SteadyTime drain_until_;
  std::optional<SteadyTime> answer_by_;
};

}  // namespace

Exit supervise(Child child, const Sinks& sinks, RunHandle& handle, std::stop_token stop,
               const EndPolicy& policy) {
  if (child.guard_pid() <= 0) return {.ended_by = EndedBy::guard_lost};
  const SigpipeBlock no_sigpipe;
  return Supervision(child.take(), sinks, handle, std::move(stop), policy).run();
}

}  // namespace ralph::process
