#pragma once
#include <string>

#include "harness/stream/handler.h"

namespace ralph::loop {

/// Keeps the answer an agent gave by its tool, for runs that are stopped before they can report it.
class AnswerCapture final : public stream::Handler {
 public:
  const std::string& structured() const { return structured_; }

  void on(const stream::Event& event, const stream::ToolCall& call) override {
    if (event.parent.empty() && call.kind == stream::ToolKind::structured) {
      structured_ = call.input.text;
    }
  }

 private:
  std::string structured_;
};

}  // namespace ralph::loop
