#include "agent/instructions/instruction_files.h"

#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

std::string first_message(const Ran& ran) { return texts(ran.requests.at(0)["messages"][0]); }

TEST(Memory, InstructionsOfTheUserAndTheFoldersComeFirst) {
  Bench bench;
  bench.folder().write("home/.claude/CLAUDE.md", "Users rule.\n");
  bench.folder().write("CLAUDE.md", "Upper rule.\n");
  bench.folder().write("work/CLAUDE.md", "Project rule.\nSee @notes/more.md for more.\n");
  bench.folder().write("work/notes/more.md", "Imported rule.\n");
  bench.folder().write("work/CLAUDE.local.md", "Local rule.\n");
  const auto text = first_message(bench.ask("hi"));
  const auto at = [&](std::string_view rule) { return text.find(rule); };
  EXPECT_LT(at("Users rule."), at("Upper rule."));
  EXPECT_LT(at("Upper rule."), at("Project rule."));
  EXPECT_LT(at("Project rule."), at("Imported rule."));
  EXPECT_LT(at("Imported rule."), at("Local rule."));
  EXPECT_NE(at("Local rule."), text.npos);
  EXPECT_TRUE(text.ends_with("hi"));
}

TEST(Memory, AgentsFileWhereThereIsNoOther) {
  Bench bench;
  bench.folder().write("work/AGENTS.md", "Agents rule.\n");
  EXPECT_TRUE(first_message(bench.ask("hi")).contains("Agents rule."));
  bench.folder().write("work/CLAUDE.md", "Claude rule.\n");
  const auto text = texts(bench.ask("hi").requests.back()["messages"][0]);
  EXPECT_TRUE(text.contains("Claude rule."));
  EXPECT_FALSE(text.contains("Agents rule."));
}

/// A repository must not make us send other files of this machine.
TEST(Memory, AProjectImportsOnlyFromItsOwnFolder) {
  Bench bench;
  bench.folder().write("home/secret.md", "The secret.\n");
  bench.folder().write("outside.md", "The outside.\n");
  bench.folder().write("work/CLAUDE.md",
                       "Rule. @~/secret.md @../outside.md @link.md @/etc/hostname\n");
  std::filesystem::create_symlink(bench.folder() / "outside.md", bench.work() / "link.md");
  const auto text = first_message(bench.ask("hi"));
  EXPECT_TRUE(text.contains("Rule."));
  EXPECT_FALSE(text.contains("The secret."));
  EXPECT_FALSE(text.contains("The outside."));
}

TEST(Memory, LoopsCodeAndLargeFilesAreHarmless) {
  Bench bench;
  bench.folder().write("work/CLAUDE.md",
                       "One. @CLAUDE.md @two.md `@three.md`\n```\n@three.md\n```\n@big.md\n");
  bench.folder().write("work/two.md", "Two. @CLAUDE.md\n");
  bench.folder().write("work/three.md", "Three.\n");
  bench.folder().write("work/big.md", std::string(300 << 10, 'x'));
  const auto text = first_message(bench.ask("hi"));
  EXPECT_TRUE(text.contains("Two."));
  EXPECT_FALSE(text.contains("Three."));
  EXPECT_LT(text.size(), 10'000U);
}

/// The repository decides what these files are, the user what may be read.
TEST(Memory, RulesAgainstReadingHoldForImportsAndLinks) {
  Bench bench;
  bench.folder().write("work/.env", "The secret.\n");
  bench.folder().write("work/CLAUDE.md", "Rule. @.env\n");
  const std::vector<std::string> rule{"--disallowedTools", "Read(.env)"};
  auto text = first_message(bench.ask("hi", rule));
  EXPECT_TRUE(text.contains("Rule."));
  EXPECT_TRUE(text.contains("a permission rule denies reading this file"));
  EXPECT_FALSE(text.contains("The secret."));
  for (const auto* const name : {"CLAUDE.md", "AGENTS.md", "CLAUDE.local.md"}) {
    std::filesystem::remove(bench.work() / "CLAUDE.md");
    std::filesystem::create_symlink(".env", bench.work() / name);
    text = texts(bench.ask("hi", rule).requests.back()["messages"][0]);
    EXPECT_FALSE(text.contains("The secret.")) << name;
    std::filesystem::remove(bench.work() / name);
  }
}

TEST(Memory, AMegabyteOfInstructionsAtMost) {
  Bench bench;
  std::string imports;
  for (int i = 0; i < 10; ++i) {
    const auto name = "part" + std::to_string(i);
    bench.folder().write("work/" + name, std::string(200 << 10, 'x'));
    imports += "@" + name + "\n";
  }
  bench.folder().write("work/CLAUDE.md", imports);
  const auto text = first_message(bench.ask("hi"));
  EXPECT_LT(text.size(), std::size_t{1} << 20);
  EXPECT_TRUE(text.contains("with all that follows: instructions of more than 1024 KB"));
}

TEST(Memory, SourcesCanBeLeftOut) {
  Bench bench;
  bench.folder().write("home/.claude/CLAUDE.md", "Users rule.\n");
  bench.folder().write("work/CLAUDE.md", "Project rule.\n");
  const auto text = first_message(bench.ask("hi", {"--setting-sources", "user"}));
  EXPECT_TRUE(text.contains("Users rule."));
  EXPECT_FALSE(text.contains("Project rule."));
  const auto none = texts(bench.ask("hi", {"--setting-sources="}).requests.back()["messages"][0]);
  EXPECT_FALSE(none.contains("rule."));
}

}  // namespace
}  // namespace ralph::wire
