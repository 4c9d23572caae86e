#include "agent/session/prompt_expander.h"
#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

/// All the model was told in the user's name with the last request.
std::string heard(const Ran& ran) { return texts(ran.requests.back()["messages"].back()); }

TEST(Commands, AreCalledByTheirNames) {
  Bench bench;
  bench.folder().write("work/.claude/commands/fix.md",
                       "---\ndescription: Fixes.\n---\nFix $ARGUMENTS: first $0.\n");
  bench.folder().write("work/.claude/commands/sub/deep.md", "Deep work.\n");
  bench.folder().write("home/.claude/commands/mine.md", "My work.\n");
  bench.folder().write("work/.claude/skills/greet/SKILL.md", "Greet $0.\n");
  const auto fix = bench.ask("/fix alpha beta");
  EXPECT_TRUE(
      heard(fix).ends_with("<command-message>fix</command-message>\n"
                           "<command-name>/fix</command-name>\n"
                           "<command-args>alpha beta</command-args>\n"
                           "Fix alpha beta: first alpha.\n"))
      << heard(fix);
  EXPECT_EQ(fix.events()[0]["slash_commands"],
            Document({"fix", "greet", "mine", "sub:deep", "clear", "compact"}));
  EXPECT_EQ(fix.events()[0]["skills"], Document({"greet"}));
  EXPECT_TRUE(heard(bench.ask("/sub:deep")).contains("Deep work."));
  EXPECT_TRUE(heard(bench.ask("/mine")).contains("My work."));
  EXPECT_TRUE(heard(bench.ask("/greet Bob")).contains("Greet Bob."));
}

TEST(Commands, AreCalledInAStreamToo) {
  Bench bench;
  bench.folder().write("work/.claude/commands/fix.md", "Fix $ARGUMENTS.\n");
  bench.say("/fix this");
  bench.hang_up();
  const auto ran = bench.converse({"--replay-user-messages"});
  EXPECT_TRUE(heard(ran).contains("Fix this."));
  EXPECT_TRUE(ran.of_type("user").at(0)["message"]["content"].get<std::string>().contains(
      "<command-args>this</command-args>"));
}

TEST(Commands, AreListedInTheInitializeResponse) {
  Bench bench;
  bench.folder().write("work/.claude/commands/fix.md",
                       "---\ndescription: Fixes.\nargument-hint: \"[issue]\"\n---\nFix.\n");
  bench.say_line(
      R"({"type":"control_request","request_id":"1","request":{"subtype":"initialize"}})");
  bench.hang_up();
  const auto answers = bench.converse().of_type("control_response");
  ASSERT_EQ(answers.size(), 1U);
  const auto& commands = answers[0]["response"]["response"]["commands"];
  ASSERT_EQ(commands.size(), 3U) << commands;
  EXPECT_EQ(commands[0],
            Document({{"name", "fix"}, {"description", "Fixes."}, {"argumentHint", "[issue]"}}));
  EXPECT_EQ(commands[1]["name"], "clear");
  EXPECT_EQ(commands[2]["name"], "compact");
}

TEST(Commands, UnknownOnesAreSentAsTextWithANote) {
  Bench bench;
  bench.folder().write("work/.claude/commands/fix.md", "Fix it.\n");
  const auto text = heard(bench.ask("/fxi  now "));
  EXPECT_TRUE(text.ends_with("</system-reminder>/fxi  now ")) << text;
  EXPECT_TRUE(text.contains("nearest name is /fix."));
  EXPECT_FALSE(text.contains("Fix it."));
}

TEST(Commands, WhatOnlyLooksLikeOneIsLeftAlone) {
  Bench bench;
  bench.folder().write("work/.claude/commands/fix.md", "Fix it.\n");
  for (const auto* words : {" /fix", "/usr/bin/env", "/* fix */", "/", "please /fix"}) {
    const auto content = bench.ask(words).requests.back()["messages"].back()["content"];
    EXPECT_EQ(content.back()["text"], words);
    EXPECT_FALSE(content.dump().contains("no command or skill")) << words;
  }
}

TEST(Commands, CanBeSwitchedOff) {
  Bench bench;
  bench.folder().write("work/.claude/commands/fix.md", "Fix it.\n");
  const auto ran = bench.ask("/fix now", {"--disable-slash-commands"});
  EXPECT_TRUE(heard(ran).contains("There are no commands."));
  EXPECT_TRUE(heard(ran).ends_with("/fix now"));
  EXPECT_EQ(ran.events()[0]["slash_commands"], Document::array());
  EXPECT_FALSE(heard(bench.ask("/fix now", {"--bare"})).contains("no command"));
}

