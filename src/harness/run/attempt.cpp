#include "harness/run/attempt.h"

#include "core/base/utf8.h"
#include "system/process/child.h"
#include "harness/run/life_signs.h"
#include "harness/run/relay.h"

namespace ralph::run {
namespace {

constexpr std::size_t kLastWords = 4096;
constexpr std::size_t kShownWords = 500;
constexpr Millis kPatienceAtTheEnd{10'000};  // with a reader that takes nothing

std::int64_t ms_since(SteadyTime begin) {
  return std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - begin).count();
}

store::Micros micros_since(SteadyTime begin) {
  return std::chrono::duration_cast<store::Micros>(std::chrono::steady_clock::now() - begin);
}

/// The end of stderr, for the message when nothing else explains a failure.
class LastWords {
 public:
  void add(std::string_view bytes) {
    kept_ += bytes.size() > kLastWords ? bytes.substr(bytes.size() - kLastWords) : bytes;
    if (kept_.size() > 2 * kLastWords) kept_.erase(0, kept_.size() - kLastWords);
  }
  /// The last line that begins with "error:", before a hint or a stack trace, or else the last that holds something.
  std::string line() const {
    std::string_view found;
    bool is_error = false;
    for (std::string_view rest = kept_; !rest.empty();) {
      const auto end = std::min(rest.find('\n'), rest.size());
      const auto line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const bool says_error = line.starts_with("error:") || line.starts_with("Error:");
      if (line.find_first_not_of(" \t\r") == line.npos || (is_error && !says_error)) continue;
      found = line.substr(0, line.find_last_not_of(" \t\r") + 1);
      is_error = says_error;
    }
    return std::string(utf8::prefix(utf8::repaired(found), kShownWords));
  }

 private:
  std::string kept_;
};

std::string_view name_of(process::EndedBy ended_by) {
  switch (ended_by) {
    case process::EndedBy::wall: return "wall";
    case process::EndedBy::silence: return "silence";
    case process::EndedBy::after_end: return "after_end";
    default: return "";
  }
}

bool is_time_limit(process::EndedBy ended_by) {
  return ended_by == process::EndedBy::wall || ended_by == process::EndedBy::silence;
}

Millis length_of(process::EndedBy ended_by, const Limits& limits) {
  switch (ended_by) {
    case process::EndedBy::wall:
      return limits.wall_of_loop > Millis::zero() ? limits.wall_of_loop : limits.wall;
    case process::EndedBy::silence: return limits.silence;
    default: return limits.after_end;
  }
}

stream::Ending make_ending(const process::Exit& exit, const AttemptParts& parts,
                           const Overseer& overseer, const LastWords& words) {
  stream::Ending ending;
  ending.exit_code = exit.exit_code;
  ending.signal = exit.signal;
  ending.limit = name_of(exit.ended_by);
  if (!ending.limit.empty()) {
    ending.limit_length = format_duration(length_of(exit.ended_by, parts.rules.limits));
  }
  if (const int signal_number = parts.control.cancelled_by(); signal_number != 0) {
    ending.cancelled_by = signal_number;
  }
  ending.over_budget = overseer.over_budget();
  ending.unpriced_model = overseer.unpriced_model();
  ending.refused_key = overseer.refused_key();
  ending.denials_allowed = parts.rules.denials_allowed;
  ending.storage_error = exit.sink_error;
  ending.read_error = exit.read_error;
  ending.last_words = words.line();
  return ending;
}

}  // namespace

AttemptEnd run_attempt(const AttemptParts& parts, const MakeDecoder& make_decoder) {
  process::Watch watch;
  std::stop_source stop;
  const std::stop_callback from_outside(parts.control.token(), [&] { stop.request_stop(); });
  Overseer overseer(parts.rules, parts.summary, watch, [&] { stop.request_stop(); });
  auto& decoder = make_decoder(overseer);

  // Before the start: whoever sees the agent can stop it.
  overseer.begin(parts.wall_left);
  Control::Attachment attached(parts.control, watch);
  auto child = process::start(parts.command);
  if (!child) return {{}, child.error(), {}};
  const auto began = std::chrono::steady_clock::now();

  LastWords words;
  const auto decode = [&](std::string_view bytes) -> Result<> {
    decoder.feed(bytes, ms_since(parts.run_began));
    return parts.pause();
  };
  Relay relay(decode, [&] { stop.request_stop(); });
  process::Sinks sinks;
  sinks.out = [&](std::string_view bytes) -> Result<> {
    TRY(parts.log.append_out(bytes, micros_since(began)));
    relay.push(bytes);
    return {};
  };
  sinks.err = [&](std::string_view bytes) -> Result<> {
    words.add(bytes);
    return parts.log.append_err(bytes);
  };

  sinks.ready = [&](process::EndedBy ended_by) {
    if (is_time_limit(ended_by)) parts.hurry(kPatienceAtTheEnd);
    return relay.has_room();
  };
  sinks.pause = [&] {
    relay.go();
    return parts.log.flush();
  };

  const LifeSigns life_signs(child->guard_pid(), parts.rules.limits.silence, watch,
                             [&] { return relay.busy(); });
  const auto exit = process::supervise(std::move(*child), sinks, watch, stop.get_token());
  attached.end();
  const bool cancelled = parts.control.cancelled_by() != 0;
  if (cancelled || is_time_limit(exit.ended_by)) parts.hurry(kPatienceAtTheEnd);

  auto failed = relay.finish();
  const bool by_itself = exit.ended_by == process::EndedBy::nothing && !cancelled;
  decoder.finish(ms_since(parts.run_began), by_itself ? exit.exit_code : std::nullopt);
  if (auto last = parts.pause(); !last && !failed) failed = last.error();
  AttemptEnd end{exit, {}, make_ending(exit, parts, overseer, words)};
  if (failed && !end.ending.storage_error) end.ending.storage_error = failed;
  end.ending.skipped_lines = decoder.skipped();
  return end;
}

}  // namespace ralph::run
