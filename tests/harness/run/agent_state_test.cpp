#include <set>

#include "harness/backend/harness.h"
#include "harness/run/sandbox_places_impl.h"
#include "harness/run/state_filter_impl.h"

namespace ralph::run {
namespace {

TEST(StateFilter, RemovesSecretsAtEveryDepth) {
  const auto text = without_secrets(
      R"({"theme":"dark","mcpServers":{"x":{"args":["s1"]}},"projects":{"/o":{"mcpServers":{"x":{"env":{"A":"s2"}}},)"
      R"("hasTrust":true}},"env":{"DATABASE_URL":"postgres://u:s3@h/d","GITHUB_TOKEN":"s4","EDITOR":"vi"},)"
      R"("list":[{"headers":{"X":"s5"}}]})",
      backend::default_backend().state);
  EXPECT_EQ(
      text,
      R"({"theme":"dark","projects":{"/o":{"hasTrust":true}},"env":{"EDITOR":"vi"},"list":[{}]})");
}

TEST(StateFilter, ShowsNothingOfWhatItCannotRead) {
  EXPECT_EQ(without_secrets("not JSON", backend::default_backend().state), "{}");
  EXPECT_EQ(without_secrets("[\"sk\"]", backend::default_backend().state), "{}");
}

/// What our agent is shown of its folders in a strict sandbox.
class StrictState : public ::testing::Test {
 protected:
  backend::Machine machine;
  backend::Plan plan;
  Mounts mounts;

  void show() {
    machine.host.sandbox = backend::SandboxLevel::strict;
    machine.host.own_env = {{"HOME", (machine.folder / "home").string()}};
    plan.backend = backend::find_backend("builtin");
    const auto shown = show_agent_state(mounts, plan, machine.host, machine.folder / "home", "run");
    ASSERT_TRUE(shown) << describe(shown.error());
  }
  bool names(std::string_view part) const {
    return std::ranges::any_of(mounts.words(),
                               [&](const auto& word) { return word.ends_with(part); });
  }
};

TEST_F(StrictState, CopiesOfFilesWithOneNameAreTwo) {
  machine.folder.write("home/.claude/settings.json", "{}");
  machine.folder.write("home/.config/ralph/settings.json", "{}");
  show();
  std::set<std::filesystem::path> names;
  for (const auto& file : plan.private_files) names.insert(file.path);
  EXPECT_EQ(names.size(), 2u);
}

TEST_F(StrictState, OnlyKnownNamesAreShown) {
  for (const auto* name : {".claude/CLAUDE.md", ".claude/settings.json.bak", ".claude/config.json",
                           ".claude/plans/p.md", ".config/ralph/config.yml"}) {
    machine.folder.write(std::string("home/") + name, "x");
  }
  show();
  EXPECT_TRUE(names("CLAUDE.md"));
  EXPECT_FALSE(names("settings.json.bak"));
  EXPECT_FALSE(names("config.json"));
  EXPECT_FALSE(names("plans"));
  EXPECT_FALSE(names("config.yml"));
}

}  // namespace
}  // namespace ralph::run
