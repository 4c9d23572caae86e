#include "harness/loop/file_swap.h"

#include <fstream>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/loop/file_recovery.h"
#include "support/temp_folder.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;
using Kind = FileVersion::Kind;

struct SwapBench {
  test::TempFolder folder, outside;
  store::UserState user{folder.path(), outside / "ralph"};
  SwapBench() { EXPECT_TRUE(user.prepare()); }
  Result<FileSwap> begin(const std::vector<FileSwap::Wanted>& wanted) const {
    return FileSwap::begin(folder.path(), wanted, &user);
  }
  FileSwap::PutBack recover() const { return recover_files(folder.path(), &user); }
  /// A ralph that is killed with these versions in place.
  void interrupt(const std::vector<FileSwap::Wanted>& wanted) const {
    const auto child = ::fork();
    if (child == 0) {
      const auto swap = begin(wanted);
      ::_exit(swap ? 0 : 1);
    }
    int status = 1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  /// The folder of what is held; empty: there is none.
  fs::path held() const {
    if (!fs::exists(folder / ".ralph/state")) return {};
    for (const auto& entry : fs::directory_iterator(folder / ".ralph/state")) return entry.path();
    return {};
  }
  std::string text(const std::string& name) const { return test::text_of(folder / name); }
};

FileSwap::Wanted file(std::string path, std::string bytes) {
  return {std::move(path), {Kind::file, std::move(bytes), 0644}};
}

TEST(FileSwap, PutsVersionsInAndTheOthersBack) {
  SwapBench bench;
  bench.folder.write("tests/a", "agent's", 0755);
  bench.folder.write("tests/new", "added");
  {
    auto swap = bench.begin({file("tests/a", "start's"), file("gone/b", "b"), {"tests/new", {}}});
    ASSERT_TRUE(swap) << describe(swap.error());
    EXPECT_EQ(swap->changed().size(), 3U);
    EXPECT_EQ(bench.text("tests/a"), "start's");
    EXPECT_EQ(bench.text("gone/b"), "b");
    EXPECT_FALSE(fs::exists(bench.folder / "tests/new"));
    ASSERT_TRUE(swap->end());
  }
  EXPECT_EQ(bench.text("tests/a"), "agent's");
  EXPECT_EQ(fs::status(bench.folder / "tests/a").permissions(), fs::perms(0755));
  EXPECT_EQ(bench.text("tests/new"), "added");
  EXPECT_FALSE(fs::exists(bench.folder / "gone"));
  EXPECT_EQ(bench.held(), "");
}

TEST(FileSwap, WhatIsTheSameIsNotTouched) {
  SwapBench bench;
  bench.folder.write("a", "same", 0644);
  auto swap = bench.begin({file("a", "same")});
  ASSERT_TRUE(swap);
  EXPECT_TRUE(swap->changed().empty());
  EXPECT_EQ(bench.held(), "");
}

TEST(FileSwap, AKilledRalphIsMadeUpFor) {
  SwapBench bench;
  bench.folder.write("a", "agent's");
  bench.folder.write("b", "new");
  bench.interrupt({file("a", "start's"), {"b", {}}, file("c", "start's")});
  EXPECT_EQ(bench.text("a"), "start's");
  const auto recovered = bench.recover();
  EXPECT_EQ(recovered.paths.size(), 3U);
  EXPECT_TRUE(recovered.warnings.empty());
  EXPECT_EQ(bench.text("a"), "agent's");
  EXPECT_EQ(bench.text("b"), "new");
  EXPECT_FALSE(fs::exists(bench.folder / "c"));
  EXPECT_EQ(bench.held(), "");
  EXPECT_TRUE(bench.recover().paths.empty());
}

TEST(FileSwap, AKilledRalphIsMadeUpForInTheFolderItWorkedIn) {
  SwapBench bench;
  bench.folder.write("part/a", "agent's");
  fs::create_directories(bench.folder / "other");
  const auto child = ::fork();
  if (child == 0) {
    const auto swap = FileSwap::begin({bench.folder / "part", bench.folder.path()},
                                      {file("a", "start's")}, &bench.user);
    ::_exit(swap ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(bench.text("part/a"), "start's");
  const auto recovered = recover_files({bench.folder / "other", bench.folder.path()}, &bench.user);
  EXPECT_EQ(recovered.paths.size(), 1U);
  EXPECT_EQ(bench.text("part/a"), "agent's");
  EXPECT_FALSE(fs::exists(bench.folder / "other/a"));
}

TEST(FileSwap, WhatWasNotPutAsideYetStays) {
  SwapBench bench;
  bench.folder.write("a", "agent's");
  fs::create_directories(bench.folder / ".ralph/state/held-1");
  ASSERT_TRUE(save_held(bench.user, {"held-1", {{"a", true, "missing"}}}));
  EXPECT_TRUE(bench.recover().warnings.empty());
  EXPECT_EQ(bench.text("a"), "agent's");
}

TEST(FileSwap, WhatWasWrittenSinceAKillStays) {
  SwapBench bench;
  bench.folder.write("a", "agent's");
  bench.folder.write("b", "agent's");
  bench.interrupt({file("a", "start's"), {"b", {}}, file("c", "start's")});
  for (const auto* name : {"a", "b", "c"}) bench.folder.write(name, "user's");
  const auto recovered = bench.recover();
  EXPECT_TRUE(recovered.paths.empty());
  EXPECT_EQ(recovered.warnings.size(), 3U);
  for (const auto* name : {"a", "b", "c"}) EXPECT_EQ(bench.text(name), "user's");
  ASSERT_NE(bench.held(), "");
  EXPECT_TRUE(recovered.warnings.back().contains(bench.held().native()));
  EXPECT_TRUE(bench.recover().paths.empty());
}

TEST(FileSwap, WhatIsWrittenMeanwhileIsKept) {
  SwapBench bench;
  bench.folder.write("a", "agent's");
  auto swap = bench.begin({file("a", "start's"), file("b", "start's")});
  ASSERT_TRUE(swap);
  bench.folder.write("a", "user's");
  bench.folder.write("b", "user's");
  const auto kept = swap->end();
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->size(), 2U);
  EXPECT_EQ(bench.text("a"), "agent's");
  EXPECT_FALSE(fs::exists(bench.folder / "b"));
  EXPECT_EQ(test::text_of(bench.held() / "changed-0"), "user's");
  EXPECT_EQ(test::text_of(bench.held() / "changed-1"), "user's");
}

TEST(FileSwap, AListInTheWorkspaceIsNotUsed) {
  SwapBench bench;
  bench.folder.write("a", "user's");
  bench.folder.write("b", "user's");
  bench.folder.write(".ralph/state/held/list.json",
                     R"([{"path":"a","existed":false},{"path":"b","existed":true}])");
  bench.folder.write(".ralph/state/held/1", "planted");
  const store::UserState* users[] = {&bench.user, nullptr};
  for (const auto* user : users) {
    const auto recovered = recover_files(bench.folder.path(), user);
    EXPECT_TRUE(recovered.paths.empty());
    EXPECT_EQ(recovered.warnings.size(), 1U);
  }
  EXPECT_EQ(bench.text("a"), "user's");
  EXPECT_EQ(bench.text("b"), "user's");
  EXPECT_EQ(bench.text(".ralph/state/held/1"), "planted");
}

TEST(FileSwap, AChangedListIsNotUsed) {
  SwapBench bench;
  bench.folder.write("a", "agent's");
  bench.interrupt({file("a", "start's")});
  const auto list = bench.user.folder() / "held.json";
  auto text = test::text_of(list);
  text.replace(text.find("true"), 4, "null");
  std::ofstream(list) << text;
  const auto recovered = bench.recover();
  EXPECT_TRUE(recovered.paths.empty());
  EXPECT_EQ(recovered.warnings.size(), 2U);  // the list, and the folder that none names
  EXPECT_EQ(bench.text("a"), "start's");
}

TEST(FileSwap, AHeldFolderThatIsALinkIsNotUsed) {
  SwapBench bench;
  bench.folder.write("a", "agent's");
  bench.interrupt({file("a", "start's")});
  const auto held = bench.held();
  fs::rename(held, bench.outside / "elsewhere");
  fs::create_directory_symlink(bench.outside / "elsewhere", held);
  EXPECT_EQ(bench.recover().warnings.size(), 1U);
  EXPECT_EQ(bench.text("a"), "start's");
  EXPECT_EQ(test::text_of(bench.outside / "elsewhere/0"), "agent's");
}

TEST(FileSwap, NoLinkIsFollowed) {
  SwapBench bench;
  test::TempFolder outside;
  outside.write("a", "mine");
  fs::create_directory_symlink(outside.path(), bench.folder / "tests");
  EXPECT_FALSE(bench.begin({file("tests/a", "start's")}));
  fs::create_symlink(outside / "a", bench.folder / "link");
  {
    auto swap = bench.begin({file("link", "start's")});
    ASSERT_TRUE(swap);
    EXPECT_EQ(bench.text("link"), "start's");
  }
  EXPECT_TRUE(fs::is_symlink(bench.folder / "link"));
  EXPECT_EQ(test::text_of(outside / "a"), "mine");
}

TEST(FileSwap, PathsThatLeadOutAreRefused) {
  SwapBench bench;
  for (const auto* path : {"../x", "/etc/x", "a/../../x", ".git/hooks/x", "", "a//b"}) {
    EXPECT_FALSE(bench.begin({file(path, "x")})) << path;
    ASSERT_TRUE(save_held(bench.user, {"held-1", {{path, true, "missing"}}}));
    EXPECT_TRUE(bench.recover().paths.empty()) << path;
  }
}

TEST(FileSwap, AFolderOrAFifoInTheWayComesBack) {
  SwapBench bench;
  bench.folder.write("a/inside", "kept");
  ASSERT_EQ(::mkfifo((bench.folder / "b").c_str(), 0600), 0);
  {
    const auto swap = bench.begin({file("a", "start's"), file("b", "start's")});
    ASSERT_TRUE(swap) << describe(swap.error());
    EXPECT_EQ(bench.text("a"), "start's");
  }
  EXPECT_EQ(bench.text("a/inside"), "kept");
  EXPECT_TRUE(fs::is_fifo(bench.folder / "b"));
}

}  // namespace
}  // namespace ralph::loop
