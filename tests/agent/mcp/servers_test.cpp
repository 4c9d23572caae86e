#include <condition_variable>
#include <latch>
#include <mutex>
#include <thread>

#include "agent/mcp/harness.h"

namespace ralph::mcp {
namespace {

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
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait(lock, stop, [] { return false; });
    return fail(Code::unavailable, "it was stopped");
  });
  Session session(link);
  session.servers.add(inside());
  {
    const std::jthread turn([&] { session.servers.wait({}); });
    asked.wait();
    const auto changes = session.servers.replace("mcp_set_servers", {});
    EXPECT_EQ(changes.removed, std::vector<std::string>{"inside"});
  }
  EXPECT_EQ(session.warnings, "");
  EXPECT_TRUE(session.servers.states().empty());
}

}  // namespace
}  // namespace ralph::mcp
