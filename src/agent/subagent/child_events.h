#pragma once
#include "agent/session/event.h"
#include "agent/subagent/counting_model.h"

namespace ralph::subagent {

/// The events of a subagent as its parent's client sees them: its calls and their results, with progress of the task; texts
/// only if they are wanted. What a client would take for the state of the parent is left out.
class ChildEvents final : public session::EventSink {
 public:
  /// `task` outlives it. `parent`: whose events the progress of the task is. `texts`: with texts and thinking.
  ChildEvents(session::EventSink& sink, const session::Identity& parent,
              const tool::BackgroundTask& task, CountingModel& model, bool texts);

  void emit(const session::Identity& from, const session::Event& event) override;
  Millis elapsed() const { return since(began_); }

 private:
  void show_block(const session::Identity& from, const session::ReplyBlock& event);

  session::EventSink& sink_;
  const session::Identity& parent_;
  const tool::BackgroundTask& task_;
  CountingModel& model_;
  bool texts_;
  SteadyTime began_;
};

}  // namespace ralph::subagent
