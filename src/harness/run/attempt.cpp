#include "harness/run/attempt.h"

#include "harness/run/cpu_activity_monitor.h"
#include "harness/run/decode_queue.h"
#include "harness/run/stderr_tail.h"
#include "system/process/child.h"

namespace ralph::run {
namespace {

constexpr Millis kDrainAtEnd{10'000};

std::int64_t ms_since(SteadyTime begin) {
  return std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - begin).count();
}

store::Micros micros_since(SteadyTime begin) {
  return std::chrono::duration_cast<store::Micros>(std::chrono::steady_clock::now() - begin);
}

bool is_time_limit(process::EndedBy ended_by) {
  return ended_by == process::EndedBy::wall || ended_by == process::EndedBy::silence;
}

std::optional<stream::TimeLimitReached> time_limit_of(process::EndedBy ended_by,
                                                      const Limits& limits) {
  using stream::TimeLimit;
  using stream::TimeLimitReached;
  switch (ended_by) {
    case process::EndedBy::wall:
      return limits.wall_of_loop > Millis::zero()
                 ? TimeLimitReached{TimeLimit::loop, limits.wall_of_loop}
                 : TimeLimitReached{TimeLimit::run, limits.wall};
    case process::EndedBy::silence: return TimeLimitReached{TimeLimit::idle, limits.silence};
    case process::EndedBy::after_end: return TimeLimitReached{TimeLimit::exit, limits.after_end};
    default: return std::nullopt;
  }
}

/// One start of the agent: its output goes to the raw log, then through the queue to the decoder.
class Attempt {
 public:
  Attempt(const AttemptParts& parts, const MakeDecoder& make_decoder)
      : parts_(parts),
        watchdog_(parts.rules, parts.summary, handle_, [this] { stop_.request_stop(); }),
        decoder_(make_decoder(watchdog_)) {}

  AttemptEnd run();

 private:
  process::Sinks make_sinks(DecodeQueue& queue);
  stream::ProcessEnd describe_end(const process::Exit& exit) const;
  bool cancelled() const { return parts_.control.cancelled_by().has_value(); }

  const AttemptParts& parts_;
  process::RunHandle handle_;
  std::stop_source stop_;
  Watchdog watchdog_;
  stream::Decoder& decoder_;
  StderrTail stderr_tail_;
  SteadyTime began_;
  std::optional<Error> decode_error_;
};

AttemptEnd Attempt::run() {
  const std::stop_callback on_cancel(parts_.control.token(), [this] { stop_.request_stop(); });
  // Before the start, so that the agent can be stopped as soon as it is visible.
  watchdog_.begin(parts_.wall_left);
  Control::Attachment attached(parts_.control, handle_);
  auto child = process::start(parts_.command);
  if (!child) return {{}, child.error(), {}};
  began_ = std::chrono::steady_clock::now();

  DecodeQueue queue(
      [this](std::string_view bytes) -> Result<> {
        decoder_.feed(bytes, ms_since(parts_.run_began));
        return parts_.pause();
      },
      [this] { stop_.request_stop(); });
  const auto exit = [&] {
    const CpuActivityMonitor monitor(child->guard_pid(), parts_.rules.limits.silence, handle_,
                                     [&] { return queue.busy(); });
    return process::supervise(std::move(*child), make_sinks(queue), handle_, stop_.get_token(),
                              parts_.end_policy);
  }();
  attached.end();
  if (cancelled() || is_time_limit(exit.ended_by)) parts_.set_drain_timeout(kDrainAtEnd);

  decode_error_ = queue.finish();
  const bool by_itself = exit.ended_by == process::EndedBy::nothing && !cancelled();
  decoder_.finish(ms_since(parts_.run_began), by_itself ? exit.exit_code : std::nullopt);
  if (auto last = parts_.pause(); !last && !decode_error_) decode_error_ = last.error();
  return {exit, {}, describe_end(exit)};
}

process::Sinks Attempt::make_sinks(DecodeQueue& queue) {
  process::Sinks sinks;
  sinks.out = [&](std::string_view bytes) -> Result<> {
    TRY(parts_.log.append_out(bytes, micros_since(began_)));
    queue.push(bytes);
    return parts_.on_output ? parts_.on_output(bytes) : Result<>{};
  };
  sinks.err = [&](std::string_view bytes) -> Result<> {
    stderr_tail_.add(bytes);
    TRY(parts_.log.append_err(bytes));
    return parts_.on_output ? parts_.on_output(bytes) : Result<>{};
  };
  sinks.ready = [&](process::EndedBy ended_by) {
    if (is_time_limit(ended_by)) parts_.set_drain_timeout(kDrainAtEnd);
    return queue.has_room();
  };
  sinks.pause = [&] {
    queue.go();
    return parts_.log.flush();
  };
  return sinks;
}

stream::ProcessEnd Attempt::describe_end(const process::Exit& exit) const {
  stream::ProcessEnd end;
  end.exit_code = exit.exit_code;
  end.signal = exit.signal;
  end.time_limit = time_limit_of(exit.ended_by, parts_.rules.limits);
  end.cancelled_by = parts_.control.cancelled_by();
  end.cost_limit = watchdog_.cost_limit();
  end.unpriced_model = watchdog_.unpriced_model();
  end.credential_rejected = watchdog_.credential_rejected();
  end.denials_allowed = parts_.rules.denials_allowed;
  end.storage_error = exit.sink_error ? exit.sink_error : decode_error_;
  end.read_error = exit.read_error;
  end.stderr_line = stderr_tail_.line();
  end.skipped_lines = decoder_.skipped();
  return end;
}

}  // namespace

AttemptEnd run_attempt(const AttemptParts& parts, const MakeDecoder& make_decoder) {
  return Attempt(parts, make_decoder).run();
}

}  // namespace ralph::run