/// Both the command's head and the session must allow it.
TEST(Commands, RunShellCommandsThatAreAllowed) {
  Bench bench;
  const auto body = "Seen: !`echo one-two | tr o 0` x!`echo no`\nMade: !`touch made.txt`\n";
  bench.folder().write("work/.claude/commands/may.md",
                       std::string("---\nallowed-tools: Bash(echo *), Bash(tr *)\n---\n") + body);
  bench.folder().write("work/.claude/commands/plain.md", body);
  const auto text = heard(bench.ask("/may", {"--dangerously-skip-permissions"}));
  EXPECT_TRUE(text.contains("Seen: 0ne-tw0 x!`echo no`\n")) << text;
  EXPECT_TRUE(text.contains("`touch made.txt` gave nothing"));
  EXPECT_TRUE(heard(bench.ask("/plain", {"--dangerously-skip-permissions"})).contains(body));
  bench.folder().write("work/.claude/commands/touch.md",
                       "---\nallowed-tools: Bash\n---\n!`touch made.txt`\n");
  EXPECT_TRUE(heard(bench.ask("/touch")).contains("gave nothing"));
  EXPECT_FALSE(std::filesystem::exists(bench.work() / "made.txt"));
  bench.ask("/touch", {"--dangerously-skip-permissions"});
  EXPECT_TRUE(std::filesystem::exists(bench.work() / "made.txt"));
}

TEST(Commands, ArgumentsAreNeverRun) {
  Bench bench;
  bench.folder().write("work/.claude/commands/i.md",
                       "---\nallowed-tools: Bash\n---\nTitle: $ARGUMENTS\n");
  const auto text = heard(bench.ask("/i A !`touch X` b", {"--dangerously-skip-permissions"}));
  EXPECT_TRUE(text.contains("Title: A !`touch X` b\n")) << text;
  bench.folder().write(
      "work/.claude/commands/e.md",
      "---\nallowed-tools: Bash\n---\n!`echo $ARGUMENTS` !`echo \"<$ARGUMENTS>\" '$0'`\n");
  const auto echoed = heard(
      bench.ask("/e a;touch X $(touch X) \"it's\" !`touch X`", {"--dangerously-skip-permissions"}));
  EXPECT_TRUE(
      echoed.ends_with("\na;touch X $(touch X) it's !`touch X` "
                       "<a;touch X $(touch X) \"it's\" !`touch X`> a;touch\n"))
      << echoed;
  EXPECT_FALSE(std::filesystem::exists(bench.work() / "X"));
}

TEST(Commands, ArgumentsAreNotPutWhereAShellReadsThemAgain) {
  Bench bench;
  for (const auto* const command :
       {"sh -c \"echo $ARGUMENTS\"", "eval echo $0", "echo \"$(echo \"$0\")\"", "echo # $0",
        "echo \\'$0\\'", "cat <<E\n$ARGUMENTS\nE\n", "echo $'$0'", "echo \"${x:-$0}\""}) {
    bench.folder().write("work/.claude/commands/e.md",
                         std::string("---\nallowed-tools: Bash\n---\n!`") + command + "`\n");
    const auto text = heard(bench.ask("/e '\n'touch\\ X;$(touch\\ X)'\n';touch\\ X;\"'\"",
                                      {"--dangerously-skip-permissions"}));
    EXPECT_TRUE(text.contains("was not run")) << text;
    EXPECT_FALSE(std::filesystem::exists(bench.work() / "X")) << command;
  }
}

/// What is judged is the command with its arguments.
TEST(Commands, ArgumentsCountForPermissions) {
  Bench bench;
  bench.folder().write("work/.claude/commands/c.md", "---\nallowed-tools: Bash\n---\n!`cat $0`\n");
  bench.folder().write("work/a.txt", "Inside.");
  bench.folder().write("b.txt", "Outside.");
  EXPECT_TRUE(heard(bench.ask("/c a.txt")).contains("Inside."));
  EXPECT_FALSE(heard(bench.ask("/c ../b.txt")).contains("Outside."));
}

TEST(Commands, LocalCommandsDoNotAskTheModel) {
  Bench bench;
  const auto ran = bench.ask("/help me");
  EXPECT_EQ(ran.code, 0);
  EXPECT_TRUE(ran.requests.empty());
  EXPECT_EQ(ran.story(), "system/init assistant result/success");
  EXPECT_EQ(ran.result()["num_turns"], 0);
  EXPECT_EQ(ran.result()["local_command"], "help");
  EXPECT_TRUE(ran.result()["result"].get<std::string>().contains("/help is not available"));
  EXPECT_TRUE(bench.sessions().empty());
}

