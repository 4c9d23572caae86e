#include "harness/backend/harness.h"

namespace ralph::backend {
namespace {

TEST(Choose, ANamedBackendNeedsNotBeInstalled) {
  const Machine machine{Words{}};
  EXPECT_EQ(choose("claude", machine.host), find_backend("claude"));
  EXPECT_EQ(choose("custom", machine.host), find_backend("custom"));
}

TEST(Choose, AutoTakesTheFirstItCanDrive) {
  const Machine machine({"codex", "claude"});
  EXPECT_EQ(choose("auto", machine.host), find_backend("claude"));
}

TEST(Choose, AutoTakesRalphsOwnAgentWhenThereIsNoOther) {
  const Machine machine({"codex", "cursor-agent"});
  machine.install("claude", 0644);
  EXPECT_EQ(choose("auto", machine.host), find_backend("builtin"));
}

TEST(Choose, AnAgentThatIsNotDrivenIsNamed) {
  const Machine machine({"codex"});
  for (const auto& candidate : candidates()) {
    if (candidate.backend != nullptr) continue;
    const auto chosen = choose(candidate.name, machine.host);
    ASSERT_FALSE(chosen) << candidate.name;
    EXPECT_EQ(chosen.error().code, Code::usage);
    EXPECT_EQ(chosen.error().message, "backend '" + std::string(candidate.name) +
                                          "' is not available yet; use claude, builtin or custom");
  }
}

TEST(Choose, AMisspeltNameGetsTheListAndTheNearest) {
  const Machine machine;
  const auto chosen = choose("cluade", machine.host);
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code, Code::usage);
  EXPECT_EQ(
      chosen.error().message,
      "backend 'cluade' is unknown; known backends: auto, claude, builtin, custom, codex, gemini, "
      "copilot, opencode, qwen, pi, amp, cursor, kiro");
  EXPECT_EQ(chosen.error().hint, "did you mean 'claude'?");
}

TEST(Candidates, AreInTheOrderOfPreference) {
  Words names;
  for (const auto& candidate : candidates()) names.emplace_back(candidate.name);
  EXPECT_EQ(names, (Words{"claude", "codex", "gemini", "copilot", "opencode", "qwen", "pi", "amp",
                          "cursor", "kiro", "builtin"}));
}

TEST(FindProgram, LooksIntoThePathOfTheAgent) {
  Machine machine;
  EXPECT_EQ(find_program("claude", machine.host), machine.folder / "bin" / "claude");
  machine.host.own_env = {{"PATH", (machine.folder / "home").string()}};
  const auto gone = find_program("claude", machine.host);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, Code::not_found);
  EXPECT_TRUE(gone.error().hint.contains("npm install")) << gone.error().hint;
}

TEST(FindProgram, ARelativePathBeginsInTheWorkspace) {
  Machine machine;
  machine.folder.write("work/agent", "#!/bin/sh\n", 0755);
  machine.folder.write("work/text", "", 0644);
  EXPECT_EQ(find_program("./agent", machine.host), machine.folder / "work" / "agent");
  EXPECT_EQ(find_program("./none", machine.host).error().code, Code::not_found);
  EXPECT_EQ(find_program("./", machine.host).error().code, Code::not_found);
  EXPECT_EQ(find_program("./text", machine.host).error().code, Code::permission);
}

TEST(Variable, TheRunsOwnChangesComeFirst) {
  Host host;
  host.environment = {"A=1", "AB=2", "B="};
  host.own_env = {{"A", "3"}, {"C", "4"}, {"AB", std::nullopt}};
  EXPECT_EQ(variable(host, "A"), "3");
  EXPECT_EQ(variable(host, "AB"), std::nullopt);
  EXPECT_EQ(variable(host, "B"), "");
  EXPECT_EQ(variable(host, "C"), "4");
  EXPECT_EQ(variable(host, "D"), std::nullopt);
}

TEST(StatePaths, AreInTheHomeOrWhereTheVariableSays) {
  Machine machine;
  const auto home = machine.folder / "home";
  using Paths = std::vector<std::filesystem::path>;
  EXPECT_EQ(state_paths(*find_backend("claude"), machine.host),
            (Paths{home / ".claude", home / ".claude.json"}));
  machine.set("CLAUDE_CONFIG_DIR=/elsewhere");
  EXPECT_EQ(state_paths(*find_backend("claude"), machine.host), (Paths{"/elsewhere"}));
  EXPECT_EQ(state_paths(*find_backend("custom"), machine.host), Paths{});
}

}  // namespace
}  // namespace ralph::backend
