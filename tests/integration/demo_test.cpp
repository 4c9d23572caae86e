// `ralph demo` as a newcomer starts it.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>

#include "integration/agent_harness.h"

namespace ralph::agent_process {
namespace {

/// Live processes whose environment names the folder.
int alive_in(const std::filesystem::path& folder) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    if (test::text_of(entry.path() / "environ").contains(folder.native())) ++found;
  }
  return found;
}

/// A user whose own setup would spoil everything.
class Newcomer : public Stage {
 public:
  Newcomer() { folder().write("home/.gitconfig", "[commit]\n\tgpgsign = true\n[broken\n"); }

  std::filesystem::path left() const { return folder() / "demo"; }
  std::filesystem::path shop() const { return left() / "shop"; }
  process::Command demo() const {
    auto made = command({ralph(), "demo", "--keep", left().string()});
    made.env.insert(made.env.end(), {{"TERM", "xterm"},
                                     {"GIT_DIR", "/nowhere"},
                                     {"RALPH_MAX_ITERATIONS", "1"},
                                     {"RALPH_QUIET", "1"},
                                     {"ANTHROPIC_MODEL", "no-such-model"},
                                     {"http_proxy", "http://127.0.0.1:1"}});
    return made;
  }
  std::string git(std::vector<std::string> words) const {
    words.insert(words.begin(), {"/usr/bin/git", "-C", shop().string()});
    auto made = command(std::move(words));
    made.env.push_back({"HOME", left().string()});
    return run(made).out;
  }
};

void expect_in_order(std::string_view text, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (const auto& part : parts) {
    const auto found = text.find(part, at);
    ASSERT_NE(found, text.npos) << "missing or too early: " << part << "\n" << text;
    at = found + part.size();
  }
}

TEST(Demo, ShowsTheBugTheRefusalTheRepairAndItsCost) {
  const Newcomer newcomer;
  const auto ran = newcomer.run(newcomer.demo());
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  EXPECT_EQ(ran.err, "");
  expect_in_order(ran.out, {newcomer.shop().string(),
                            "$ cat receipt.sh\n",
                            "$ sh test.sh\n",
                            "FAILED  three apples",
                            "ralph loop GOAL.md",
                            "— iteration 1",
                            "[Tool] Read: receipt.sh",
                            "[Tool] Edit: receipt.sh",
                            "committed ",
                            "— iteration 2",
                            "[Tool] Edit: receipt.sh",
                            "DONE refused by verification: `sh test.sh` failed: exit code 1\n",
                            "got 'total 8. 5'",
                            "— iteration 3",
                            "[Tool] Edit: receipt.sh",
                            "verified",
                            "--- Loop Complete ---",
                            "Time  ",
                            "Cost  ",
                            "$ sh test.sh\n",
                            "ok      a whole basket\n",
                            "$ git log --oneline\n",
                            "A receipt\n",
                            "$ git diff HEAD~3\n",
                            "+printf 'total %d.%02d",
                            "$ ralph status\n",
                            "Elapsed  ",
                            "Cost  ",
                            "$ cd " + newcomer.shop().string() + "\n",
                            "$ ralph replay -v .ralph/logs/builtin/",
                            "$ git log -p\n"});
}

TEST(Demo, LeavesTheRepairedProgramThreeCommitsAndNothingElse) {
  const Newcomer newcomer;
  EXPECT_EQ(newcomer.run(newcomer.demo()).code(), 0);
  EXPECT_EQ(alive_in(newcomer.folder().path()), 0);
  EXPECT_EQ(newcomer.git({"rev-list", "--count", "HEAD~3..HEAD"}), "3\n");
  EXPECT_EQ(newcomer.git({"rev-list", "--count", "HEAD"}), "4\n");
  EXPECT_TRUE(test::text_of(newcomer.shop() / "receipt.sh").contains("%d.%02d"));
  EXPECT_EQ(newcomer.files().size(), 1U) << "the user's home is as it was";
  EXPECT_TRUE(newcomer.requests().empty()) << "the user's own API was asked";
}

TEST(Demo, WhatItTellsToTypeWorks) {
  const Newcomer newcomer;
  const auto out = newcomer.run(newcomer.demo()).out;
  const auto from = out.rfind("$ cd ");
  ASSERT_NE(from, out.npos) << out;
  for (const std::string program : {"ralph replay", "git log", "ralph undo"}) {
    const auto at = out.find(program, from);
    ASSERT_NE(at, out.npos) << program;
    const auto begin = out.rfind("\n$ ", at) + 3;
    const auto line = out.substr(begin, out.find('\n', at) - begin);
    auto typed = newcomer.command({"/bin/sh", "-c", line});
    typed.cwd = newcomer.shop();
    typed.env.push_back({"HOME", newcomer.left().string()});
    const auto ran = newcomer.run(typed);
    EXPECT_EQ(ran.code(), 0) << line << ran.err;
    EXPECT_FALSE(ran.out.empty()) << line;
    EXPECT_EQ(ran.err, "") << line;
  }
}

TEST(Demo, OnATerminalTheLoopHasItsStatusLine) {
  const Newcomer newcomer;
  auto command = newcomer.demo();
  command.transport = process::Transport::pty;
  const auto ran = newcomer.run(command);
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  EXPECT_TRUE(ran.out.contains("iteration 1/50 | ")) << ran.out;
  EXPECT_EQ(alive_in(newcomer.folder().path()), 0);
}

TEST(Demo, CtrlCEndsEverythingAndKeepsTheFolder) {
  const Newcomer newcomer;
  // Once the loop has begun no shell comes to an end by itself.
  newcomer.folder().write(
      "bin/sh", "#!/bin/sh\n[ -d .ralph ] && exec sleep 1000\nexec /bin/sh \"$@\"\n", 0700);
  bool sent = false;
  const auto ran = newcomer.run(newcomer.demo(), [&](std::string_view so_far, auto& watch) {
    const bool middle = so_far.contains("[Tool] Bash: sh test.sh");
    if (middle && !std::exchange(sent, true)) watch.send_signal(SIGINT);
  });
  EXPECT_TRUE(sent) << ran.out;
  EXPECT_EQ(ran.code(), 130) << ran.err;
  EXPECT_EQ(ran.exit.strays, 0) << "it left its own children to us";
  EXPECT_TRUE(ran.err.contains("stopped")) << ran.err;
  EXPECT_EQ(alive_in(newcomer.folder().path()), 0);
  EXPECT_TRUE(std::filesystem::exists(newcomer.shop() / "receipt.sh"));
}

}  // namespace
}  // namespace ralph::agent_process
