#pragma once
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "core/base/time.h"
#include "system/process/supervise.h"

namespace ralph::run {

/// How somebody outside stops a run; every method may be called from any thread.
class Control {
 public:
  /// How long an agent that was asked to stop may take before its tree is ended.
  static constexpr Millis kPatience{10'000};

  /// Asks the agent to stop, by SIGINT. False: no agent runs, or it was asked before: use end().
  [[nodiscard]] bool ask(int signal_number);
  /// Ends the agent's tree now.
  void end(int signal_number);

  /// The signal somebody stopped us with; 0: nobody did.
  int cancelled_by() const;
  std::stop_token token() const { return source_.get_token(); }
  /// False: the run was stopped meanwhile.
  bool wait(Millis pause);

  /// While it lives, ask() reaches the agent by the watch, which outlives it.
  class Attachment {
   public:
    Attachment(Control& control, process::Watch& watch) : control_(&control) {
      control.set_watch(&watch);
    }
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;
    ~Attachment() { end(); }
    void end() {
      if (auto* const control = std::exchange(control_, nullptr)) control->set_watch(nullptr);
    }

   private:
    Control* control_;
  };

 private:
  void set_watch(process::Watch* watch);

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::stop_source source_;
  process::Watch* watch_ = nullptr;
  int signal_ = 0;
};

}  // namespace ralph::run
