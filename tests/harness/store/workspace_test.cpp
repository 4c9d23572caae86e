#include "harness/store/workspace.h"

#include <set>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/store/lock.h"
#include "support/temp_folder.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;
using test::mode_of;
using test::TempFolder;
using test::text_of;
using test::Umask;

const std::set<std::string> kFolders = {"logs", "runs", "state", "tmp"};

void expect_refused(const Result<Workspace>& workspace, const fs::path& path) {
  ASSERT_FALSE(workspace);
  EXPECT_EQ(workspace.error().code, Code::storage);
  EXPECT_NE(workspace.error().message.find(path.native()), std::string::npos)
      << workspace.error().message;
  EXPECT_NE(workspace.error().hint, "") << workspace.error().message;
}

class WorkspaceUnderUmask : public testing::TestWithParam<mode_t> {};
INSTANTIATE_TEST_SUITE_P(Umasks, WorkspaceUnderUmask, testing::Values(0, 022, 077, 0277, 0777));

TEST_P(WorkspaceUnderUmask, EverythingIsTheOwnersAlone) {
  const TempFolder folder;
  const Umask umask(GetParam());
  const auto workspace = Workspace::open(folder.path());
  ASSERT_TRUE(workspace) << describe(workspace.error());
  const auto lock = Lock::take(workspace->lock_file(), LockUser::run);
  const auto temp = TempFile::write(workspace->tmp() / "prompt.md", "text");
  ASSERT_TRUE(lock && temp);
  EXPECT_EQ(mode_of(workspace->root()), 0700u);
  for (const auto& name : kFolders) EXPECT_EQ(mode_of(workspace->root() / name), 0700u) << name;
  EXPECT_EQ(mode_of(workspace->root() / ".gitignore"), 0600u);
  EXPECT_EQ(mode_of(workspace->lock_file().path()), 0600u);
  EXPECT_EQ(mode_of(workspace->tmp().path() / "prompt.md"), 0600u);
}

TEST(Workspace, WhatGitWouldWaitForIsReplaced) {
  const TempFolder folder;
  const auto workspace = Workspace::open(folder.path());
  const auto file = folder / ".ralph/.gitignore";
  const auto usual = text_of(file);
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  ASSERT_TRUE(workspace->check());
  EXPECT_EQ(text_of(file), usual);
  fs::resize_file(file, std::uintmax_t{8} << 30);
  ASSERT_TRUE(workspace->check());
  EXPECT_EQ(text_of(file), usual);
}

TEST(Workspace, GitIgnoresWhatRunsLeaveAndNothingElse) {
  const TempFolder folder;
  ASSERT_TRUE(Workspace::open(folder.path()));
  std::set<std::string> ignored;
  std::istringstream lines(text_of(folder / ".ralph/.gitignore"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) ignored.insert(line);
  }
  EXPECT_EQ(ignored, (std::set<std::string>{"/.gitignore", "/logs/", "/runs/", "/state/", "/tmp/",
                                            "/lock", "/check.running"}));
}

TEST(Workspace, WhatAUserWroteStays) {
  const TempFolder folder;
  folder.write(".ralph/config.yml", "model: opus\n");
  folder.write(".ralph/.gitignore", "mine\n");
  ::chmod((folder / ".ralph/config.yml").c_str(), 0644);
  ::chmod((folder / ".ralph").c_str(), 0755);
  ASSERT_TRUE(Workspace::open(folder.path()));
  ASSERT_TRUE(Workspace::open(folder.path())) << "a second time";
  EXPECT_EQ(text_of(folder / ".ralph/config.yml"), "model: opus\n");
  EXPECT_EQ(text_of(folder / ".ralph/.gitignore"), "mine\n");
  EXPECT_EQ(mode_of(folder / ".ralph/config.yml"), 0644u);
  EXPECT_EQ(mode_of(folder / ".ralph"), 0700u) << "closed to others";
}

TEST(Workspace, PathsAreAbsolute) {
  const TempFolder folder;
  const auto usual = fs::current_path();
  fs::current_path(folder.path());
  const auto here = Workspace::open("");
  const auto dot = Workspace::open(".");
  fs::current_path(usual);
  ASSERT_TRUE(here && dot);
  EXPECT_TRUE(fs::equivalent(here->root(), folder / ".ralph"));
  EXPECT_TRUE(fs::equivalent(dot->root(), folder / ".ralph"));
  EXPECT_EQ(here->run_folder("r1").path().filename(), "r1");
}

TEST(Workspace, ALinkIsRefused) {
  const TempFolder folder;
  fs::create_directory(folder / "elsewhere");
  fs::create_directory_symlink("elsewhere", folder / ".ralph");
  const auto workspace = Workspace::open(folder.path());
  expect_refused(workspace, folder / ".ralph");
  EXPECT_NE(describe(workspace.error()).find("symbolic link"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder / "elsewhere"));
}

