#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "harness/stream/event.h"
#include "harness/stream/handler.h"

namespace ralph::stream {

/// A tool call the agent was not allowed to make.
struct Denial {
  std::string tool, call_id, input;  // input: JSON text
  bool operator==(const Denial&) const = default;
};

/// What is kept of one turn_ended.
struct TurnRecord {
  bool is_error = false;
  TurnEndReason end = TurnEndReason::other;
  std::string reason, error, origin;  // as in TurnEnded
  std::int64_t turns = 0, duration_ms = 0;
};

/// Collects the events of one run into totals and texts. Memory is bounded: of long texts the end is
/// kept, of long lists the newest entries. Implausible figures (negative, infinite, huge) are
/// clamped or ignored.
class Summary final : public Handler {
 public:
  static constexpr std::size_t kKeptTurns = 256;

  /// `known_total_usd`: what the session had cost before this run, when it is continued; agents
  /// that only report totals are then charged the difference. `models` outlives the summary.
  explicit Summary(const model::Table& models, double known_total_usd = 0);

  std::string session_id, model, agent_version, cwd, permission_mode;
  std::string unpriced_model;  // the last one that was used and has no known price
  /// Text and structured output of the last turn_ended. A turn that the agent started by itself (origin)
  /// replaces only what it has.
  std::string text, structured;
  /// All text blocks of all turns (the end, when it is long).
  std::string streamed_text;
  std::vector<TurnRecord> results;  // the newest kKeptTurns
  std::int64_t result_count = 0;
  std::vector<Denial> denials;  // the first ones
  std::int64_t denial_count = 0;
  std::int64_t tool_calls = 0, turns = 0, duration_ms = 0;
  std::int64_t background_tasks = 0;  // still running, as the agent reports

  /// The error that explains a failure best: the last one the agent reported in this run.
  struct LastError {
    ErrorClass error_class = ErrorClass::unknown;
    std::string message;
    std::optional<std::int64_t> http_status = {}, resets_at = {};
    bool says_remedy = false;  // the message says what to do
  };
  std::optional<LastError> error;

  /// The agent is started again: forgets its texts and its end, keeps tokens and cost.
  /// `known_total_usd`: the earlier cost of the session that it works in now.
  void next_attempt(double known_total_usd = 0);
  /// Array of {tool, call_id, input}.
  std::string denials_json() const;

  /// The earlier cost of a session that is continued.
  void know_total(double usd);
  /// What the whole session has cost so far, as the agent last reported it or as it was known before.
  double session_total_usd() const { return earlier_runs_usd_ + last_total_usd_; }
  /// A turn has begun and not ended.
  bool turn_open() const { return turn_open_; }
  /// The agent printed something; events of ralph do not count.
  bool any_event() const { return any_event_; }
  /// What the last turn used, subagents included.
  Tokens last_turn_usage() const { return last_turn_; }
  /// This run's tokens and cost: what the agent reported, plus requests it has not summed up yet.
  Tokens usage() const;
  std::optional<double> cost_usd() const;
  /// The run used more than usage() and cost_usd() say: the agent ended before it reported the output of a request.
  bool usage_is_minimum() const;
  CostSource cost_source() const;
  /// The agent's last turn ended at the cost limit that the agent itself enforces.
  bool ended_at_cost_limit() const;
  bool knows_price_of(std::string_view model_id) const;
  /// How full the context window was in the last request of the agent itself, in percent;
  /// 999 stands for more, too.
  std::optional<int> context_percent() const;

  void on_any(const Event&) override;
  void on(const Event&, const SessionStarted&) override;
  void on(const Event&, const TurnStarted&) override;
  void on(const Event&, const Text&) override;
  void on(const Event&, const ToolCall&) override;
  void on(const Event&, const ToolResult&) override;
  void on(const Event&, const Usage&) override;
  void on(const Event&, const Notice&) override;
  void on(const Event&, const Retry&) override;
  void on(const Event&, const ErrorEvent&) override;
  void on(const Event&, const TurnEnded&) override;

 private:
  struct Request {
    std::string message_id, model;
    Tokens tokens;
    bool partial = false;  // its output is not final
  };
  void note_request(const Event& event, const Usage& usage);
  void forget_retry();
  void fold_oldest_request();
  std::optional<double> open_requests_usd() const;
  bool lacks_earlier_runs(double total_usd, const TurnEnded& ended) const;
  void note_denial(Denial denial);
  void note_denials(std::string_view json);
  void note_error(LastError latest);
  void note_end(const TurnEnded& ended);
  std::optional<double> price(std::string_view model, const Tokens& tokens) const;

  const model::Table* models_;
  double last_total_usd_;
  double earlier_runs_usd_ = 0;  // of the session, if the agent's totals lack them
  bool total_seen_ = false;      // in this attempt
  Tokens reported_;              // by turns that ended
  Tokens last_turn_;             // by the last of them
  Tokens this_turn_;             // usage{scope: turn} since then
  std::optional<double> reported_usd_;
  bool turn_usage_seen_ = false;        // usage{scope: turn} came since the last turn_ended
  std::vector<Request> open_requests_;  // since the last turn_ended, the newest
  Tokens older_requests_;               // and the sum of the others
  std::optional<double> older_requests_usd_;
  bool older_requests_partial_ = false;
  bool earlier_attempt_partial_ = false;
  bool error_is_retry_ = false;         // `error` is a failed request that the agent tries again
  Tokens context_;                      // of the agent's own last request
  std::optional<std::int64_t> window_;  // as the agent reports it for its own model
  bool turn_open_ = false;
  bool any_event_ = false;
};

}  // namespace ralph::stream
