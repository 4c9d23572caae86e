#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/usage.h"
#include "agent/session/transcript.h"
#include "core/model/model.h"

namespace ralph::session {

/// What the session used and cost, model by model.
class Ledger {
 public:
  /// `before`: what earlier runs of the session used.
  Ledger(const model::Table& models, std::vector<ModelTotal> before);

  void add(const std::string& model, const api::Usage& usage);
  /// Of the whole session. A model without a known price costs what it costs in Claude Code: kPriceOfUnknown.
  double cost_usd() const;
  const std::vector<ModelTotal>& totals() const { return totals_; }

  /// `modelUsage` of the whole session, and of what came since the last call of next_result().
  std::string model_usage() const { return json_of(totals_); }
  std::string since_last_result() const { return json_of(recent_); }
  void next_result() { recent_.clear(); }
  /// For a session that starts over: only what it used before counts.
  void reset(std::vector<ModelTotal> before);

 private:
  std::string json_of(const std::vector<ModelTotal>& totals) const;

  const model::Table& models_;
  std::vector<ModelTotal> totals_;
  std::vector<ModelTotal> recent_;
};

}  // namespace ralph::session
