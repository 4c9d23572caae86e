#include "agent/session/conversation.h"

#include "agent/session/scripted.h"
#include "support/temp_folder.h"

namespace ralph::session {
namespace {

Conversation in_memory() {
  return Conversation({},
                      {std::nullopt, [](const Error&) { ADD_FAILURE() << "nothing is written"; }});
}

std::string all_of(const Conversation& conversation) {
  std::string all;
  for (const auto& message : conversation.messages()) {
    all += std::string(to_string(message.role)) + message.content + "\n";
  }
  return all;
}

TEST(Conversation, TwoUserMessagesInARowAreOneForTheApi) {
  auto conversation = in_memory();
  conversation.add_user(text_content("a"), "1");
  conversation.add_user(text_content("b"), "2");
  EXPECT_EQ(all_of(conversation), R"(user[{"type":"text","text":"a"},{"type":"text","text":"b"}])"
                                  "\n");
  EXPECT_EQ(conversation.last_uuid(), "2");
}

TEST(Conversation, CountsWhatCameBehindTheLastReply) {
  auto conversation = in_memory();
  conversation.add_user(text_content(std::string(400, 'x')), "1");
  EXPECT_GE(conversation.added_tokens(), 100);
  EXPECT_FALSE(conversation.has_answer());
  conversation.add_assistant(says("b"), {"2"});
  EXPECT_EQ(conversation.added_tokens(), 0);
  EXPECT_TRUE(conversation.has_answer());
}

TEST(Conversation, ARetractedReplyIsNotSent) {
  auto conversation = in_memory();
  conversation.add_user(text_content("a"), "1");
  conversation.add_assistant(says("wrong"), {"2"});
  conversation.retract_answer();
  EXPECT_EQ(all_of(conversation).find("wrong"), std::string::npos);
}

TEST(Conversation, ThinkingOfAnotherModelIsDropped) {
  auto conversation = in_memory();
  conversation.add_user(text_content("a"), "1");
  api::Block thinking;
  thinking.type = api::BlockType::thinking;
  thinking.json = R"({"type":"thinking","thinking":"hm","signature":"s"})";
  conversation.add_assistant(reply_of({thinking, text_block("b")}), {"2", "3"});
  conversation.add_user(text_content("c"), "4");
  conversation.add_assistant(reply_of({thinking}), {"5"});
  conversation.drop_thinking();
  EXPECT_EQ(all_of(conversation), R"(user[{"type":"text","text":"a"}])"
                                  "\n"
                                  R"(assistant[{"type":"text","text":"b"}])"
                                  "\n"
                                  R"(user[{"type":"text","text":"c"}])"
                                  "\n");
}

TEST(Conversation, AfterASummaryOnlyWhatFollowsIsSentButTheFileKeepsAll) {
  const test::TempFolder folder;
  const auto file = folder.path() / "s.jsonl";
  Conversation conversation({}, {Transcript(file, {"s", "/work", "1", "", ""}, ""),
                                 [](const Error& error) { ADD_FAILURE() << error.message; }});
  conversation.add_user(text_content("before"), make_uuid());
  conversation.start_over(make_uuid(), "\"subtype\":\"compact_boundary\"");
  conversation.add_user(text_content("after"), make_uuid());
  EXPECT_FALSE(all_of(conversation).contains("before"));
  EXPECT_TRUE(all_of(conversation).contains("after"));
  EXPECT_TRUE(test::text_of(file).contains("before"));
}

}  // namespace
}  // namespace ralph::session
