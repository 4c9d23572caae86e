#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "agent/api/usage.h"
#include "agent/session/model_total.h"
#include "core/model/model.h"

namespace ralph::session {

/// Usage and cost of a session and its sub-sessions, by model. Thread-safe.
class Ledger {
 public:
  /// `before`: usage of earlier runs of the session.
  Ledger(const model::Table& models, std::vector<ModelTotal> before);

  void add(const std::string& model, const api::Usage& usage);
  /// Of the whole session. Models without a known price are charged at kPriceOfUnknown, as in Claude Code.
  double cost_usd() const;
  std::vector<ModelTotal> totals() const;
  /// Since the last call of next_result().
  std::vector<ModelTotal> since_last_result() const;
  void next_result();
  /// For another session: replaces all usage by `before`.
  void reset(std::vector<ModelTotal> before);

 private:
  const model::Table& models_;
  mutable std::mutex mutex_;
  std::vector<ModelTotal> totals_;
  std::vector<ModelTotal> recent_;
};

}  // namespace ralph::session
