#include "core/base/file.h"

#include <atomic>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/base/id.h"
#include "core/base/unique_fd.h"

namespace ralph {
namespace {

namespace fs = std::filesystem;

class File : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("ralph-file-" + random_hex(6));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename());
    return names;
  }
  static unsigned mode_of(const fs::path& path) {
    struct stat info{};
    return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
  }

  fs::path folder_;
};

TEST_F(File, IsReadAsItIs) {
  std::string bytes("a\0b\r\n\xFF", 6);
  bytes += std::string(200'000, 'x');
  std::ofstream(folder_ / "f", std::ios::binary) << bytes;
  EXPECT_EQ(read_file(folder_ / "f"), bytes);
  std::ofstream(folder_ / "empty");
  EXPECT_EQ(read_file(folder_ / "empty"), "");
}

TEST_F(File, WithoutASizeIsReadToo) {
  const auto text = read_file("/proc/self/status");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("Name:"), std::string::npos);
}

TEST_F(File, ThatWouldNeverEndIsRefused) {
  const auto fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder_ / "zero");
  for (const auto& path : {fifo, folder_ / "zero", fs::path("/dev/zero"), fs::path("/dev/tty")}) {
    const auto text = read_file(path);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().code, Code::usage) << path;
    EXPECT_NE(text.error().message.find(path.native()), std::string::npos);
  }
  fs::create_symlink("/dev/null", folder_ / "null");
  EXPECT_EQ(read_file(folder_ / "null"), "");
  EXPECT_EQ(read_file("/dev/null"), "");
}

TEST_F(File, OfAShellsSubstitutionIsRead) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd from(ends[0]);
  {
    const UniqueFd to(ends[1]);
    ASSERT_EQ(::write(to.get(), "text", 4), 4);
  }
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(from.get())), "text");
}

TEST_F(File, ThatDoesNotExistIsAnError) {
  const auto missing = read_file(folder_ / "missing");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::not_found);
  EXPECT_NE(missing.error().message.find((folder_ / "missing").native()), std::string::npos);
}

TEST_F(File, ThatIsAFolderIsAnError) {
  const auto text = read_file(folder_);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("is a directory"), std::string::npos);
}

TEST_F(File, OverTheLimitIsAnErrorThatNamesBothSizes) {
  std::ofstream(folder_ / "big") << std::string(1234, 'x');
  EXPECT_TRUE(read_file(folder_ / "big", 1234));
  const auto text = read_file(folder_ / "big", 1000);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::limit);
  EXPECT_NE(text.error().message.find("1234"), std::string::npos) << text.error().message;
  EXPECT_NE(text.error().message.find("1000"), std::string::npos) << text.error().message;
  EXPECT_FALSE(read_file("/dev/zero", 100'000));
}

TEST_F(File, IsReplacedWholeWithItsMode) {
  const auto path = folder_ / "state.json";
  ASSERT_TRUE(write_file_atomically(path, "one"));
  EXPECT_EQ(mode_of(path), 0600U);
  ASSERT_TRUE(write_file_atomically(path, "two", 0644));
  EXPECT_EQ(read_file(path), "two");
  EXPECT_EQ(mode_of(path), 0644U);
  ASSERT_TRUE(write_file_atomically(path, ""));
  EXPECT_EQ(read_file(path), "");
  EXPECT_EQ(names(), std::vector<std::string>{"state.json"});
}

TEST_F(File, InTheWorkingFolderNeedsNoFolderName) {
  const auto name = "ralph-test-" + random_hex(6);
  const auto before = fs::current_path();
  fs::current_path(folder_);
  const auto done = write_file_atomically(name, "x");
  fs::current_path(before);
  EXPECT_TRUE(done);
  EXPECT_EQ(read_file(folder_ / name), "x");
}

TEST_F(File, KeepsItsOldBytesWhenReplacingFails) {
  // A folder that is not empty cannot be replaced by a file: the rename fails after the temp file
  // is full.
  const auto target = folder_ / "target";
  fs::create_directory(target);
  std::ofstream(target / "inside") << "old";
  const auto done = write_file_atomically(target, "new");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("cannot replace"), std::string::npos) << done.error().message;
  EXPECT_EQ(read_file(target / "inside"), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"target"}) << "a temp file was left";
}

TEST_F(File, CannotStandInsideAFile) {
  ASSERT_TRUE(write_file_atomically(folder_ / "file", "old"));
  const auto done = write_file_atomically(folder_ / "file" / "inner", "new");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::not_found);
  EXPECT_EQ(read_file(folder_ / "file"), "old");
}

