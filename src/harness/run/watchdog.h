#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "harness/run/request.h"
#include "harness/stream/handler.h"
#include "harness/stream/outcome.h"
#include "harness/stream/summary.h"
#include "system/process/supervise.h"

namespace ralph::run {

/// Enforces the limits of a run on its agent while the agent works. Which time limit is armed:
///   the agent waits for the model              silence
///   a tool or a background task runs           only wall
///   the agent has ended, no message follows    after_end
/// Stops the agent when its credential is rejected, a tool is denied, or the cost limit is reached.
class Watchdog final : public stream::Handler {
 public:
  struct Rules {
    Limits limits;
    std::optional<double> max_cost;
    bool needs_price =
        false;  // a cost the agent reports for a model without a known price is a guess
    bool denials_allowed = false;
    std::function<std::optional<std::string>(const stream::Summary&, int)> follow_up = {};
    std::string (*encode_message)(std::string_view text) = nullptr;  // of a follow-up
  };
  /// `stop` ends the process tree. The summary must get each event before the watchdog does; all
  /// references outlive this.
  Watchdog(Rules rules, const stream::Summary& summary, process::RunHandle& handle,
           std::function<void()> stop);

  /// Arms the limits. `wall` is the rest of the run's time; zero: no limit.
  void begin(Millis wall);

  // What the agent was stopped for; empty: not for that.
  std::optional<stream::CostLimitReached> cost_limit() const;
  const std::optional<std::string>& unpriced_model() const { return unpriced_model_; }
  const std::optional<stream::CredentialRejected>& credential_rejected() const {
    return credential_rejected_;
  }

  void on(const stream::Event&, const stream::SessionStarted&) override;
  void on(const stream::Event&, const stream::TurnStarted&) override { update_limits(); }
  void on(const stream::Event&, const stream::ToolCall&) override;
  void on(const stream::Event&, const stream::ToolResult&) override;
  void on(const stream::Event&, const stream::Usage&) override;
  void on(const stream::Event&, const stream::Retry&) override;
  void on(const stream::Event&, const stream::ErrorEvent&) override;
  void on(const stream::Event&, const stream::TurnEnded&) override;
  void on(const stream::Event&, const stream::Notice&) override;

 private:
  enum class Phase { model, tool, ended };
  Phase phase() const;
  void update_limits();
  void start_message(std::string_view id);
  void check_price(std::string_view model);
  void reject_credential(stream::CredentialRejected rejected);
  void send_follow_up();

  Rules rules_;
  const stream::Summary& summary_;
  process::RunHandle& handle_;
  std::function<void()> stop_;
  std::set<std::string, std::less<>> own_calls_, subagent_calls_;  // without a result yet
  std::string message_id_;                                         // of the message in progress
  std::optional<Phase> armed_;
  int sent_ = 0;                    // follow-up messages
  bool follow_up_pending_ = false;  // the turn of the last follow-up has not ended
  bool over_cost_limit_ = false;
  std::optional<std::string> unpriced_model_;
  std::optional<stream::CredentialRejected> credential_rejected_;
};

}  // namespace ralph::run
