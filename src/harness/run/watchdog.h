#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "system/process/supervise.h"
#include "harness/run/request.h"
#include "harness/stream/handler.h"
#include "harness/stream/summary.h"

namespace ralph::run {

/// Watches one running agent: which deadline counts now, and whether it must be stopped.
///   waiting for the model   the silence limit
///   a tool or background task runs   none but the wall limit
///   it said that it is done, and nobody has more to say   the limit after the end
/// A key that is refused, a tool that is denied, a cost limit that is reached: stopped at once.
class Overseer final : public stream::Handler {
 public:
  struct Rules {
    Limits limits;
    std::optional<double> max_cost;
    bool needs_price = false;  // the agent guesses what a model without a known price costs
    bool denials_allowed = false;
    std::function<std::optional<std::string>(const stream::Summary&, int)> follow_up = {};
    std::string (*encode_message)(std::string_view text) = nullptr;  // of a follow-up
  };
  /// `stop` ends the tree. The summary gets its events first; all of them outlive this.
  Overseer(Rules rules, const stream::Summary& summary, process::Watch& watch,
           std::function<void()> stop);

  /// Arms the limits of a start. `wall` is what is left of the run's; zero: no limit.
  void begin(Millis wall);

  /// "$0.51 of $0.50": it was stopped for that; empty: it was not.
  std::string over_budget() const;
  /// The model whose cost cannot be counted, for which it was stopped; empty: it was not.
  const std::string& unpriced_model() const { return unpriced_model_; }
  /// What was said about the key for which it was stopped; empty: it was not.
  const std::string& refused_key() const { return refused_key_; }

  void on(const stream::Event&, const stream::SessionStarted&) override;
  void on(const stream::Event&, const stream::TurnStarted&) override { settle(); }
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
  void settle();
  void note_message(std::string_view id);
  void check_price(std::string_view model);
  void refuse_key(std::string_view message);
  void say_more();

  Rules rules_;
  const stream::Summary& summary_;
  process::Watch& watch_;
  std::function<void()> stop_;
  std::set<std::string, std::less<>> own_calls_,
      other_calls_;      // of the agent itself, of its subagents
  std::string message_;  // the agent is at
  std::optional<Phase> armed_;
  int sent_ = 0;          // messages behind the prompt
  bool awaited_ = false;  // the turn of the last of them
  bool over_budget_ = false;
  std::string unpriced_model_;
  std::string refused_key_;
};

}  // namespace ralph::run
