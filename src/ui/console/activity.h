#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/stream/handler.h"

namespace ralph::console {

/// "API retry 2/10 in 8s: overloaded (529)". Not safe for a terminal.
std::string retry_text(const stream::Retry& retry);
/// Whether the agent says only that it retries.
bool has_no_cause(const stream::Retry& retry);

/// What the agent of a run does now, by its events: a tool that runs, an API request that is tried again, or the model.
class Activity final : public stream::Handler {
 public:
  /// `shown` makes a text of the agent fit for people; it is called once for each.
  explicit Activity(std::function<std::string(std::string_view)> shown);

  enum class Kind { model, tool, retry };
  struct Now {
    Kind kind = Kind::model;
    std::string_view text;      // "Bash: make test"; empty for the model
    std::int64_t since_ms = 0;  // of the run
  };
  /// Of several tools the newest that still runs. The text is good until the next event.
  Now now() const;
  /// Another run begins.
  void clear();

  void on_any(const stream::Event&) override;
  void on(const stream::Event&, const stream::Text&) override;
  void on(const stream::Event&, const stream::Thinking&) override;
  void on(const stream::Event&, const stream::ToolCall&) override;
  void on(const stream::Event&, const stream::ToolResult&) override;
  void on(const stream::Event&, const stream::Retry&) override;
  void on(const stream::Event&, const stream::TurnEnded&) override;

 private:
  struct Tool {
    std::string call_id, text;
    std::int64_t since_ms;
  };
  std::function<std::string(std::string_view)> shown_;
  std::vector<Tool> tools_;  // that run now, the newest last
  std::string retrying_;
  std::int64_t last_ms_ = 0;
};

}  // namespace ralph::console
