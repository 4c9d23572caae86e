#include "system/git/all_files.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/temp_folder.h"
#include "system/git/fields.h"
#include "system/git/program.h"

namespace ralph::git {
namespace {

std::vector<std::string> all_files(const test::TempFolder& folder, const FileChoice& choice = {}) {
  const auto files = list_all_files(folder.path(), choice);
  EXPECT_TRUE(files);
  return files ? files->paths : std::vector<std::string>();
}

TEST(AllFiles, NestedRepositoriesHideNothing) {
  const test::TempFolder folder;
  folder.write("a", "x");
  folder.write(".git/config", "x");
  folder.write("sub/.git/config", "x");
  folder.write("sub/b", "x");
  folder.write("file/.GIT", "x");
  const auto files = *list_all_files(folder.path(), {});
  EXPECT_EQ(files.paths, (std::vector<std::string>{"a", "sub/b"}));
  EXPECT_EQ(files.left_out, (std::vector<std::string>{"file/.GIT", "sub/.git"}));
}

TEST(AllFiles, LinksAreNotFollowedAndPipesAreLeftOut) {
  const test::TempFolder folder, elsewhere;
  elsewhere.write("secret", "x");
  std::filesystem::create_symlink(elsewhere.path(), folder / "link");
  ::mkfifo((folder / "pipe").c_str(), 0600);
  const auto files = *list_all_files(folder.path(), {});
  EXPECT_EQ(files.paths, std::vector<std::string>{"link"});
  EXPECT_EQ(files.left_out, std::vector<std::string>{"pipe"});
}

TEST(AllFiles, PathsThatAreTooLongAreLeftOut) {
  const test::TempFolder folder;
  const std::string name(200, 'd');
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (int i = 0; i < 25; ++i) {
    std::filesystem::create_directory(name);
    std::filesystem::current_path(name);
  }
  std::filesystem::current_path(here);
  folder.write("a", "x");
  const auto files = *list_all_files(folder.path(), {});
  EXPECT_EQ(files.paths, std::vector<std::string>{"a"});
  EXPECT_EQ(files.left_out.size(), 1u);
}

TEST(AllFiles, KnownFilesAndProtectedOnesAreNeverIgnored) {
  const test::TempFolder folder;
  FileChoice choice;
  choice.rules.add("", "build/\n*.log\n");
  choice.known = {"build/tool", "kept.log"};
  choice.always = *PathGlobs::make({"vendor.log"});
  for (const auto* name :
       {"build/tool", "build/made", "kept.log", "other.log", "vendor.log", "a"}) {
    folder.write(name, "x");
  }
  EXPECT_EQ(all_files(folder, choice),
            (std::vector<std::string>{"a", "build/tool", "kept.log", "vendor.log"}));
}

TEST(AllFiles, RulesThatWereReadStay) {
  const test::TempFolder folder;
  folder.write(".gitignore", "*.o\n");
  folder.write("a.o", "x");
  folder.write("hidden", "x");
  const FileChoice choice{.rules = *read_ignore_rules(folder.path())};
  folder.write(".gitignore", "hidden\n");
  EXPECT_EQ(all_files(folder, choice), (std::vector<std::string>{".gitignore", "hidden"}));
}

/// git itself says what the rules mean.
TEST(AllFiles, RulesMeanWhatTheyMeanToGit) {
  const test::TempFolder folder;
  folder.write(".gitignore",
               "# comment\n\n*.o\n!keep.o\nbuild/\n/top\ndoc/*.txt\nsub/**/deep\n\\#odd\n\\!odd\n"
               "trail \nspace\\ \na?c\n[xy]z\n**/any/file\nwhole/**\n/only/\n");
  folder.write("sub/.gitignore", "local\n/anchored\n!sub.o\n");
  folder.write("od[d]/.gitignore", "x*\n");
  for (const auto* name : {"a.o",
                           "keep.o",
                           "sub/keep.o",
                           "sub/sub.o",
                           "sub/b.o",
                           "build/x",
                           "sub/build/y",
                           "top",
                           "sub/top",
                           "doc/a.txt",
                           "doc/more/a.txt",
                           "sub/deep",
                           "sub/1/deep",
                           "sub/1/2/deep/f",
                           "#odd",
                           "!odd",
                           "trail",
                           "space ",
                           "abc",
                           "a/c",
                           "xz",
                           "zz",
                           "any/file",
                           "q/any/file",
                           "whole/a/b",
                           "only",
                           "local",
                           "sub/local",
                           "sub/1/local",
                           "sub/anchored",
                           "sub/1/anchored",
                           "od[d]/x1",
                           "od[d]/y1",
                           "odd/x1",
                           "build2/x",
                           "in/build"}) {
    if (!std::filesystem::exists(folder / name)) folder.write(name, "x");
  }
  auto git = *Program::find();
  git.start_in(folder.path());
  ASSERT_TRUE(git.ask({{"init", "--quiet"}}));
  git.ignore_user_settings();
  git.pin(folder.path(), folder / ".git");
  const auto text = git.ask({{"ls-files", "-z", "--others", "--exclude-standard"}});
  ASSERT_TRUE(text);
  std::vector<std::string> expected;
  for (Fields fields(*text); !fields.done();) expected.emplace_back(fields.next());
  std::ranges::sort(expected);
  const FileChoice choice{.rules = *read_ignore_rules(folder.path())};
  EXPECT_EQ(all_files(folder, choice), expected);
}

}  // namespace
}  // namespace ralph::git
