#pragma once
#include <functional>
#include <optional>

#include "core/base/result.h"
#include "core/base/time.h"
#include "harness/backend/plan.h"
#include "harness/run/control.h"
#include "harness/run/watchdog.h"
#include "harness/store/raw_log.h"
#include "harness/stream/decoder.h"
#include "harness/stream/outcome.h"
#include "system/process/supervise.h"

namespace ralph::run {

/// What one start of the agent needs; all of it outlives the attempt.
struct AttemptParts {
  const process::Command& command;
  const Watchdog::Rules& rules;
  Millis wall_left{0};  // zero: no limit
  SteadyTime run_began;
  const stream::Summary& summary;
  store::RawLog& log;
  Control& control;
  /// Called when the agent is being ended: how long to wait for a reader that does not read.
  std::function<void(Millis)> set_drain_timeout;
  /// Called when the output pauses; an error ends the run.
  std::function<Result<>()> pause;
  process::EndPolicy end_policy = {};
  process::Sink on_output = {};  // RunObservers::on_output
};

/// How an attempt ended. Without `exit` the agent was not started, and `start_error` says why.
struct AttemptEnd {
  std::optional<process::Exit> exit;
  std::optional<Error> start_error;
  stream::ProcessEnd process;
};

/// Makes the decoder; `watchdog` must be its last handler.
using MakeDecoder = std::function<stream::Decoder&(stream::Handler& watchdog)>;

/// Starts the agent once and returns when its whole process tree has ended. Output is in the raw log
/// before it is decoded. A second thread decodes: until this returns, only that thread uses the
/// decoder and its handlers.
AttemptEnd run_attempt(const AttemptParts& parts, const MakeDecoder& make_decoder);

}  // namespace ralph::run
