#include <fmt/core.h>
#include <sys/stat.h>

#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

/// One answer that calls Skill with each of these, then "Done.".
std::string skill_calls(std::initializer_list<std::string_view> inputs) {
  std::string calls;
  for (const auto& input : inputs) {
    calls += fmt::format(R"({}{{"tool_use":{{"name":"Skill","input":{}}}}})",
                         calls.empty() ? "" : ",", input);
  }
  return fmt::format(R"({{"steps":[{{"content":[{}]}},{{"text":"Done."}}]}})", calls);
}

/// The description the model gets of the Skill tool; empty: it has none.
std::string listed(const Ran& ran) {
  for (const auto& tool : ran.requests.at(0).value("tools", Document::array())) {
    if (tool["name"] == "Skill") return tool["description"];
  }
  return {};
}

std::string text_of_result(const Document& event) {
  return event["message"]["content"][0]["content"];
}

TEST(Skills, TheModelLoadsOne) {
  Bench bench(skill_calls({R"({"skill":"greet","args":"Bob"})"}));
  bench.folder().write("work/.claude/skills/greet/SKILL.md",
                       "---\nname: greet\ndescription: Greets people.\n---\n\nSay hello to "
                       "$ARGUMENTS, with ${CLAUDE_SKILL_DIR}/x.\n");
  const auto ran = bench.ask("go");
  EXPECT_TRUE(listed(ran).contains("- greet: Greets people."));
  EXPECT_EQ(ran.events()[0]["tools"], Document({"Task", "Bash", "Edit", "NotebookEdit", "Read",
                                                "Skill", "TaskStop", "Write"}));
  EXPECT_EQ(ran.events()[0]["skills"], Document({"greet"}));
  const auto users = ran.of_type("user");
  ASSERT_EQ(users.size(), 2U);
  EXPECT_EQ(text_of_result(users[0]), "Launching skill: greet");
  EXPECT_EQ(users[0]["tool_use_result"], Document({{"success", true}, {"commandName", "greet"}}));
  EXPECT_EQ(users[1]["isSynthetic"], true);
  const auto folder = (std::filesystem::canonical(bench.work()) / ".claude/skills/greet").string();
  const auto text = texts(users[1]["message"]);
  EXPECT_TRUE(text.contains(folder + "\n\nSay hello to Bob, with " + folder + "/x.")) << text;
  EXPECT_TRUE(texts(ran.requests.at(1)["messages"].back()).contains("Say hello to Bob"));
  EXPECT_EQ(ran.result()["num_turns"], 3);
  EXPECT_EQ(ran.result()["permission_denials"], Document::array());
}

TEST(Skills, NoneIsAFileThatRulesDenyToRead) {
  Bench bench(skill_calls({R"({"skill":"s"})"}));
  bench.folder().write("work/.env", "The secret.\n");
  for (const auto* const link : {".claude/skills/s/SKILL.md", ".claude/commands/s.md"}) {
    const auto path = bench.work() / link;
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::create_symlink(bench.work() / ".env", path);
  }
  const auto ran = bench.ask("go", {"--disallowedTools", "Read(.env)"});
  for (const auto& request : ran.requests) EXPECT_FALSE(request.dump().contains("The secret."));
}

TEST(Skills, ATextThatArgumentsMakeTooLongIsAnError) {
  const auto input = R"({"skill":"s","args":")" + std::string(20'000, 'A') + R"("})";
  Bench bench(skill_calls({input}));
  std::string places;
  for (int i = 0; i < 2000; ++i) places += "$ARGUMENTS ";
  bench.folder().write("work/.claude/skills/s/SKILL.md", places);
  const auto ran = bench.ask("go");
  EXPECT_EQ(text_of_result(ran.of_type("user").at(0)),
            "The text with its arguments is over 512 KB.");
  EXPECT_EQ(ran.result()["result"], "Done.");
}

