#include "harness/loop/direnv.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "support/temp_folder.h"
#include "system/process/capture.h"
#include "system/process/harness.h"

namespace ralph::loop {
namespace {

using process::EnvChange;
using test::TempFolder;

/// A workspace, and a home for what direnv remembers. The real direnv is asked.
struct DirenvBench {
  TempFolder folder, home;
  std::string mark = random_hex(8);
  std::vector<EnvChange> env = {{"HOME", home.path().native()},
                                {"XDG_DATA_HOME", {}},
                                {"XDG_CONFIG_HOME", {}},
                                {"XDG_CACHE_HOME", {}},
                                {"DIRENV_CONFIG", {}},
                                {"DIRENV_DIR", {}},
                                {"DIRENV_DIFF", {}},
                                {"DIRENV_WATCHES", {}},
                                {"DIRENV_FILE", {}},
                                {"RALPH_TEST_GONE", "here"},
                                {"RALPH_TEST_MARK", mark}};

  void envrc(std::string_view text, bool allow = true) const {
    folder.write(".envrc", text);
    if (!allow) return;
    const process::Command command{
        .argv = {"direnv", "allow"}, .cwd = folder.path(), .env = env, .terminal = {}};
    const auto ran = process::capture(command, {});
    ASSERT_TRUE(ran) << "direnv is missing: scripts/setup test";
    ASSERT_TRUE(ran->ok()) << ran->err;
  }
  Envrc load() const { return load_envrc(folder.path(), env); }
};

const EnvChange* find(const Envrc& envrc, std::string_view name) {
  const auto found = std::ranges::find(envrc.env, name, &EnvChange::name);
  return found == envrc.env.end() ? nullptr : &*found;
}

TEST(Direnv, WithoutAnEnvrcNothingHappens) {
  const DirenvBench bench;
  const auto envrc = bench.load();
  EXPECT_TRUE(envrc.env.empty());
  EXPECT_TRUE(envrc.warnings.empty());
}

TEST(Direnv, AnEnvrcThatIsAllowedCounts) {
  const DirenvBench bench;
  bench.envrc("export RALPH_TEST_A='1\n2'\nunset RALPH_TEST_GONE\n");
  const auto envrc = bench.load();
  EXPECT_TRUE(envrc.warnings.empty()) << envrc.warnings.front();
  const auto* set = find(envrc, "RALPH_TEST_A");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->value, "1\n2");
  const auto* gone = find(envrc, "RALPH_TEST_GONE");
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->value, std::nullopt);
}

TEST(Direnv, AnEnvrcThatIsNotAllowedIsNamedAndNotRun) {
  const DirenvBench bench;
  bench.envrc("touch ran; export RALPH_TEST_A=1\n", false);
  for (int i = 0; i < 2; ++i) {
    const auto envrc = bench.load();
    EXPECT_TRUE(envrc.env.empty());
    ASSERT_EQ(envrc.warnings.size(), 1U);
    EXPECT_NE(envrc.warnings[0].find("direnv allow"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(bench.folder / "ran"));
}

TEST(Direnv, ABrokenEnvrcIsAWarning) {
  const DirenvBench bench;
  bench.envrc("export RALPH_TEST_A=1; exit 3\n");
  const auto failed = bench.load();
  EXPECT_TRUE(failed.env.empty());
  ASSERT_EQ(failed.warnings.size(), 1U);
  EXPECT_NE(failed.warnings[0].find("exit status 3"), std::string::npos) << failed.warnings[0];
  EXPECT_EQ(failed.warnings[0].find('\x1b'), std::string::npos);

  bench.envrc("if\n");
  const auto syntax = bench.load();
  ASSERT_EQ(syntax.warnings.size(), 1U);
  EXPECT_NE(syntax.warnings[0].find("syntax error"), std::string::npos) << syntax.warnings[0];
}

TEST(Direnv, AnEndlessEnvrcIsEnded) {
  const DirenvBench bench;
  bench.envrc("trap '' TERM; while :; do sleep 1; done\n");
  const auto envrc = load_envrc(bench.folder.path(), bench.env, Millis{1000});
  EXPECT_TRUE(envrc.env.empty());
  ASSERT_EQ(envrc.warnings.size(), 1U);
  EXPECT_NE(envrc.warnings[0].find("longer than 1s"), std::string::npos) << envrc.warnings[0];
  EXPECT_TRUE(process::alive_with_mark(bench.mark).empty());
}

TEST(Direnv, WithoutDirenvNothingHappens) {
  DirenvBench bench;
  bench.envrc("export RALPH_TEST_A=1\n");
  bench.env.push_back({"PATH", bench.home.path().native()});
  const auto envrc = bench.load();
  EXPECT_TRUE(envrc.env.empty());
  EXPECT_TRUE(envrc.warnings.empty());
}

}  // namespace
}  // namespace ralph::loop
