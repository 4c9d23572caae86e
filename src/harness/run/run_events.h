#pragma once
#include <memory>
#include <string_view>

#include "core/base/time.h"
#include "harness/backend/plan.h"
#include "harness/run/request.h"
#include "harness/run/run.h"
#include "harness/store/journal.h"
#include "harness/stream/decoder.h"

namespace ralph::run {

/// Publishes ralph's own events of a run, in one sequence with those of the agent.
class RunEvents {
 public:
  /// All arguments outlive this.
  RunEvents(const Request& request, const backend::Plan& plan, store::Journal& journal,
            const RunObservers& observers, SteadyTime began);

  void notice(stream::Level level, std::string_view topic, std::string_view message);
  /// The warnings and notes known before the agent starts.
  void publish_warnings(const std::vector<std::string>& warnings);
  void publish(const stream::RunResult& result);
  void flush() const { observers_.flush(); }

  /// A decoder of one attempt, whose events continue the sequence. `watchdog` is its last handler.
  stream::Decoder& begin_attempt(stream::Handler& watchdog);
  void end_attempt();

  Millis elapsed() const;

 private:
  std::unique_ptr<stream::Decoder> make_decoder(stream::Handler* watchdog) const;

  const Request& request_;
  const backend::Plan& plan_;
  store::Journal& journal_;
  const RunObservers& observers_;
  SteadyTime began_;
  std::unique_ptr<stream::Decoder> own_;      // for events of ralph
  std::unique_ptr<stream::Decoder> attempt_;  // for events of the agent
};

}  // namespace ralph::run
