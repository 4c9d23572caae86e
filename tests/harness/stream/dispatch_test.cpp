#include <gtest/gtest.h>

#include "harness/stream/handler.h"

namespace ralph::stream {
namespace {

/// Writes down which method was called.
class Recorder final : public Handler {
 public:
  void on_any(const Event& event) override {
    seen += "any:" + std::string(type_name(event.what)) + " ";
  }
  void on(const Event&, const Text&) override { seen += "text"; }
  void on(const Event&, const ToolCall&) override { seen += "tool_call"; }
  void on(const Event&, const ToolResult&) override { seen += "tool_result"; }
  void on(const Event&, const ErrorEvent&) override { seen += "error"; }
  void on(const Event&, const RunResult&) override { seen += "complete"; }
  std::string seen;
};

std::string dispatched(const Payload& payload) {
  Recorder recorder;
  dispatch(Event{1, 0, "claude", "", -1, "", payload}, recorder);
  return recorder.seen;
}

TEST(EventDispatch, RoutesToTheMethodOfItsKind) {
  EXPECT_EQ(dispatched(Text{}), "any:text text");
  EXPECT_EQ(dispatched(ToolCall{}), "any:tool_call tool_call");
  EXPECT_EQ(dispatched(ToolResult{}), "any:tool_result tool_result");
  EXPECT_EQ(dispatched(ErrorEvent{}), "any:error error");
  EXPECT_EQ(dispatched(RunResult{}), "any:result complete");
}

TEST(EventDispatch, WhatAHandlerDoesNotCareAboutIsHarmless) {
  EXPECT_EQ(dispatched(Unknown{}), "any:unknown ");
  EXPECT_EQ(dispatched(Usage{}), "any:usage ");
}

}  // namespace
}  // namespace ralph::stream
