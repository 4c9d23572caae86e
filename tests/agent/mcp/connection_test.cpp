#include <chrono>
#include <functional>
#include <latch>
#include <new>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/mcp/client_transport.h"
#include "agent/mcp/connection_impl.h"
#include "agent/mcp/harness.h"
#include "core/json/field.h"

namespace ralph::mcp {
namespace {

constexpr AnswerLimits kPatient{Millis{60'000}, Millis{60'000}};

/// Does what the test says with each message.
class ScriptedTransport final : public Transport {
 public:
  using OnSend = std::function<void(const Outgoing&, Receiver&)>;
  ScriptedTransport(OnSend on_send, std::vector<std::string>& sent)
      : on_send_(std::move(on_send)), sent_(sent) {}

  Result<> open(Receiver& receiver) override {
    receiver_ = &receiver;
    return {};
  }
  void send(Outgoing message) override {
    sent_.push_back(message.json);
    on_send_(message, *receiver_);
  }
  void begin_close() override {}
  void close() override {}

 private:
  OnSend on_send_;
  std::vector<std::string>& sent_;
  Receiver* receiver_ = nullptr;
};

struct Scripted {
  explicit Scripted(ScriptedTransport::OnSend on_send)
      : connection(std::make_unique<ScriptedTransport>(std::move(on_send), sent),
                   R"({"roots":[]})") {
    EXPECT_TRUE(connection.open());
  }
  std::vector<std::string> sent;
  Connection connection;
};

TEST(McpConnection, IgnoresAnswersNobodyWaitsFor) {
  Scripted scripted([](const Outgoing& message, Receiver& receiver) {
    const auto id = *message.request;
    receiver.on_message("garbage");
    receiver.on_message(answer_json(std::to_string(id + 1), "1"));
    receiver.on_message(answer_json("\"" + std::to_string(id) + "\"", "2"));
    receiver.on_message(answer_json(std::to_string(id), "3"));
    receiver.on_message(answer_json(std::to_string(id), "4"));
  });
  EXPECT_EQ(*scripted.connection.request("a", nullptr, kPatient, {}), 3);
  EXPECT_EQ(*scripted.connection.request("b", nullptr, kPatient, {}), 3);
  EXPECT_EQ(scripted.sent[0], R"({"jsonrpc":"2.0","id":0,"method":"a"})");
  const auto error = scripted.connection.explained({Code::busy, "x", {}});
  EXPECT_TRUE(error.message.contains("not JSON-RPC, the first: garbage")) << error.message;
}

TEST(McpConnection, ALateAnswerIsATimeoutAndTheServerIsTold) {
  Scripted scripted([](const Outgoing&, Receiver&) {});
  const auto answer = scripted.connection.request("tools/call", {{"_meta", {{"a", 1}}}},
                                                  {Millis{20}, Millis{20}}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "no answer within 20ms");
  ASSERT_EQ(scripted.sent.size(), 2U);
  EXPECT_TRUE(scripted.sent[0].contains(R"("_meta":{"a":1,"progressToken":0})"));
  EXPECT_TRUE(scripted.sent[1].contains("notifications/cancelled"));
  EXPECT_TRUE(scripted.sent[1].contains(R"("requestId":0)"));
}

TEST(McpConnection, ARequestThatWasNotSentIsNotCancelled) {
  Scripted scripted([](const Outgoing& message, Receiver& receiver) {
    if (!message.request) return;
    receiver.on_lost(*message.request, {Code::busy, "the message cannot be sent now", {}});
  });
  EXPECT_FALSE(scripted.connection.request("tools/call", nullptr, kPatient, {}));
  EXPECT_EQ(scripted.sent.size(), 1U);
}

/// Progress without end extends a call only up to the total.
TEST(McpConnection, EndlessProgressDoesNotHelp) {
  std::jthread talker;
  Scripted scripted([&](const Outgoing& message, Receiver& receiver) {
    if (!message.request) return;
    talker = std::jthread([&receiver](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        receiver.on_message(notification_json("notifications/progress", {{"progressToken", 0}}));
        std::this_thread::yield();
      }
    });
  });
  const auto answer = scripted.connection.request("a", nullptr, {Millis{60'000}, Millis{50}}, {});
  talker = {};
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "no answer within 50ms");
}

TEST(McpConnection, AStopRequestEndsTheWait) {
  std::stop_source source;
  Scripted scripted([&](const Outgoing& message, Receiver&) {
    if (message.request) source.request_stop();
  });
  const auto answer = scripted.connection.request("a", nullptr, kPatient, source.get_token());
  ASSERT_FALSE(answer);
  EXPECT_EQ(scripted.sent.size(), 2U);
}

TEST(McpConnection, AClosedConnectionFailsWhatIsOpenAndWhatComes) {
  Scripted scripted([](const Outgoing&, Receiver& receiver) {
    receiver.on_closed({Code::unavailable, "it exited with code 3", {}});
  });
  for (int i = 0; i < 2; ++i) {
    const auto answer = scripted.connection.request("a", nullptr, kPatient, {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().message, "it exited with code 3");
  }
  EXPECT_EQ(scripted.sent.size(), 1U);
}

TEST(McpConnection, AnswersTheServerButNotWithoutEnd) {
  Scripted scripted([](const Outgoing& message, Receiver& receiver) {
    if (!message.request) return;
    for (int i = 0; i < 5000; ++i) receiver.on_message(R"({"id":"p","method":"ping"})");
    receiver.on_message(answer_json(std::to_string(*message.request), "{}"));
  });
  EXPECT_TRUE(scripted.connection.request("a", nullptr, kPatient, {}));
  EXPECT_EQ(scripted.sent.size(), 1001U);
  EXPECT_EQ(scripted.sent[1], R"({"jsonrpc":"2.0","id":"p","result":{}})");
}

TEST(McpConnection, NotesThatToolsChanged) {
  Scripted scripted([](const Outgoing& message, Receiver& receiver) {
    receiver.on_message(R"({"method":"notifications/tools/list_changed"})");
    if (message.request) receiver.on_message(answer_json(std::to_string(*message.request), "{}"));
  });
  EXPECT_FALSE(scripted.connection.take_tools_changed());
  EXPECT_TRUE(scripted.connection.request("a", nullptr, kPatient, {}));
  EXPECT_TRUE(scripted.connection.take_tools_changed());
  EXPECT_FALSE(scripted.connection.take_tools_changed());
}

TEST(McpClientTransport, PassesMessagesThroughTheClient) {
  ScriptedLink link([](const json::Document& message, const auto&) -> Result<json::Document> {
    if (message["method"] == "broken") return json::Document{{"what", 1}};
    if (message["method"] == "refused") return fail(Code::unavailable, "the client says no");
    return json::Document{{"id", json::member(message, "id")}, {"result", message["method"]}};
  });
  Connection connection(std::make_unique<ClientTransport>(link, "inside"), "{}");
  ASSERT_TRUE(connection.open());
  EXPECT_EQ(*connection.request("works", nullptr, kPatient, {}), "works");
  EXPECT_EQ(connection.request("broken", nullptr, kPatient, {}).error().message,
            "the client gave no valid answer");
  EXPECT_EQ(connection.request("refused", nullptr, kPatient, {}).error().message,
            "the client says no");
  EXPECT_TRUE(connection.notify("notifications/initialized", SteadyTime::max(), {}));
}

TEST(McpClientTransport, AnExchangeThatThrowsFailsItsRequestAtOnce) {
  ScriptedLink link(
      [](const json::Document&, const auto&) -> Result<json::Document> { throw std::bad_alloc(); });
  Connection connection(std::make_unique<ClientTransport>(link, "inside"), "{}");
  ASSERT_TRUE(connection.open());
  EXPECT_EQ(connection.request("a", nullptr, kPatient, {}).error().message, "std::bad_alloc");
}

TEST(McpClientTransport, AClientThatDoesNotAcceptANotificationInTime) {
  std::latch over(1);
  ScriptedLink link([&](const json::Document&, const auto&) -> Result<json::Document> {
    over.wait();
    return fail(Code::unavailable, "too late");
  });
  Connection connection(std::make_unique<ClientTransport>(link, "inside"), "{}");
  ASSERT_TRUE(connection.open());
  const auto end = std::chrono::steady_clock::now() + Millis{20};
  EXPECT_EQ(connection.notify("notifications/initialized", end, {}).error().message,
            "it did not accept notifications/initialized in time");
  over.count_down();
}

}  // namespace
}  // namespace ralph::mcp
