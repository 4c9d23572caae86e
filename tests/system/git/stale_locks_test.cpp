#include "system/git/stale_locks.h"

#include <chrono>
#include <thread>

#include "system/git/harness.h"
#include "system/git/old_files.h"

namespace ralph::git {
namespace {

TEST_F(GitWork, LocksOfAKilledGitAreRemoved) {
  first_commit();
  const auto began = good(file_time_now(repo()));
  for (const auto* name : {".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock"}) {
    write(name, "");
  }
  write(".git/config.lock", "");  // not one that a commit leaves
  const auto work = open();
  EXPECT_EQ(remove_stale_locks(work.program(), std::string(kMain), began).size(), 3U);
  EXPECT_FALSE(there(".git/index.lock") || there(".git/HEAD.lock"));
  EXPECT_FALSE(there(".git/refs/heads/main.lock"));
  EXPECT_TRUE(there(".git/config.lock"));
}

TEST_F(GitWork, ALockFromBeforeIsNotOurs) {
  first_commit();
  write(".git/HEAD.lock", "");
  const auto began = good(file_time_now(repo()));
  EXPECT_TRUE(remove_stale_locks(open().program(), std::string(kMain), began).empty());
  EXPECT_TRUE(there(".git/HEAD.lock"));
}

TEST_F(GitWork, ALockStaysWhileAGitWorksThere) {
  first_commit();
  const auto began = good(file_time_now(repo()));
  write(".git/HEAD.lock", "");
  const auto line =
      fmt::format("cd '{}' && exec git cat-file --batch-check >../answer", repo().native());
  std::FILE* git = ::popen(line.c_str(), "w");
  std::fputs("HEAD\n", git);
  std::fflush(git);
  while (!fs::exists(folder_ / "answer") || fs::file_size(folder_ / "answer") == 0) {
    std::this_thread::yield();  // it runs once it has answered
  }
  EXPECT_TRUE(remove_stale_locks(open().program(), std::string(kMain), began).empty());
  EXPECT_TRUE(there(".git/HEAD.lock"));
  ::pclose(git);
  EXPECT_EQ(remove_stale_locks(open().program(), std::string(kMain), began).size(), 1U);
}

}  // namespace
}  // namespace ralph::git
