#include <condition_variable>
#include <latch>
#include <mutex>
#include <thread>

#include "agent/mcp/harness.h"

namespace ralph::mcp {
namespace {

/// Waits for the stop request.
Result<json::Document> silence(const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any().wait(lock, stop, [] { return false; });
  return fail(Code::unavailable, "it was stopped");
}

TEST(McpServers, AServerThatWasRemovedDoesNotStart) {
  bool asked = false;
  ScriptedLink link([&](const json::Document&, const auto&) -> Result<json::Document> {
    asked = true;
    return fail(Code::unavailable, "not now");
  });
  Surroundings surroundings;
  surroundings.link = &link;
  {
    Server server(inside(), surroundings);
    server.remove();
    server.start();
    server.wait({});
    EXPECT_EQ(server.status(), ServerStatus::pending);
  }
  EXPECT_FALSE(asked);
}

TEST(McpServers, AServerThatIsRemovedWhileItStartsIsNotReported) {
  std::latch asked(1);
  ScriptedLink link([&](const json::Document&, const auto& stop) -> Result<json::Document> {
    asked.count_down();
    return silence(stop);
  });
  Session session(link);
  session.servers.replace({inside()});
  {
    const std::jthread turn([&] { session.servers.wait({}); });
    asked.wait();
    const auto changes = session.servers.replace({});
    EXPECT_EQ(changes.removed, std::vector<std::string>{"inside"});
  }
  EXPECT_EQ(session.warnings, "");
  EXPECT_TRUE(session.servers.states().empty());
}

TEST(McpServers, OnlyServersThatWereReplacedAreReplaced) {
  Session session;
  session.servers.add(program("fixed"));
  EXPECT_EQ(session.servers.replace({program("a"), program("b")}).added,
            (std::vector<std::string>{"a", "b"}));
  const auto changes = session.servers.replace({program("b"), program("fixed")});
  EXPECT_EQ(changes.added, std::vector<std::string>());
  EXPECT_EQ(changes.removed, std::vector<std::string>{"a"});
  EXPECT_EQ(session.servers.states().size(), 2U);
}

/// Has the tool "one"; is silent when it is asked again; then has the tool "two".
class ChangingServer {
 public:
  using Answer = Result<json::Document>;
  ChangingServer() {
    auto tools = [](std::string_view name) {
      return json::Document{{"tools", json::Document::array({{{"name", name}}})}};
    };
    answers_ = {[=](const auto&) -> Answer { return tools("one"); },
                [this](const auto& stop) -> Answer {
                  stopper.request_stop();
                  return silence(stop);
                },
                [=](const auto&) -> Answer { return tools("two"); }};
  }

  std::stop_source stopper;  // asked to stop when the tools are listed for the second time
  ScriptedLink link{[this](const json::Document& message, const auto& stop) -> Answer {
    const auto method = json::text(message, "method");
    json::Document answer{{"id", json::member(message, "id")}};
    if (method == "initialize") {
      answer["result"] = {{"protocolVersion", "2025-11-25"},
                          {"capabilities", {{"tools", {{"a", 1}}}}}};
    } else if (method == "tools/list") {
      TRY_ASSIGN(answer["result"], answers_.at(lists_++)(stop));
    } else if (method == "tools/call") {
      answer["result"] = json::Document::object();
      return json::Document::array({{{"method", "notifications/tools/list_changed"}}, answer});
    }
    return answer;
  }};

 private:
  std::vector<std::function<Answer(const std::stop_token&)>> answers_;
  std::size_t lists_ = 0;
};

TEST(McpServers, AStopRequestEndsTheWaitForChangedTools) {
  ChangingServer server;
  Session session(server.link);
  ASSERT_EQ(session.start(inside()), "connected") << session.warnings;
  session.call("mcp__inside__one");
  const auto* const one = session.servers.find("mcp__inside__one");
  const auto interrupted = session.servers.tools(server.stopper.get_token());
  EXPECT_EQ(interrupted, std::vector<const tool::Tool*>{one});
  EXPECT_EQ(session.warnings, "");
  EXPECT_NE(session.find("mcp__inside__two"), nullptr);  // the change is not forgotten
}

}  // namespace
}  // namespace ralph::mcp
