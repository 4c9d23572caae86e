#pragma once
#include "core/base/mask.h"
#include "harness/loop/control.h"
#include "harness/loop/loop_reporter.h"
#include "harness/loop/runner.h"
#include "harness/loop/setup.h"

namespace ralph::loop {

/// The Runner that starts real agents.
class AgentRunner final : public Runner {
 public:
  AgentRunner(const Setup& setup, LoopReporter& reporter, Control& control, const Masker& masker)
      : setup_(setup), reporter_(reporter), control_(control), masker_(masker) {}

  RunOutcome run(run::Request request, const store::RunInfo& info) override;

 private:
  RunOutcome run_once(run::Request request, const store::RunInfo& info);

  const Setup& setup_;
  LoopReporter& reporter_;
  Control& control_;
  const Masker& masker_;
  bool warnings_shown_ = false;  // about how the agent is started
};

/// The answer in what an agent said.
Answer answer_of(const Setup& setup, const stream::Summary& summary);
/// The agent's last message.
const std::string& last_message(const stream::Summary& summary);
/// Takes an agent's last message for its answer, where no other form can be asked for.
void answer_from_text(const Setup& setup, RunOutcome& outcome);
/// The end of a text, short enough for a record.
std::string end_of_message(std::string_view text);

}  // namespace ralph::loop
