#include "agent/session/tool_round.h"

#include "agent/session/scripted.h"

namespace ralph::session {
namespace {

api::Reply calls(std::vector<api::Block> blocks) { return reply_of(std::move(blocks), "tool_use"); }

TEST(ToolRound, ReportsADeniedCallAndListsItInTheResult) {
  Scripted scripted;
  scripted.tools.change_result = [](ToolCallResult& result) {
    result.outcome = tool::failure("not allowed");
    result.denied = permission::Decision{.message = "not allowed"};
  };
  scripted.model.reply(calls({call_block("1", "Look", R"({"a":1})")}));
  scripted.model.reply(says("Then not."));
  const auto result = scripted.result_of("look");
  EXPECT_EQ(scripted.sink.story(), "started reply:call denied:Look user reply:text");
  ASSERT_EQ(result.denials.size(), 1U);
  EXPECT_EQ(result.denials[0].tool_name, "Look");
  EXPECT_EQ(result.denials[0].tool_use_id, "1");
  EXPECT_EQ(result.denials[0].tool_input, R"({"a":1})");
  EXPECT_TRUE(scripted.model.asked.at(1).messages.contains(R"("is_error":true)"));
}

TEST(ToolRound, ReportsABackgroundTaskThatACallLeftRunning) {
  Scripted scripted;
  scripted.tools.tasks = {{"other", "0", "sleep", {}}, {"b1", "1", "make", {}}};
  scripted.tools.change_result = [](ToolCallResult& result) { result.outcome.task = "b1"; };
  scripted.model.reply(calls({call_block("1", "Look")}));
  scripted.model.reply(says("It runs."));
  scripted.result_of("build");
  EXPECT_EQ(scripted.sink.story(), "started reply:call tasks:2 task:b1 user reply:text");
}

TEST(ToolRound, SendsTheResultsOfAllCallsInOneMessage) {
  Scripted scripted;
  scripted.model.reply(calls({call_block("1", "Look"), call_block("2", "Look")}));
  scripted.model.reply(says("Seen."));
  EXPECT_EQ(scripted.result_of("look").num_turns, 3);
  const auto& messages = scripted.model.asked.at(1).messages;
  EXPECT_TRUE(messages.ends_with(R"(user:[{"tool_use_id":"2","type":"tool_result","content":"did )"
                                 R"(Look"},{"tool_use_id":"1","type":"tool_result","content":)"
                                 R"("did Look"}])"
                                 "\n"))
      << messages;
}

TEST(ToolRound, ChecksStructuredOutputItself) {
  const auto output = StructuredOutput::make(R"({"type":"object","required":["n"]})");
  ASSERT_TRUE(output);
  Scripted scripted;
  scripted.structured = &*output;
  scripted.tools.before_call = [](const api::Block&) { ADD_FAILURE() << "not a tool of the list"; };
  scripted.model.reply(calls({call_block("1", "StructuredOutput")}));
  scripted.model.reply(calls({call_block("2", "StructuredOutput", R"({"n":1})")}));
  EXPECT_EQ(scripted.result_of("count").structured_output, R"({"n":1})");
  EXPECT_TRUE(scripted.model.asked.at(1).messages.contains("does not match required schema"));
}

TEST(ToolRound, LeavesOutDetailsThatWouldMakeALineTooLong) {
  const std::string content = json_string(std::string(600'000, 'x'));
  std::string shown;
  class Sink final : public EventSink {
   public:
    explicit Sink(std::string& out) : out_(out) {}
    void emit(const Identity&, const Event& event) override {
      const auto* input = std::get_if<UserInput>(&event);
      if (input != nullptr) out_ = input->extras.tool_use_result;
    }

   private:
    std::string& out_;
  } sink(shown);
  Scripted scripted;
  scripted.tools.change_result = [&](ToolCallResult& result) {
    result.outcome.content = result.outcome.detail = content;
  };
  auto links = scripted.links(scripted.identity, scripted.model);
  auto session = Session::create(scripted.config(),
                                 {links.identity, links.model, links.tools, sink, links.choice,
                                  links.inbox, links.control, links.ledger, links.hooks},
                                 {.session_id = scripted.identity.session_id()});
  ASSERT_TRUE(session);
  scripted.model.reply(calls({call_block("1", "Look")}));
  scripted.model.reply(says("Seen."));
  ASSERT_TRUE((*session)->answer({{.content = text_content("look")}}, {}));
  EXPECT_LT(shown.size(), 100U);
  EXPECT_TRUE(scripted.model.asked.at(1).messages.contains(content)) << "the model gets all of it";
}

}  // namespace
}  // namespace ralph::session