/// The API refuses a text between two results.
TEST(Skills, TheTextsComeBehindTheResultsOfAllCalls) {
  Bench bench(skill_calls({R"({"skill":"a"})", R"({"skill":"b"})"}));
  bench.folder().write("work/.claude/skills/a/SKILL.md", "Text of a.\n");
  bench.folder().write("work/.claude/skills/b/SKILL.md", "Text of b.\n");
  const auto ran = bench.ask("go");
  const auto content = ran.requests.at(1)["messages"].back()["content"];
  ASSERT_EQ(content.size(), 4U);
  EXPECT_EQ(content[0]["type"], "tool_result");
  EXPECT_EQ(content[1]["type"], "tool_result");
  EXPECT_EQ(content[2]["type"], "text");
  EXPECT_EQ(content[3]["type"], "text");
}

TEST(Skills, AResumedSessionStillHoldsTheText) {
  Bench bench(skill_calls({R"({"skill":"a"})", R"({"skill":"b"})"}));
  bench.folder().write("work/.claude/skills/a/SKILL.md", "Text of a.\n");
  bench.folder().write("work/.claude/skills/b/SKILL.md", "Text of b.\n");
  const auto first = bench.ask("go").requests.at(1)["messages"];
  const auto again = bench.ask("more", {"--continue"}).requests.back()["messages"];
  ASSERT_EQ(again.size(), first.size() + 2);
  const auto types = [](const Document& message) {
    std::string all;
    for (const auto& block : message["content"]) all += block.value("type", "") + " ";
    return all;
  };
  EXPECT_EQ(types(again[2]), "tool_result tool_result text text ");
  EXPECT_EQ(texts(again[2]), texts(first[2]));
}

TEST(Skills, UnknownAndReservedOnesAreRefused) {
  Bench bench(skill_calls({R"({"skill":"gret"})", R"({"skill":"deploy"})", R"({"skill":"all"})"}));
  bench.folder().write("work/.claude/skills/greet/SKILL.md", "Hello.\n");
  bench.folder().write("work/.claude/skills/deploy/SKILL.md",
                       "---\ndisable-model-invocation: true\n---\nSecret steps.\n");
  bench.folder().write("work/.claude/skillsets/all.json", R"(["greet","deploy"])");
  const auto ran = bench.ask("go");
  auto users = ran.of_type("user");
  ASSERT_EQ(users.size(), 3U);
  // Results come as they finish.
  std::ranges::sort(users, {}, [](const Document& user) {
    return user["message"]["content"][0].value("tool_use_id", "");
  });
  EXPECT_EQ(text_of_result(users[0]),
            "<tool_use_error>Unknown skill: gret. Did you mean greet?</tool_use_error>");
  EXPECT_EQ(users[0]["message"]["content"][0]["is_error"], true);
  EXPECT_FALSE(users[0].contains("tool_result_meta"));  // it was not a matter of permission
  EXPECT_TRUE(text_of_result(users[1]).contains("disable-model-invocation"));
  EXPECT_TRUE(text_of_result(users[2]).contains("disable-model-invocation"));
  EXPECT_FALSE(listed(ran).contains("deploy"));
  EXPECT_FALSE(ran.requests.at(1).dump().contains("Secret steps."));
}

TEST(Skills, ADenyRuleHolds) {
  Bench bench(skill_calls({R"({"skill":"greet"})"}));
  bench.folder().write("work/.claude/skills/greet/SKILL.md", "Hello.\n");
  const auto ran =
      bench.ask("go", {"--settings", R"x({"permissions":{"deny":["Skill(greet)"]}})x"});
  EXPECT_EQ(ran.result()["permission_denials"].size(), 1U);
  EXPECT_EQ(ran.of_type("user").size(), 1U);
}

TEST(Skills, EveryPlaceIsLookedAtAndTheFirstOfANameCounts) {
  Bench bench(skill_calls({R"({"skill":"both"})"}));
  bench.folder().write("home/.claude/skills/own/SKILL.md", "Own one.\n");
  bench.folder().write("home/.claude/skills/twice/SKILL.md", "Twice of the user.\n");
  bench.folder().write("work/.claude/skills/twice/SKILL.md", "Twice of the project.\n");
  bench.folder().write("work/.claude/library/deep/er/taught/SKILL.md", "Taught one.\n");
  bench.folder().write("work/.claude/skillsets/both.json", R"(["own","taught","missing"])");
  bench.folder().write("work/.claude/skillsets/broken.json", R"(["own")");
  const auto ran = bench.ask("go");
  EXPECT_EQ(ran.events()[0]["skills"], Document({"both", "own", "taught", "twice"}));
  EXPECT_TRUE(listed(ran).contains("- twice: Twice of the user."));
  const auto text = texts(ran.of_type("user").at(1)["message"]);
  EXPECT_LT(text.find("Own one."), text.find("Taught one."));
  EXPECT_TRUE(text.contains("Taught one."));
  EXPECT_TRUE(text.contains("There is no skill missing."));
}

