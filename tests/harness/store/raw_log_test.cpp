#include "harness/store/raw_log.h"

#include <csignal>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "harness/store/raw_index.h"
#include "support/refused_call.h"

namespace ralph::store {
namespace {

using std::chrono::milliseconds;

const UtcTime kStart{Millis(1'767'268'800'123)};

class RawLogTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "raw_log_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  RawLog open(std::string_view name = "log") {
    return *RawLog::open(Location(folder_ / "logs"), name, kStart);
  }
  static std::string text_of(const std::filesystem::path& path) { return *read_file(path); }
  static std::vector<IndexRecord> records_of(const std::filesystem::path& path) {
    std::vector<IndexRecord> records;
    auto reader = IndexReader::open(path);
    if (!reader) return records;
    while (const auto record = reader->next()) records.push_back(*record);
    return records;
  }
  static unsigned mode_of(const std::filesystem::path& path) {
    struct stat info{};
    ::stat(path.c_str(), &info);
    return info.st_mode & 0777;
  }

  std::filesystem::path folder_;
};

TEST_F(RawLogTest, KeepsEveryByteAndStderrApart) {
  auto log = open();
  const std::string odd("\x00\xFF\r\n{\"a\":\n\n no newline", 21);
  ASSERT_TRUE(log.append_out(odd, milliseconds(1)));
  ASSERT_TRUE(log.append_err("warning\n"));
  EXPECT_EQ(text_of(log.paths().out), odd) << "on disk before anybody parses it";
  EXPECT_EQ(text_of(log.paths().err), "warning\n");
  ASSERT_TRUE(log.finish());
  EXPECT_EQ(text_of(log.paths().out), odd);
}

TEST_F(RawLogTest, ALineSplitAcrossAppendsHasOneRecordWithTheTimeOfItsLastByte) {
  auto log = open();
  ASSERT_TRUE(log.append_out("one\ntw", milliseconds(10)));
  ASSERT_TRUE(log.append_out("", milliseconds(15)));
  ASSERT_TRUE(log.append_out("o", milliseconds(20)));
  ASSERT_TRUE(log.flush());
  EXPECT_EQ(records_of(log.paths().index), (std::vector<IndexRecord>{{0, milliseconds(10)}}));
  ASSERT_TRUE(log.append_out("\nthree\n", milliseconds(30)));
  ASSERT_TRUE(log.append_out("rest", milliseconds(40)));
  ASSERT_TRUE(log.finish());
  EXPECT_EQ(records_of(log.paths().index), (std::vector<IndexRecord>{{0, milliseconds(10)},
                                                                     {4, milliseconds(30)},
                                                                     {8, milliseconds(30)},
                                                                     {14, milliseconds(40)}}));
}

