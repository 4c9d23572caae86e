#pragma once
#include <functional>
#include <optional>

#include "harness/backend/plan.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "system/process/supervise.h"
#include "harness/run/control.h"
#include "harness/run/overseer.h"
#include "harness/store/raw_log.h"
#include "harness/stream/decoder.h"
#include "harness/stream/outcome.h"

namespace ralph::run {

/// What one start of the agent works with; all of it outlives the attempt.
struct AttemptParts {
  const process::Command& command;
  const Overseer::Rules& rules;
  Millis wall_left{0};  // zero: no limit
  SteadyTime run_began;
  const stream::Summary& summary;
  store::RawLog& log;
  Control& control;
  std::function<void(Millis)>
      hurry;                        // the agent is being ended: wait for no reader longer than that
  std::function<Result<>()> pause;  // nothing more comes for the moment; an error ends the run
};

/// How it ended. Without `exit` it was never started, and `not_started` says why.
struct AttemptEnd {
  std::optional<process::Exit> exit;
  std::optional<Error> not_started;
  stream::Ending ending;
};

/// Called with the overseer that must see the events, last of all handlers.
using MakeDecoder = std::function<stream::Decoder&(stream::Handler& overseer)>;

/// Starts the agent once and stays with it until nothing of it is alive. Every byte is in the raw log before
/// it is decoded, which happens in a second thread: decoder and handlers are used there only meanwhile.
AttemptEnd run_attempt(const AttemptParts& parts, const MakeDecoder& make_decoder);

}  // namespace ralph::run
