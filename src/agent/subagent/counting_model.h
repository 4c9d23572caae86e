#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/session/collaborators.h"

namespace ralph::subagent {

/// What a model has answered so far.
struct Answered {
  api::Usage last_usage;
  std::int64_t tool_uses = 0;
  std::vector<std::string> tools;  // each once
  std::string last_text;
};

/// Counts what another model answers. answered() is thread-safe.
class CountingModel final : public session::Model {
 public:
  explicit CountingModel(std::unique_ptr<session::Model> model) : model_(std::move(model)) {}

  bool available() const override { return model_->available(); }
  api::Answer ask(const api::Request& request, api::Listener& listener,
                  const std::stop_token& stop) override;
  Answered answered() const;
  /// A reply that arrives contains this call.
  void add_call(const std::string& tool);

 private:
  std::unique_ptr<session::Model> model_;
  mutable std::mutex mutex_;
  Answered answered_;
};

/// Of the last request and its reply.
std::int64_t tokens_of(const api::Usage& usage);

}  // namespace ralph::subagent