TEST_F(RawLogTest, IndexOfManyLinesInOneAppend) {
  auto log = open();
  ASSERT_TRUE(log.append_out(std::string(100'000, '\n'), milliseconds(5)));
  ASSERT_TRUE(log.finish());
  const auto records = records_of(log.paths().index);
  ASSERT_EQ(records.size(), 100'000u);
  EXPECT_EQ(records.back(), (IndexRecord{99'999, milliseconds(5)}));
}

TEST_F(RawLogTest, FilesArePrivate) {
  const auto log = open();
  EXPECT_EQ(mode_of(log.paths().out), 0600u);
  EXPECT_EQ(mode_of(log.paths().err), 0600u);
  EXPECT_EQ(mode_of(log.paths().index), 0600u);
  EXPECT_EQ(mode_of(folder_ / "logs"), 0700u);
}

TEST_F(RawLogTest, FilesAreTheOwnersUnderAnyUmask) {
  const auto usual = ::umask(0777);
  const auto log = RawLog::open(Location(folder_ / "logs"), "log", kStart);
  ::umask(usual);
  ASSERT_TRUE(log);
  EXPECT_EQ(mode_of(log->paths().out), 0600u);
  EXPECT_EQ(mode_of(log->paths().err), 0600u);
  EXPECT_EQ(mode_of(folder_ / "logs"), 0700u);
}

TEST_F(RawLogTest, NeverOverwrites) {
  auto first = open();
  ASSERT_TRUE(first.append_out("first\n", milliseconds(0)));
  std::ofstream(folder_ / "logs" / "log-2.index") << "somebody else's";
  const auto third = open();
  EXPECT_EQ(third.paths().out.filename(), "log-3.ndjson");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "logs" / "log-2.ndjson"));
  EXPECT_EQ(text_of(folder_ / "logs" / "log-2.index"), "somebody else's");
  EXPECT_EQ(text_of(first.paths().out), "first\n");
}

TEST_F(RawLogTest, CannotBeCreated) {
  std::ofstream(folder_ / "file") << "x";
  const auto log = RawLog::open(Location(folder_ / "file"), "log", kStart);
  ASSERT_FALSE(log);
  EXPECT_NE(log.error().message.find("file"), std::string::npos) << log.error().message;
}

TEST_F(RawLogTest, AFailedWriteIsTheLastWord) {
  auto log = open();
  ASSERT_TRUE(log.append_out("before\n", milliseconds(1)));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  ::getrlimit(RLIMIT_FSIZE, &usual);
  rlimit small{4096, usual.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto full = log.append_out(std::string(10'000, 'x'), milliseconds(2));
  ::setrlimit(RLIMIT_FSIZE, &usual);
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find(log.paths().out.native()), std::string::npos);
  EXPECT_EQ(log.append_out("more\n", milliseconds(3)).error(), full.error());
  EXPECT_EQ(log.append_err("more\n").error(), full.error());
  EXPECT_EQ(log.finish().error(), full.error());
  EXPECT_EQ(text_of(log.paths().out).substr(0, 7), "before\n");
}

/// A record says that its line is in the log.
TEST_F(RawLogTest, TheIndexIsNeverAheadOfTheLog) {
  auto log = open();
  const auto header = text_of(log.paths().index);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  ::getrlimit(RLIMIT_FSIZE, &usual);
  rlimit small{4096, usual.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto full = log.append_out(std::string(20'000, '\n'), milliseconds(2));
  ::setrlimit(RLIMIT_FSIZE, &usual);
  ASSERT_FALSE(full);
  EXPECT_FALSE(log.finish());
  EXPECT_EQ(text_of(log.paths().index), header);
}

/// In a child nothing can be synced: finish() must notice.
TEST_F(RawLogTest, TheEndOfARunIsOnTheDisk) {
  auto log = open();
  ASSERT_TRUE(log.append_out("line\n", milliseconds(1)));
  const pid_t child = ::fork();
  if (child == 0) {
    if (!test::refuse_call(SYS_fsync, EIO)) ::_exit(77);
    const auto done = log.finish();
    ::_exit(!done && done.error().message.contains("cannot sync") ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no system call can be refused here";
  EXPECT_EQ(WEXITSTATUS(status), 0) << "fsync was not called, or its error was lost";
  EXPECT_TRUE(log.finish());
}

TEST_F(RawLogTest, IndexHeader) {
  const auto log = open();
  const auto reader = IndexReader::open(log.paths().index);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->start(), kStart);
  EXPECT_EQ(text_of(log.paths().index),
            std::string("RALPHIDX\x01\0\0\0\x10\0\0\0\x7B\xD6\x6D\x79\x9B\x01\0\0", 24) +
                std::string(8, '\0'));
}

class IndexTest : public RawLogTest {
 protected:
  std::filesystem::path write(std::string_view bytes) {
    const auto path = folder_ / "x.index";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static std::string bytes_of(const std::vector<IndexRecord>& records) {
    std::string bytes = index_header(kStart);
    for (const auto& record : records) append_index_record(bytes, record);
    return bytes;
  }
};

TEST_F(IndexTest, ToleratesHalfARecord) {
  const auto whole = bytes_of({{0, Micros(1)}, {5, Micros(2)}});
  for (std::size_t cut = 1; cut < kIndexRecordSize; ++cut) {
    EXPECT_EQ(records_of(write(whole.substr(0, whole.size() - cut))).size(), 1u) << cut;
  }
}

TEST_F(IndexTest, EndsAtARecordThatCannotBeTrue) {
  EXPECT_EQ(records_of(write(bytes_of({{0, Micros(1)}, {5, Micros(2)}, {5, Micros(3)}}))).size(),
            2u);
  EXPECT_EQ(records_of(write(bytes_of({{0, Micros(1)}, {5, Micros(INT64_MAX)}}))).size(), 1u);
  EXPECT_EQ(records_of(write(bytes_of({{0, Micros(1)}, {5, Micros(-1)}}))).size(), 1u);
}

TEST_F(IndexTest, RefusesWhatIsNoIndex) {
  EXPECT_FALSE(IndexReader::open(folder_ / "missing"));
  EXPECT_FALSE(IndexReader::open(folder_)) << "a folder";
  EXPECT_FALSE(IndexReader::open(write("")));
  EXPECT_FALSE(IndexReader::open(write("RALPHIDX")));
  EXPECT_FALSE(IndexReader::open(write(std::string(100, 'x'))));
  auto other_version = bytes_of({});
  other_version[8] = 2;
  EXPECT_FALSE(IndexReader::open(write(other_version)));
}

TEST_F(IndexTest, TimelineTellsWhenWhichBytesWereComplete) {
  Timeline timeline(*IndexReader::open(
      write(bytes_of({{0, Micros(100)}, {10, Micros(300)}, {20, Micros(200)}}))));
  EXPECT_EQ(timeline.next(), (TimedSpan{10, Micros(100)}));
  EXPECT_EQ(timeline.next(), (TimedSpan{20, Micros(300)}));
  EXPECT_EQ(timeline.next(), (TimedSpan{UINT64_MAX, Micros(300)})) << "time never goes back";
  EXPECT_EQ(timeline.next(), (TimedSpan{UINT64_MAX, Micros(300)}));
}

TEST_F(IndexTest, TimelineOfAnEmptyIndexCoversEverything) {
  Timeline timeline(*IndexReader::open(write(bytes_of({}))));
  EXPECT_EQ(timeline.next(), (TimedSpan{UINT64_MAX, Micros(0)}));
}

TEST_F(IndexTest, LiesBesideItsLog) {
  EXPECT_EQ(index_path_of("a/b.ndjson"), "a/b.index");
  EXPECT_EQ(index_path_of("a.b/c"), "a.b/c.index");
}

TEST(RawLogName, HasTimestampModeAndTask) {
  EXPECT_EQ(raw_log_name(kStart, "coder", "fix-tests"), "20260101-120000-coder-fix-tests");
}

TEST(RawLogName, IsSafeWhateverTheTaskIsCalled) {
  const auto name = [](std::string_view task) { return raw_log_name(kStart, "", task).substr(15); };
  EXPECT_EQ(name("../../etc/passwd"), "-etc-passwd");
  EXPECT_EQ(name("..."), "");
  EXPECT_EQ(name(""), "");
  EXPECT_EQ(name(".hidden"), "-hidden");
  EXPECT_EQ(name("Fix the  test: \"a/b\" (now)\n"), "-Fix-the-test-a-b-now");
  EXPECT_EQ(name(std::string_view("a\0b\x1b[31m", 8)), "-a-b-31m");
  EXPECT_EQ(name("größe-\xE2\x80\xAE-日本"), "-größe-日本") << "no direction marks";
  EXPECT_EQ(name("\xC2\x9B\xC2\xA0x"), "-x");
  EXPECT_TRUE(name("bad \xFF utf8").starts_with("-bad-"));
}

TEST(RawLogName, IsCutBetweenCharacters) {
  std::string task;
  for (int i = 0; i < 100; ++i) task += "é";
  const auto name = raw_log_name(kStart, "run", "x" + task);
  EXPECT_LE(name.size(), 100u);
  EXPECT_TRUE(name.ends_with("é"));
}

}  // namespace
}  // namespace ralph::store
