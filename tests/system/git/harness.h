#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support/temp_folder.h"
#include "system/git/worktree.h"

namespace ralph::git {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;
constexpr std::string_view kMain = "refs/heads/main";

/// A repository "repo" in a folder of its own, made by git itself.
class GitWork : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "git is not installed";
    ::setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    fs::create_directory(repo());
    git("init -b main");
    git("config user.name T");
    git("config user.email t@example.org");
  }

  fs::path repo() const { return folder_ / "repo"; }
  /// Runs a shell line in the repository; what it prints, without the last newline.
  std::string shell(std::string_view text) const {
    std::string out;
    const auto line = fmt::format("cd '{}' && {{ {}; }} 2>&1", repo().native(), text);
    std::FILE* pipe = ::popen(line.c_str(), "r");
    for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
    EXPECT_EQ(::pclose(pipe), 0) << text << ": " << out;
    if (out.ends_with('\n')) out.pop_back();
    return out;
  }
  std::string git(std::string_view words) const { return shell(fmt::format("git {}", words)); }
  void write(std::string_view name, std::string_view text) const {
    folder_.write(fmt::format("repo/{}", name), text, 0644);
  }
  std::string read(std::string_view name) const { return test::text_of(repo() / name); }
  bool there(std::string_view name) const { return fs::exists(fs::symlink_status(repo() / name)); }
  /// One file "a", committed.
  std::string first_commit() const {
    write("a", "one\n");
    git("add a");
    git("commit -q -m first");
    return git("rev-parse HEAD");
  }
  Worktree open() const { return open(repo()); }
  static Worktree open(const fs::path& folder) {
    Error why;
    auto work = Worktree::open(folder, why);
    EXPECT_TRUE(work) << describe(work.error());
    EXPECT_TRUE(work && *work) << why.message;
    return **std::move(work);
  }
  template <typename T>
  static T good(Result<T> result) {
    EXPECT_TRUE(result) << describe(result.error());
    return result ? *std::move(result) : T{};
  }
  static void good(const Result<>& result) { EXPECT_TRUE(result) << describe(result.error()); }
  /// The paths of a tree, one a line.
  std::string paths_of(const std::string& tree) const {
    return git(fmt::format("ls-tree -r --name-only {}", tree));
  }
  /// A program that an attack would start leaves this file.
  std::string evil() const { return fmt::format("touch '{}'; cat", (folder_ / "EVIL").native()); }
  bool attacked() const { return fs::exists(folder_ / "EVIL"); }

  test::TempFolder folder_;
};

}  // namespace ralph::git