TEST(Skills, SourcesCanBeLeftOut) {
  Bench bench;
  bench.folder().write("home/.claude/skills/own/SKILL.md", "Own.\n");
  bench.folder().write("work/.claude/skills/shared/SKILL.md", "Shared.\n");
  bench.folder().write("config/skills/elsewhere/SKILL.md", "Elsewhere.\n");
  const auto skills = [&](std::vector<std::string> words) {
    return bench.ask("hi", std::move(words)).events()[0]["skills"];
  };
  EXPECT_EQ(skills({}), Document({"own", "shared"}));
  EXPECT_EQ(skills({"--setting-sources", "user"}), Document({"own"}));
  EXPECT_EQ(skills({"--setting-sources", "project"}), Document({"shared"}));
  EXPECT_EQ(skills({"--bare"}), Document::array());
  const auto disabled = bench.ask("hi", {"--disable-slash-commands", "--tools", "Skill"});
  EXPECT_EQ(disabled.events()[0]["skills"], Document::array());
  EXPECT_EQ(disabled.events()[0]["tools"], Document::array());
  bench.set("CLAUDE_CONFIG_DIR=" + (bench.folder() / "config").string());
  EXPECT_EQ(skills({}), Document({"elsewhere", "shared"}));
}

/// A repository must not make us send other files of this machine, nor wait for ever.
TEST(Skills, SkipsLinksOutOfTheWorkspaceAndSpecialFiles) {
  Bench bench;
  bench.folder().write("outside/evil/SKILL.md", "Outside.\n");
  bench.folder().write("work/.claude/skills/good/SKILL.md", "Good.\n");
  bench.folder().write("work/.claude/skills/big/SKILL.md", std::string(300 << 10, 'x'));
  bench.folder().write("work/.claude/skills/binary/SKILL.md", std::string("a\0b", 3));
  const auto skills = bench.work() / ".claude/skills";
  std::filesystem::create_directory_symlink(bench.folder() / "outside/evil", skills / "evil");
  std::filesystem::create_directory_symlink(skills, skills / "loop");
  for (const auto* name : {"linked", "pipe", "device"}) {
    std::filesystem::create_directory(skills / name);
  }
  std::filesystem::create_symlink(bench.folder() / "outside/evil/SKILL.md",
                                  skills / "linked/SKILL.md");
  ASSERT_EQ(::mkfifo((skills / "pipe/SKILL.md").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", skills / "device/SKILL.md");
  EXPECT_EQ(bench.ask("hi").events()[0]["skills"], Document({"good"}));
}

/// What the user links to is the user's business.
TEST(Skills, TheUsersOwnMayBeLinks) {
  Bench bench;
  bench.folder().write("outside/far/SKILL.md", "Far.\n");
  std::filesystem::create_directories(bench.home() / ".claude/skills");
  std::filesystem::create_directory_symlink(bench.folder() / "outside/far",
                                            bench.home() / ".claude/skills/far");
  EXPECT_EQ(bench.ask("hi").events()[0]["skills"], Document({"far"}));
}

TEST(Skills, AListTooLongNamesWhatItCan) {
  Bench bench;
  for (int i = 100; i < 500; ++i) {
    bench.folder().write(fmt::format("work/.claude/skills/skill-{}/SKILL.md", i),
                         std::string(2000, 'x'));
  }
  const auto list = listed(bench.ask("hi"));
  EXPECT_LT(list.size(), 20'000U);
  EXPECT_TRUE(list.contains("skill-100: xxx"));
  EXPECT_TRUE(list.contains("skill-499\n") || list.ends_with("skill-499"));
}

}  // namespace
}  // namespace ralph::wire