TEST(Commands, ClearStartsANewSession) {
  Bench bench(R"({"steps":[{"text":"One."},{"text":"Two."}],"then":"error"})");
  const auto uuid = "00000000-0000-4000-8000-00000000000";
  bench.say("My word is plum.", uuid + std::string("1"));
  bench.when("\"result\":\"One.\"", [&](Bench& self) {
    self.say("/clear", uuid + std::string("2"));
    self.say("What was it?", uuid + std::string("3"));
    self.hang_up();
  });
  const auto ran = bench.converse();
  EXPECT_EQ(ran.code, 0);
  const auto resets = ran.of_type("conversation_reset");
  ASSERT_EQ(resets.size(), 1U);
  EXPECT_EQ(resets[0]["user_message_uuid"], uuid + std::string("2"));
  const auto results = ran.of_type("result");
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(resets[0]["session_id"], results[0]["session_id"]);
  EXPECT_EQ(results[1]["local_command"], "clear");
  EXPECT_EQ(results[1]["num_turns"], 0);
  EXPECT_EQ(results[1]["total_cost_usd"], 0);
  EXPECT_NE(results[1]["session_id"], results[0]["session_id"]);
  EXPECT_EQ(results[2]["session_id"], results[1]["session_id"]);
  ASSERT_EQ(ran.requests.size(), 2U);
  EXPECT_EQ(ran.requests[1]["messages"].size(), 1U);
  EXPECT_FALSE(ran.requests[1].dump().contains("plum"));
  EXPECT_TRUE(ran.requests[1].dump().contains("Working directory"));
  EXPECT_NE(ran.requests[1]["metadata"], ran.requests[0]["metadata"]);
  EXPECT_EQ(bench.sessions().size(), 2U);
}

/// It would otherwise be a word within somebody else's turn.
TEST(Commands, ACommandThatComesWhileToolsRunGetsItsOwnTurn) {
  Bench bench(
      R"({"steps":[{"tool_use":{"name":"Bash","input":{"command":"until [ -e go ]; do sleep 0.01; done"}}},
         {"text":"One."},{"text":"Two."}],"then":"error"})");
  bench.folder().write("work/.claude/commands/fix.md", "Fix it.\n");
  bench.say("start");
  bench.when("tool_use", [](Bench& self) {
    self.say("/fix");
    self.say("and more");
    self.hang_up();
    while (!self.heard_everything()) std::this_thread::yield();
    self.folder().write("work/go", "");
  });
  const auto ran = bench.converse({"--dangerously-skip-permissions"});
  ASSERT_GE(ran.requests.size(), 3U);
  EXPECT_FALSE(ran.requests[1]["messages"].dump().contains("Fix it."));
  EXPECT_FALSE(ran.requests[1]["messages"].dump().contains("and more"));
  EXPECT_TRUE(texts(ran.requests[2]["messages"].back()).ends_with("Fix it.\n"));
}

TEST(NamedFiles, AreFoundWhereAWordBegins) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(named_files("see @a.txt and @\"b c.txt\", not x@y.z\n@d"),
            (Names{"a.txt", "b c.txt", "d"}));
  EXPECT_EQ(named_files("@ @\"open @a @a"), (Names{"a"}));
}

TEST(NamedFiles, ComeWithTheMessage) {
  Bench bench;
  bench.folder().write("work/note.txt", "The note.\n");
  bench.folder().write("outside.txt", "The outside.\n");
  bench.folder().write("work/secret.txt", "The secret.\n");
  std::filesystem::create_symlink(bench.folder() / "outside.txt", bench.work() / "link.txt");
  const auto words = "See @note.txt, @missing.txt @../outside.txt @link.txt @. and @secret.txt";
  const auto ran = bench.ask(words, {"--dangerously-skip-permissions", "--settings",
                                     R"x({"permissions":{"deny":["Read(secret.txt)"]}})x"});
  const auto content = ran.requests.at(0)["messages"].back()["content"];
  EXPECT_EQ(content.back()["text"], words);
  const auto text = heard(ran);
  EXPECT_TRUE(text.contains("1\tThe note."));
  EXPECT_FALSE(text.contains("The outside."));
  EXPECT_FALSE(text.contains("The secret."));
  EXPECT_FALSE(text.contains("file missing.txt"));
}

TEST(NamedFiles, ALongOneIsNamedButNotShown) {
  Bench bench;
  std::string lines;
  for (int i = 0; i < 1'000; ++i) lines += std::string(110, 'x') + "\n";
  bench.folder().write("work/long.txt", lines);
  const auto ran = bench.ask("See @long.txt");
  const auto text = heard(ran);
  EXPECT_TRUE(
      text.contains("names the file long.txt, which is too long to be shown here (111000 bytes)"));
  EXPECT_LT(text.size(), 5'000U) << "Claude Code shows nothing of it";
}

}  // namespace
}  // namespace ralph::wire
