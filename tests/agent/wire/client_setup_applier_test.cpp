#include "agent/wire/client_setup_applier.h"

#include <fmt/ranges.h>

#include "agent/session/plan_tools.h"
#include "agent/session/scripted.h"
#include "core/base/file.h"
#include "support/temp_folder.h"

namespace ralph::wire {
namespace {

constexpr std::string_view kSchema =
    R"({"type":"object","properties":{"n":{"type":"number"}},"required":["n"]})";

class ClientSetupApplierTest : public ::testing::Test {
 protected:
  tool::Workspace::Setup workspace_setup() {
    tool::Workspace::Setup setup;
    setup.root = folder_.path();
    return setup;
  }
  session::Toolbox toolbox(std::vector<const tool::Tool*> more) {
    return session::Toolbox(
        {.workspace = workspace_, .options = scripted_.options, .gate = gate_, .more = more});
  }
  ClientSetupApplier make(const session::Toolbox& toolbox) {
    return ClientSetupApplier({.options = scripted_.options,
                               .prompt = prompt_,
                               .setup = setup_,
                               .modes = modes_,
                               .toolbox = toolbox,
                               .system = system_,
                               .structured = structured_});
  }
  session::Session& begin() {
    session::SessionStart start;
    start.transcript.emplace(folder_ / "t.jsonl",
                             session::Stamp{"session-1", "/work", "1.0", "main", "default"}, "");
    return scripted_.begin(std::move(start));
  }
  std::string transcript() { return read_file(folder_ / "t.jsonl").value_or(""); }
  std::string ask(std::string_view text) {
    scripted_.model.reply(session::says("Done."));
    return scripted_.result_of(text).text;
  }
  /// The answer of a turn in which the model calls StructuredOutput with this.
  std::optional<std::string> structured_answer(const std::string& input) {
    scripted_.model.reply(
        session::reply_of({session::call_block("toolu_1", "StructuredOutput", input)}, "tool_use"));
    return scripted_.result_of("Count.").structured_output;
  }
  static session::UserMessage message() { return {.content = session::text_content("Do it.")}; }

  test::TempFolder folder_;
  session::Scripted scripted_;
  permission::Policy policy_{permission::Mode::standard, {}};
  session::ModeSwitch modes_{policy_, session::SessionEvents(scripted_.sink, scripted_.identity)};
  tool::Workspace workspace_{workspace_setup()};
  session::CallGate gate_{policy_, workspace_, scripted_.hooks};
  session::ExitPlanTool exit_plan_tool_{modes_};
  session::Toolbox with_plan_{toolbox({&exit_plan_tool_})};
  instructions::ClientPrompt prompt_;
  ClientSetupStore setup_;
  std::vector<std::string> system_{"Ours."};
  std::optional<session::StructuredOutput> structured_;
  ClientSetupApplier applier_{make(with_plan_)};
};

TEST_F(ClientSetupApplierTest, WithoutARequestNothingChanges) {
  applier_.apply(begin());
  EXPECT_EQ(ask("hi"), "Done.");
  EXPECT_EQ(system_, std::vector<std::string>{"Ours."});
  EXPECT_FALSE(structured_);
  EXPECT_TRUE(transcript().contains("Be brief.")) << "the prompt of the session";
  EXPECT_FALSE(transcript().contains("title")) << transcript();
}

TEST_F(ClientSetupApplierTest, TheClientsPromptReplacesOursBeforeTheFirstTurn) {
  auto& session = begin();
  prompt_.set({.own = "You are a poet.", .more = std::nullopt});
  applier_.apply(session);
  EXPECT_TRUE(fmt::format("{}", fmt::join(system_, "|")).contains("You are a poet."));
  EXPECT_EQ(ask("hi"), "Done.");
  EXPECT_TRUE(transcript().contains("You are a poet.")) << transcript();
  const auto before = system_;
  prompt_.set({.own = "You are a cook.", .more = std::nullopt});
  applier_.apply(session);
  EXPECT_EQ(system_, before) << "the prompt of a session is fixed";
}

TEST_F(ClientSetupApplierTest, AnAgentKeepsItsPrompt) {
  scripted_.options.agent = "reviewer";
  prompt_.set({.own = "You are a poet.", .more = std::nullopt});
  applier_.apply(begin());
  EXPECT_EQ(system_, std::vector<std::string>{"Ours."});
}

TEST_F(ClientSetupApplierTest, ASchemaCountsFromTheNextTurn) {
  auto& session = begin();
  EXPECT_EQ(ask("hi"), "Done.");
  setup_.add({.json_schema = std::string(kSchema)});
  applier_.apply(session);
  EXPECT_EQ(structured_answer(R"({"n":1})"), R"({"n":1})");
  applier_.apply(session);
  EXPECT_EQ(structured_answer(R"({"n":2})"), R"({"n":2})") << "it still counts";
  setup_.add({.json_schema = R"({"type":"object","required":["m"]})"});
  applier_.apply(session);
  EXPECT_EQ(structured_answer(R"({"m":3})"), R"({"m":3})") << "a new one replaces it";
}

TEST_F(ClientSetupApplierTest, ATitleIsRecordedOnce) {
  auto& session = begin();
  setup_.add({.title = "Poems"});
  applier_.apply(session);
  const auto once = transcript();
  EXPECT_TRUE(once.contains("Poems")) << once;
  applier_.record_title(session);
  EXPECT_EQ(transcript(), once);
  setup_.add({.title = "Recipes"});
  applier_.record_title(session);
  EXPECT_TRUE(transcript().contains("Recipes")) << transcript();
}

TEST_F(ClientSetupApplierTest, ThePlanNoteIsForPlanModeOnly) {
  auto outside = message();
  applier_.add_plan_note(outside);
  EXPECT_EQ(outside.content, message().content);
  EXPECT_EQ(outside.original, "");

  modes_.set(permission::Mode::plan);
  auto inside = message();
  applier_.add_plan_note(inside);
  EXPECT_TRUE(inside.content.contains("Do it.")) << inside.content;
  EXPECT_TRUE(inside.content.contains("<system-reminder>")) << inside.content;
  EXPECT_TRUE(inside.content.contains("ExitPlanMode")) << inside.content;
  EXPECT_EQ(inside.original, message().content) << "for the replay";
}

TEST_F(ClientSetupApplierTest, ThePlanNoteNamesOnlyToolsThatAreOffered) {
  modes_.set(permission::Mode::plan);
  const auto without_plan = toolbox({});
  auto asked = message();
  make(without_plan).add_plan_note(asked);
  EXPECT_TRUE(asked.content.contains("<system-reminder>")) << asked.content;
  EXPECT_FALSE(asked.content.contains("ExitPlanMode")) << asked.content;
}

TEST_F(ClientSetupApplierTest, TheClientsPlanNoteReplacesOurs) {
  modes_.set(permission::Mode::plan);
  setup_.add({.plan_mode_note = "Only think."});
  session::UserMessage asked = message();
  asked.original = "as it was typed";
  applier_.add_plan_note(asked);
  EXPECT_TRUE(asked.content.contains(R"(<system-reminder>\nOnly think.\n</system-reminder>)"))
      << asked.content;
  EXPECT_FALSE(asked.content.contains("ExitPlanMode")) << asked.content;
  EXPECT_EQ(asked.original, "as it was typed");
}

}  // namespace
}  // namespace ralph::wire
