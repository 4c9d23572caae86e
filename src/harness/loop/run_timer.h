#pragma once
#include <cstdint>

#include "harness/store/loop_record.h"
#include "harness/stream/handler.h"

namespace ralph::loop {

/// Splits the time of a run: while a tool of the agent runs, while its model is asked, and the rest.
class RunTimer final : public stream::Handler {
 public:
  store::TimeSplit split() const { return split_; }
  /// The run lasted until then, whatever was open.
  void lasted_until(std::int64_t t_ms);

  void on_any(const stream::Event& event) override;
  void on(const stream::Event& event, const stream::TurnStarted&) override;
  void on(const stream::Event& event, const stream::SessionStarted&) override;
  void on(const stream::Event& event, const stream::ToolCall&) override;
  void on(const stream::Event& event, const stream::ToolResult&) override;
  void on(const stream::Event& event, const stream::TurnEnded&) override;

 private:
  store::TimeSplit split_;
  std::int64_t last_ms_ = 0;
  std::int64_t open_calls_ = 0;
  bool asking_ = false;
};

}  // namespace ralph::loop
