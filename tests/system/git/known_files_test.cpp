#include "system/git/known_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/unique_fd.h"
#include "harness.h"

namespace ralph::git {
namespace {

constexpr std::int64_t kLater = 10;  // seconds

/// Files are as old as a look wants them: its disk's clock is ahead.
class GitKnownFiles : public GitWork {
 protected:
  void SetUp() override {
    GitWork::SetUp();
    if (IsSkipped()) return;
    const UniqueFd folder(::open(repo().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    disk_ = KnownFiles::Disk::of(folder.get());
    if (!disk_) GTEST_SKIP() << "the file system of the test folder is not one of those";
    first_commit();
    disk_->now += kLater;
  }
  std::vector<IndexEntry> entries() const {
    return good(parse_index_listing(git("ls-files --stage --debug -z") + "\n"));
  }
  /// Whether 'a' is known to be what the index names.
  bool known() { return files_.look(repo(), entries(), disk_).at(0).has_value(); }
  /// Other bytes, the same size and mtime.
  void rewrite(std::string_view how) const {
    shell(fmt::format("touch -r a ../time && {} && touch -r ../time a", how));
  }

  std::optional<KnownFiles::Disk> disk_;
  KnownFiles files_;
};

TEST_F(GitKnownFiles, AFileIsReadOnce) {
  EXPECT_TRUE(known());
  EXPECT_TRUE(known());
  EXPECT_EQ(files_.reads(), 1U);
}

TEST_F(GitKnownFiles, AFileThatIsNotWhatTheIndexNamesIsReadOnceToo) {
  write("a", "two\n");
  EXPECT_FALSE(known());
  EXPECT_FALSE(known());
  EXPECT_EQ(files_.reads(), 1U);
  git("add a");
  EXPECT_TRUE(known());
}

TEST_F(GitKnownFiles, OtherBytesOfTheSameSizeAndTimeAreSeen) {
  for (const auto* how : {"printf 'two\\n' >a", "printf 'tri\\n' >b && mv b a",
                          "printf 'for\\n' | dd of=a conv=notrunc status=none",
                          "printf 'fiv\\n' >b && cp -p --remove-destination b a"}) {
    write("a", "one\n");
    EXPECT_TRUE(known()) << how;
    rewrite(how);
    EXPECT_FALSE(known()) << how;
  }
}

TEST_F(GitKnownFiles, AnotherModeIsSeen) {
  EXPECT_TRUE(known());
  shell("chmod +x a");
  // The bytes are the same; git compares the mode with what lstat says.
  EXPECT_EQ(files_.look(repo(), entries(), disk_).at(0)->st_mode & 0777U, 0755U);
}

TEST_F(GitKnownFiles, AFileJustWrittenIsNotKnown) {
  disk_->now -= kLater;
  EXPECT_FALSE(known());
  EXPECT_EQ(files_.reads(), 0U);
}

TEST_F(GitKnownFiles, AFileOnAnotherDiskIsNotKnown) {
  ++disk_->device;
  EXPECT_FALSE(known());
  disk_.reset();
  EXPECT_FALSE(known());
}

TEST_F(GitKnownFiles, AFileThatIsOpenForWritingIsNotKnown) {
  {
    const UniqueFd writer(::open((repo() / "a").c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_FALSE(known());
  }
  EXPECT_TRUE(known());
}

/// The second write to a page sets no time.
TEST_F(GitKnownFiles, AFileThatIsMappedForWritingIsNotKnown) {
  UniqueFd writer(::open((repo() / "a").c_str(), O_RDWR | O_CLOEXEC));
  auto* bytes =
      static_cast<char*>(::mmap(nullptr, 4, PROT_READ | PROT_WRITE, MAP_SHARED, writer.get(), 0));
  ASSERT_NE(bytes, MAP_FAILED);
  writer.reset();
  bytes[0] = 'o';
  EXPECT_FALSE(known());
  bytes[0] = 'O';
  EXPECT_FALSE(known());
  bytes[0] = 'o';
  ::munmap(bytes, 4);
  EXPECT_TRUE(known());
}

TEST_F(GitKnownFiles, ALinkIsWhatItLeadsTo) {
  shell("rm a && ln -s one a && git add a");
  EXPECT_TRUE(known());
  shell("ln -sfn two a");
  EXPECT_FALSE(known());
  shell("rm a && mkfifo a");
  EXPECT_FALSE(known());
  shell("rm a && printf two >a");
  EXPECT_FALSE(known());
}

TEST_F(GitKnownFiles, FlagsMakeAFileUnknown) {
  git("update-index --skip-worktree a");
  EXPECT_FALSE(known());
  git("update-index --no-skip-worktree --assume-unchanged a");
  EXPECT_FALSE(known());
}

/// What git lists of the index we wrote is what it lists of its own.
class GitIndexFile : public GitWork {
 protected:
  std::string listing(std::string_view env = {}) const {
    return shell(fmt::format("{} git ls-files --stage -v -t -z | tr '\\0' '\\n'", env));
  }
  void expect_same() const {
    const auto text = shell("git ls-files --stage --debug -z") + "\n";
    const auto entries = good(parse_index_listing(text));
    folder_.write("index",
                  index_bytes(entries, std::vector<std::optional<struct stat>>(entries.size())),
                  0600);
    EXPECT_EQ(listing("GIT_INDEX_FILE=../index"), listing());
    shell("GIT_INDEX_FILE=../index git fsck --no-dangling");
  }
};

TEST_F(GitIndexFile, EveryKindOfEntryIsReadByGit) {
  first_commit();
  write("x", "x\n");
  shell("chmod +x x && ln -s a link && mkdir -p d/e && echo 1 >d/e/f && git add -A");
  shell(fmt::format("n=$(printf 'n%.0s' $(seq 250)) && mkdir $n && echo 2 >$n/$n && git add -A"));
  git("update-index --add --cacheinfo 160000,$(git rev-parse HEAD),module");
  expect_same();
  shell(
      "echo new >new && git add -N new && git update-index --skip-worktree x && "
      "git update-index --assume-unchanged a");
  expect_same();
}

TEST_F(GitIndexFile, StagesOfAConflictAreKept) {
  first_commit();
  shell(
      "git checkout -q -b other && echo o >a && git commit -qam o && git checkout -q main && "
      "echo m >a && git commit -qam m && ! git merge -q other");
  expect_same();
}

TEST_F(GitIndexFile, ARepositoryOfSha256IsRead) {
  shell("rm -rf .git && git init -q -b main --object-format=sha256");
  write("a", "one\n");
  git("add a");
  expect_same();
}

TEST_F(GitIndexFile, AListingThatIsCutIsRefused) {
  EXPECT_FALSE(parse_index_listing("100644 abc 0\ta"));
  EXPECT_FALSE(parse_index_listing(std::string_view("100644 abc 0\ta\0flags: 0\n", 25)));
}

}  // namespace
}  // namespace ralph::git
