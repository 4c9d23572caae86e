#include "agent/session/session.h"

#include "agent/session/scripted.h"
#include "support/temp_folder.h"

namespace ralph::session {
namespace {

Stamp stamp(std::string agent_id = {}) {
  return {"session-1", "/work", "1.0", "main", "default", std::move(agent_id)};
}

TEST(Session, TheToolListMayChangeBetweenTurns) {
  Scripted scripted;
  scripted.model.reply(says("One."));
  scripted.model.reply(says("Two."));
  scripted.result_of("first");
  EXPECT_EQ(scripted.sink.tools, std::vector<std::string>{"Look"});
  scripted.tools.offered = {"Look", "Touch"};
  scripted.result_of("second");
  EXPECT_EQ(scripted.sink.tools, (std::vector<std::string>{"Look", "Touch"}));
  EXPECT_EQ(scripted.model.asked.at(0).tools, R"([{"name":"Look"}])");
  EXPECT_EQ(scripted.model.asked.at(1).tools, R"([{"name":"Look"},{"name":"Touch"}])");
}

TEST(Session, IsNotMadeWithTheWrongTranscript) {
  const test::TempFolder folder;
  Scripted scripted;
  const auto create = [&](const Identity& identity, const std::string& agent_id) {
    SessionStart start;
    start.session_id = "session-1";
    start.transcript.emplace(folder.path() / "t.jsonl", stamp(agent_id), "");
    return Session::create(scripted.config(), scripted.links(identity, scripted.model),
                           std::move(start))
        .has_value();
  };
  const Identity top("session-1"), child("session-1", "toolu_1"), other("session-2");
  EXPECT_TRUE(create(top, ""));
  EXPECT_TRUE(create(child, "a1"));
  EXPECT_FALSE(create(top, "a1"));
  EXPECT_FALSE(create(child, ""));
  EXPECT_FALSE(create(other, ""));
}

TEST(Session, SaysWhenTheTranscriptCannotBeWritten) {
  const test::TempFolder folder;
  Scripted scripted;
  SessionStart start;
  folder.write("file", "");
  start.transcript.emplace(folder.path() / "file" / "t.jsonl", stamp(), "");
  scripted.begin(std::move(start));
  scripted.model.reply(says("Hello."));
  EXPECT_EQ(scripted.result_of("hi").text, "Hello.");
  EXPECT_EQ(scripted.warnings.size(), 1U);
  EXPECT_TRUE(scripted.sink.story().contains("lost"));
}

}  // namespace
}  // namespace ralph::session