TEST(Workspace, ALinkInsideIsRefused) {
  const TempFolder folder;
  fs::create_directories(folder / "elsewhere");
  fs::create_directories(folder / ".ralph");
  fs::create_directory_symlink("../elsewhere", folder / ".ralph/state");
  expect_refused(Workspace::open(folder.path()), folder / ".ralph/state");
}

TEST(Workspace, AFileInItsPlaceIsRefusedAndKept) {
  const TempFolder folder;
  folder.write(".ralph", "mine");
  expect_refused(Workspace::open(folder.path()), folder / ".ralph");
  EXPECT_EQ(text_of(folder / ".ralph"), "mine");
}

TEST(Workspace, AMissingWorkspaceIsRefused) {
  const TempFolder folder;
  expect_refused(Workspace::open(folder / "missing"), folder / "missing");
  EXPECT_FALSE(fs::exists(folder / "missing"));
  folder.write("file", "");
  expect_refused(Workspace::open(folder / "file"), folder / "file");
}

/// Runs in a child, so that neither mounts nor another user id touch the other tests.
template <typename Test>
int exit_code_of(Test test) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(test());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum ChildSays { refused = 0, not_refused = 1, wrong_error = 2, cannot_test = 77 };

int try_to_open(const fs::path& workspace) {
  const auto opened = Workspace::open(workspace);
  if (opened) return not_refused;
  const auto& error = opened.error();
  const bool good = (error.code == Code::storage || error.code == Code::disk_full) &&
                    !error.hint.empty() &&
                    error.message.find((workspace / ".ralph").native()) != std::string::npos;
  return good ? refused : wrong_error;
}

TEST(Workspace, OneThatCannotBeWrittenIsRefused) {
  const TempFolder folder;
  fs::create_directories(folder / "new");
  ASSERT_TRUE(Workspace::open(folder.path()));
  for (const auto name : {"", ".ralph", "new"}) ::chmod((folder / name).c_str(), 0555);
  const auto as_nobody = [&] {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) return int{cannot_test};
    const int known = try_to_open(folder.path());
    return known == refused ? try_to_open(folder / "new") : known;
  };
  const int said = exit_code_of(as_nobody);
  ::chmod(folder.path().c_str(), 0755);
  if (said == cannot_test) GTEST_SKIP() << "cannot become another user";
  EXPECT_EQ(said, refused);
}

TEST(Workspace, OneOnAReadOnlyFileSystemIsRefused) {
  const TempFolder folder;
  ASSERT_TRUE(Workspace::open(folder.path()));
  fs::create_directories(folder / "new");
  const auto read_only = [&] {
    const auto path = folder.path().c_str();
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
        ::mount(path, path, nullptr, MS_BIND, nullptr) ||
        ::mount(path, path, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr)) {
      return int{cannot_test};
    }
    const int known = try_to_open(folder.path());
    return known == refused ? try_to_open(folder / "new") : known;
  };
  const int said = exit_code_of(read_only);
  if (said == cannot_test) GTEST_SKIP() << "cannot mount here";
  EXPECT_EQ(said, refused);
}

TEST(SweepTmp, RemovesWhatIsThereAndNothingItPointsAt) {
  const TempFolder folder;
  const auto workspace = *Workspace::open(folder.path());
  const auto precious = folder.write("precious/file", "x");
  folder.write(".ralph/tmp/prompt.md", "old");
  folder.write(".ralph/tmp/deep/er/file", "old");
  fs::create_directory_symlink(folder / "precious", workspace.tmp().path() / "link");
  sweep_tmp(workspace);
  EXPECT_TRUE(fs::is_empty(workspace.tmp().path()));
  EXPECT_EQ(text_of(precious), "x");
  fs::remove(workspace.tmp().path());
  sweep_tmp(workspace);
}

TEST(TempFile, LivesAsLongAsItsObject) {
  const TempFolder folder;
  {
    auto first = TempFile::write(Location(folder / "f"), "bytes");
    ASSERT_TRUE(first);
    const TempFile moved = *std::move(first);
    EXPECT_EQ(text_of(folder / "f"), "bytes");
    const auto second = TempFile::write(Location(folder / "f"), "others");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Code::storage);
    EXPECT_EQ(text_of(folder / "f"), "bytes") << "replaces nothing, removes nothing";
  }
  EXPECT_FALSE(fs::exists(folder / "f"));
}

TEST(TempFile, CannotBeWritten) {
  const TempFolder folder;
  const auto file = TempFile::write(Location(folder / "no" / "f"), "bytes");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, Code::storage);
  EXPECT_NE(file.error().hint, "");
}

}  // namespace
}  // namespace ralph::store
