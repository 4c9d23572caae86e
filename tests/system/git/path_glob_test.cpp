#include "system/git/path_glob.h"

#include <gtest/gtest.h>

namespace ralph::git {
namespace {

bool matches(const std::string& pattern, std::string_view path) {
  const auto globs = PathGlobs::make({pattern});
  return globs && globs->matches(path);
}

TEST(PathGlobs, MatchAsGitignoreDoes) {
  for (const auto& [pattern, path] : std::initializer_list<std::pair<const char*, const char*>>{
           {"tests", "tests/a/b.py"},
           {"tests/", "tests/a.py"},
           {"tests/**", "tests/a/b.py"},
           {"tests/*.py", "tests/a.py"},
           {"*_test.py", "a_test.py"},
           {"*_test.py", "src/deep/a_test.py"},
           {"conftest.py", "a/b/conftest.py"},
           {"**/conftest.py", "conftest.py"},
           {"a/**/z", "a/z"},
           {"a/**/z", "a/b/c/z"},
           {"./Makefile", "Makefile"},
           {"t?st/[a-c].py", "test/b.py"},
           {"[!a]x", "bx"},
           {"test_[[:digit:]].sh", "test_1.sh"},
           {"[![:alpha:]_]x", "1x"},
           {"[]a]x", "]x"},
           {"a\\*b", "a*b"},
       }) {
    EXPECT_TRUE(matches(pattern, path)) << pattern << " " << path;
  }
}

TEST(PathGlobs, AndNothingElse) {
  for (const auto& [pattern, path] : std::initializer_list<std::pair<const char*, const char*>>{
           {"tests/*.py", "tests/a/b.py"},
           {"tests", "mytests/a"},
           {"tests/a.py", "x/tests/a.py"},
           {"*_test.py", "a_test.pyc"},
           {"a/**/z", "ab/z"},
           {"a\\*b", "axb"},
           {"?", "ab"},
       }) {
    EXPECT_FALSE(matches(pattern, path)) << pattern << " " << path;
  }
}

TEST(PathGlobs, AnExclamationMarkTakesBack) {
  const auto globs = PathGlobs::make({"tests/**", "!tests/data", "!build.sh"});
  ASSERT_TRUE(globs);
  EXPECT_TRUE(globs->matches("tests/a"));
  EXPECT_FALSE(globs->matches("tests/data/a"));
  EXPECT_TRUE(globs->excludes("build.sh"));
  EXPECT_FALSE(globs->excludes("other.sh"));
  EXPECT_FALSE(globs->empty());
  EXPECT_TRUE(PathGlobs::make({"!build.sh"})->empty());
}

TEST(PathGlobs, RefuseWhatLeadsOut) {
  for (const auto* pattern : {"", "/etc/passwd", "../x", "a/../../b", "/"}) {
    EXPECT_FALSE(PathGlobs::make({pattern})) << pattern;
  }
}

TEST(PathGlobs, AreLinearInThePath) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(matches(pattern + "b", std::string(4000, 'a')));
}

}  // namespace
}  // namespace ralph::git