TEST_F(File, IsNeverSeenHalfWritten) {
  const auto path = folder_ / "shared";
  const std::string texts[] = {std::string(50'000, 'a'), std::string(70'000, 'b')};
  ASSERT_TRUE(write_file_atomically(path, texts[0]));
  std::atomic<bool> done = false;
  std::atomic<int> reads = 0;
  std::atomic<int> torn = 0;
  std::jthread reader([&] {
    while (!done || reads == 0) {
      const auto text = read_file(path);
      ++reads;
      if (!text || (*text != texts[0] && *text != texts[1])) ++torn;
    }
  });
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(write_file_atomically(path, texts[i % 2]));
  }
  done = true;
  reader.join();
  EXPECT_EQ(torn, 0) << "of " << reads;
  EXPECT_EQ(names(), std::vector<std::string>{"shared"});
}

TEST_F(File, FoldersAreMadeWithTheirParents) {
  ASSERT_TRUE(make_folders(folder_ / "a" / "b" / "c"));
  EXPECT_EQ(mode_of(folder_ / "a" / "b"), 0700U);
  EXPECT_TRUE(make_folders(folder_ / "a" / "b" / "c")) << "a second time";
  EXPECT_TRUE(make_folders(folder_ / "a" / "d" / ""));
  ::chmod((folder_ / "a").c_str(), 0750);
  EXPECT_TRUE(make_folders(folder_ / "a"));
  EXPECT_EQ(mode_of(folder_ / "a"), 0750U) << "an existing folder keeps its mode";
}

TEST_F(File, FoldersHaveTheirModeUnderAnyUmask) {
  const auto usual = ::umask(0777);
  const auto made = make_folders(folder_ / "a" / "b");
  ::umask(0);
  const auto open_made = make_folders(folder_ / "c", 0750);
  ::umask(usual);
  ASSERT_TRUE(made && open_made);
  EXPECT_EQ(mode_of(folder_ / "a"), 0700U);
  EXPECT_EQ(mode_of(folder_ / "a" / "b"), 0700U);
  EXPECT_EQ(mode_of(folder_ / "c"), 0750U);
}

TEST_F(File, InTheWayOfAFolderIsAnError) {
  std::ofstream(folder_ / "f") << "x";
  EXPECT_FALSE(make_folders(folder_ / "f"));
  EXPECT_FALSE(make_folders(folder_ / "f" / "g"));
  EXPECT_EQ(read_file(folder_ / "f"), "x");
}

TEST_F(File, WriteAllReportsAFullDisk) {
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full);
  const auto done = write_all(full.get(), "x", "the journal");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::disk_full);
  EXPECT_EQ(done.error().message, "cannot write to 'the journal': No space left on device");
  EXPECT_TRUE(write_all(full.get(), "", "the journal"));
}

TEST_F(File, WriteAllWaitsForASlowReader) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  UniqueFd out(ends[0]);
  UniqueFd in(ends[1]);
  const std::string text(1'000'000, 'x');
  std::size_t got = 0;
  std::jthread reader([&] {
    char piece[4096];
    for (;;) {
      const auto count = ::read(out.get(), piece, sizeof piece);
      if (count == 0) return;
      if (count > 0) got += static_cast<std::size_t>(count);
    }
  });
  EXPECT_TRUE(write_all(in.get(), text, "pipe"));
  in.reset();
  reader.join();
  EXPECT_EQ(got, text.size());
}

TEST_F(File, DescriptorsCloseOnceAndMove) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  UniqueFd out(ends[0]);
  UniqueFd in(ends[1]);
  UniqueFd moved(std::move(in));
  EXPECT_FALSE(in);  // NOLINT(bugprone-use-after-move): it owns nothing now
  EXPECT_EQ(moved.get(), ends[1]);
  moved = UniqueFd();
  EXPECT_EQ(::fcntl(ends[1], F_GETFD), -1) << "still open";
  const int raw = out.release();
  EXPECT_FALSE(out);
  EXPECT_NE(::fcntl(raw, F_GETFD), -1);
  ::close(raw);
}

TEST_F(File, ADeviceIsNotReplaced) {
  const auto path = std::filesystem::temp_directory_path() / ("device-" + random_hex(8));
  if (::mknod(path.c_str(), S_IFCHR | 0600, ::makedev(1, 3)) != 0) GTEST_SKIP() << "not root";
  const auto written = write_file_atomically(path, "text");
  EXPECT_TRUE(std::filesystem::is_character_file(path));
  ::unlink(path.c_str());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::permission);
}

}  // namespace
}  // namespace ralph
