#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/usage.h"
#include "agent/session/transcript.h"
#include "core/model/model.h"

namespace ralph::session {

/// Usage and cost of a session, by model.
class Ledger {
 public:
  /// `before`: usage of earlier runs of the session.
  Ledger(const model::Table& models, std::vector<ModelTotal> before);

  void add(const std::string& model, const api::Usage& usage);
  /// Of the whole session. Models without a known price are charged at kPriceOfUnknown, as in Claude Code.
  double cost_usd() const;
  const std::vector<ModelTotal>& totals() const { return totals_; }

  /// `modelUsage` of the whole session, and since the last call of next_result().
  std::string model_usage() const { return json_of(totals_); }
  std::string since_last_result() const { return json_of(recent_); }
  void next_result() { recent_.clear(); }
  /// For another session: replaces all usage by `before`.
  void reset(std::vector<ModelTotal> before);

 private:
  std::string json_of(const std::vector<ModelTotal>& totals) const;

  const model::Table& models_;
  std::vector<ModelTotal> totals_;
  std::vector<ModelTotal> recent_;
};

}  // namespace ralph::session
