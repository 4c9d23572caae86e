#include "core/base/log.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/base/id.h"
#include "core/base/time.h"

namespace ralph::log {
namespace {

// The log is the process's own: each case configures it in a child that a death test starts, and
// leaves its findings in a file.

std::string stars(std::string_view text) {
  std::string masked(text);
  if (const auto at = masked.find("secret"); at != masked.npos) masked.replace(at, 6, "***");
  return masked;
}

class Log : public testing::Test {
 protected:
  void SetUp() override { path_ = testing::TempDir() + "ralph-log-" + random_hex(6); }
  void TearDown() override { std::filesystem::remove(path_); }

  /// Logs in a child with this environment, then exits with 0 when enabled() was `expected`.
  void log_in_child(const char* level, std::string_view text, bool expected) const {
    level == nullptr ? ::unsetenv("RALPH_LOG") : ::setenv("RALPH_LOG", level, 1);
    ::setenv("RALPH_LOG_FILE", path_.c_str(), 1);
    configure(stars);
    debug("room", text);
    std::_Exit(enabled() == expected ? 0 : 1);
  }

  std::string path_;
};

TEST_F(Log, IsOffByDefault) {
  EXPECT_FALSE(enabled());
  EXPECT_EXIT(log_in_child(nullptr, "text", false), testing::ExitedWithCode(0), "");
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Log, IsOffAtAnyOtherLevel) {
  EXPECT_EXIT(log_in_child("info", "text", false), testing::ExitedWithCode(0), "");
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Log, WritesOneMaskedLineToItsFile) {
  EXPECT_EXIT(log_in_child("debug", "a secret\nin two lines", true), testing::ExitedWithCode(0),
              "");
  const auto text = read_file(path_);
  ASSERT_TRUE(text);
  const auto space = text->find(' ');
  EXPECT_TRUE(parse_iso(text->substr(0, space))) << *text;
  EXPECT_EQ(text->substr(space), " debug room: a *** in two lines\n");
}

TEST_F(Log, AppendsAndKeepsOthersOut) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EXIT(log_in_child("debug", "again", true), testing::ExitedWithCode(0), "");
  }
  const auto text = read_file(path_);
  ASSERT_TRUE(text);
  EXPECT_EQ(std::count(text->begin(), text->end(), '\n'), 2);
  struct stat info{};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(Log, FallsBackToStandardError) {
  path_ = "/nonexistent/folder/log";
  EXPECT_EXIT(log_in_child("debug", "hello", true), testing::ExitedWithCode(0),
              "debug room: hello");
}

}  // namespace
}  // namespace ralph::log
