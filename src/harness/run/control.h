#pragma once
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/base/time.h"
#include "harness/stream/stop_cause.h"
#include "system/process/supervise.h"

namespace ralph::run {

/// Stops a run from outside. Thread-safe.
class Control {
 public:
  /// How long an agent may take to stop when asked, before its tree is ended.
  static constexpr Millis kPatience{10'000};

  /// Sends the agent a SIGINT. False: no agent runs, or it was asked before; use end().
  [[nodiscard]] bool ask(stream::StopCause cause);
  /// Ends the agent's tree now.
  void end(stream::StopCause cause);

  /// What stopped the run; the first cause counts.
  std::optional<stream::StopCause> cancelled_by() const;
  std::stop_token token() const { return source_.get_token(); }
  /// False: the run was stopped during the pause.
  bool wait(Millis pause);

  /// While it lives, ask() reaches the agent through `handle`, which outlives it.
  class Attachment {
   public:
    Attachment(Control& control, process::RunHandle& handle) : control_(&control) {
      control.set_handle(&handle);
    }
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;
    ~Attachment() { end(); }
    void end() {
      if (auto* const control = std::exchange(control_, nullptr)) control->set_handle(nullptr);
    }

   private:
    Control* control_;
  };

 private:
  void set_handle(process::RunHandle* handle);

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::stop_source source_;
  process::RunHandle* handle_ = nullptr;
  std::optional<stream::StopCause> cause_;
};

}  // namespace ralph::run
