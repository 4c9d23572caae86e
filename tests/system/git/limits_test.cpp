// How long a call of git may take, and who ends it.
#include <stop_token>
#include <thread>

#include "system/git/harness.h"
#include "system/git/old_files.h"
#include "system/git/program.h"

namespace ralph::git {
namespace {

/// A `git` that does not end for some words, first in PATH.
class GitLimits : public GitWork {
 protected:
  void SetUp() override {
    GitWork::SetUp();
    if (IsSkipped()) return;
    first_commit();
    path_ = std::getenv("PATH");
    ::setenv("PATH", fmt::format("{}/bin:{}", folder_.path().native(), path_).c_str(), 1);
    when("none", "true");  // it is found once
  }
  void TearDown() override {
    if (!path_.empty()) ::setenv("PATH", path_.c_str(), 1);
  }
  /// Calls of this subcommand do `instead` first.
  void when(std::string_view word, std::string_view instead) const {
    folder_.write("bin/git",
                  fmt::format("#!/bin/sh\ncase \" $* \" in *' {} '*) {} ;; esac\n"
                              "PATH='{}' exec git \"$@\"\n",
                              word, instead, path_),
                  0755);
  }
  Program program(CallLimits limits) const {
    auto program = *Program::find();
    program.set_limits(std::move(limits));
    program.pin(repo(), repo() / ".git");
    return program;
  }
  Worktree open_with(CallLimits limits) const {
    Error why;
    auto work = Worktree::open(repo(), why, std::move(limits));
    EXPECT_TRUE(work && *work) << why.message;
    return **std::move(work);
  }

  std::string path_;
};

TEST_F(GitLimits, ACallThatReadsIsEnded) {
  when("status", "sleep 1000");
  const auto text = program({Millis{1}}).ask({{"status"}});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::limit);
  EXPECT_NE(text.error().message.find("'git status' in"), std::string::npos);
  EXPECT_NE(text.error().message.find("took longer than 1ms (git_timeout)"), std::string::npos)
      << text.error().message;
  EXPECT_NE(text.error().hint.find("--git-timeout"), std::string::npos);
}

TEST_F(GitLimits, ACallThatChangesSomethingHasNone) {
  for (const std::string_view word :
       {"add", "commit", "stash", "checkout", "reset", "update-ref", "clean", "read-tree"}) {
    EXPECT_TRUE(changes_something(word)) << word;
  }
  for (const std::string_view word : {"status", "diff-tree", "rev-list", "ls-files", "config"}) {
    EXPECT_FALSE(changes_something(word)) << word;
  }
  when("write-tree", "sleep 0.1");
  EXPECT_EQ(good(program({Millis{1}}).ask_line({{"write-tree"}})), git("rev-parse 'HEAD^{tree}'"));
}

TEST_F(GitLimits, AStopEndsTheCallThatRuns) {
  std::stop_source source;
  const auto work = open_with({Millis{0}, source.get_token()});
  write("a", "two\n");
  const auto begun = (folder_ / "begun").native();
  when("commit", fmt::format("touch '{}'; sleep 1000", begun));
  std::jthread stopper([&](const std::stop_token& over) {
    while (!fs::exists(begun) && !over.stop_requested()) std::this_thread::yield();
    source.request_stop();
  });
  const auto commit = work.commit("never", kMain);
  stopper.request_stop();
  stopper.join();
  ASSERT_FALSE(commit);
  EXPECT_NE(commit.error().message.find("'git commit' in"), std::string::npos);
  EXPECT_NE(commit.error().message.find("ralph was asked to stop"), std::string::npos);
  when("none", "true");
  EXPECT_NE(good(work.commit("later", kMain)), "") << "later calls are not ended";
}

TEST_F(GitLimits, TheTimeOfFilesIsThatOfTheirDisk) {
  write("old", "o");
  const auto time = good(file_time_now(repo()));
  write("new", "n");
  EXPECT_TRUE(born_before(repo() / "old", time));
  EXPECT_FALSE(born_before(repo() / "new", time));
  EXPECT_EQ(shell("ls -A"), ".git\na\nnew\nold") << "nothing is left";
  EXPECT_FALSE(file_time_now(folder_ / "missing"));
}

}  // namespace
}  // namespace ralph::git
