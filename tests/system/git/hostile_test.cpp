// Repositories as an agent could have left them.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "core/base/unique_fd.h"
#include "support/temp_folder.h"
#include "system/git/git.h"
#include "system/git/ref.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

const std::string kCommit(40, 'a');

class GitHostile : public testing::Test {
 protected:
  void write(std::string_view name, std::string_view text) const {
    folder_.write(fmt::format(".git/{}", name), text);
  }
  fs::path in_git(std::string_view name) const { return folder_ / ".git" / name; }
  Head head() const {
    const auto head = read_head(folder_.path());
    EXPECT_TRUE(head) << describe(head.error());
    EXPECT_TRUE(head && *head) << "in no repository";
    return head && *head ? **head : Head{};
  }
  /// The error's code; the message has `part`.
  std::optional<Code> refusal(std::string_view part) const {
    const auto head = read_head(folder_.path());
    if (head) return std::nullopt;
    EXPECT_NE(head.error().message.find(part), std::string::npos) << head.error().message;
    EXPECT_NE(head.error().message.find(folder_.path().native()), std::string::npos);
    return head.error().code;
  }
  void make_huge(std::string_view name) const {
    write(name, "");
    fs::resize_file(in_git(name), std::uintmax_t{1} << 34);
  }

  test::TempFolder folder_;
};

TEST_F(GitHostile, NoRepository) {
  EXPECT_EQ(read_head(folder_.path())->has_value(), false);
  fs::create_directory(folder_ / ".git");
  EXPECT_EQ(read_head(folder_.path())->has_value(), false) << "a folder of that name, no more";
  EXPECT_EQ(read_head("/")->has_value(), fs::exists("/.git/HEAD"));
  EXPECT_EQ(read_head(folder_ / "missing").error().code, Code::not_found);
  EXPECT_EQ(read_head(folder_.write("file", "")).error().code, Code::not_found);
}

TEST_F(GitHostile, PipesAndSocketsDoNotBlock) {
  fs::create_directory(folder_ / ".git");
  ASSERT_EQ(::mkfifo(in_git("HEAD").c_str(), 0600), 0);
  EXPECT_EQ(refusal("HEAD' is not a regular file"), Code::malformed);
  fs::remove(in_git("HEAD"));
  write("HEAD", "ref: refs/heads/main\n");
  for (const auto* name : {"commondir", "packed-refs", "refs/heads/main"}) {
    fs::create_directories(in_git("refs/heads"));
    ASSERT_EQ(::mkfifo(in_git(name).c_str(), 0600), 0);
    EXPECT_EQ(refusal("not a regular file"), Code::malformed) << name;
    fs::remove(in_git(name));
  }
  fs::remove_all(folder_ / ".git");
  ASSERT_EQ(::mkfifo((folder_ / ".git").c_str(), 0600), 0);
  EXPECT_EQ(refusal("not a regular file"), Code::malformed);
}

TEST_F(GitHostile, ASocketAsHead) {
  fs::create_directory(folder_ / ".git");
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  in_git("HEAD").native().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_TRUE(refusal("HEAD"));
}

TEST_F(GitHostile, AFolderAsHead) {
  fs::create_directories(in_git("HEAD"));
  EXPECT_EQ(refusal("HEAD' is not a regular file"), Code::malformed);
}

TEST_F(GitHostile, HugeFiles) {
  make_huge("HEAD");
  EXPECT_EQ(refusal("HEAD"), Code::limit);
  write("HEAD", "ref: refs/heads/main\n");
  make_huge("packed-refs");
  EXPECT_EQ(refusal("packed-refs"), Code::limit);
  make_huge("refs/heads/main");
  EXPECT_EQ(refusal("refs/heads/main"), Code::limit);
  make_huge("commondir");
  EXPECT_EQ(refusal("commondir"), Code::limit);
  fs::remove_all(folder_ / ".git");
  folder_.write(".git", "gitdir: " + std::string(70000, 'x'));
  EXPECT_EQ(refusal(".git"), Code::limit);
}

TEST_F(GitHostile, RefsThatLeadElsewhere) {
  folder_.write("secret", kCommit);
  for (const std::string name :
       {"../../etc/passwd", "refs/../../secret", "refs/heads/../../../secret", "/etc/passwd",
        "refs/heads/", "refs//heads/main", "refs/heads/.hidden",
        "refs/heads/a\x01"
        "b",
        "refs/heads/a b", "refs/heads/a\nref: refs/heads/b", "refs", "HEAD", "config", ""}) {
    write("HEAD", "ref: " + name + "\n");
    EXPECT_EQ(refusal("not allowed"), Code::malformed) << name;
  }
  write("HEAD", "ref: refs/heads/" + std::string(2000, 'a'));
  EXPECT_EQ(refusal("too long"), Code::malformed);
  write("HEAD", "ref: refs/heads/" + std::string(256, 'a'));
  EXPECT_EQ(refusal("too long"), Code::malformed);
  write("HEAD", std::string_view("ref: refs/heads/a\0b", 19));
  EXPECT_EQ(refusal("not allowed"), Code::malformed);
}

TEST_F(GitHostile, LinksInsideAreNotFollowed) {
  folder_.write("private/token", kCommit);
  write("HEAD", "ref: refs/heads/token\n");
  fs::create_directories(in_git("refs/heads"));
  fs::create_symlink(folder_ / "private/token", in_git("refs/heads/token"));
  EXPECT_EQ(refusal("symbolic link"), Code::malformed) << "the file";
  fs::remove_all(in_git("refs/heads"));
  fs::create_directory_symlink(folder_ / "private", in_git("refs/heads"));
  EXPECT_EQ(refusal("symbolic link"), Code::malformed) << "a folder on the way";
  fs::remove(in_git("HEAD"));
  fs::create_symlink(folder_ / "private/token", in_git("HEAD"));
  EXPECT_EQ(refusal("symbolic link"), Code::malformed) << "HEAD";
}

TEST_F(GitHostile, AGitLinkToItself) {
  fs::create_symlink(folder_ / ".git", folder_ / ".git");
  EXPECT_TRUE(refusal(".git"));
}

TEST_F(GitHostile, Loops) {
  write("HEAD", "ref: refs/heads/a\n");
  write("refs/heads/a", "ref: refs/heads/b\n");
  write("refs/heads/b", "ref: refs/heads/a\n");
  EXPECT_EQ(refusal("more than 5 refs"), Code::malformed);
  fs::remove_all(folder_ / ".git");
  folder_.write(".git", "gitdir: .git\n");
  EXPECT_EQ(refusal(".git"), Code::not_found);
  folder_.write(".git", "gitdir: .\n");
  folder_.write("HEAD", "ref: refs/heads/a\n");
  folder_.write("commondir", ".\n");
  EXPECT_EQ(head().branch, "a") << "odd, but nothing goes round";
}

TEST_F(GitHostile, ChainsOfBoundedLength) {
  write("HEAD", "ref: refs/heads/1\n");
  for (int i = 1; i < 5; ++i) {
    write(fmt::format("refs/heads/{}", i), fmt::format("ref: refs/heads/{}", i + 1));
  }
  write("refs/heads/5", kCommit);
  EXPECT_EQ(head().commit, kCommit);
  EXPECT_EQ(head().branch, "5");
  write("refs/heads/5", "ref: refs/heads/6");
  write("refs/heads/6", kCommit);
  EXPECT_EQ(refusal("more than 5 refs"), Code::malformed);
}

TEST_F(GitHostile, GarbageIsNeitherReadNorQuoted) {
  const std::string secret = "sk-secret-of-somebody";
  for (const auto& text : {secret, std::string(), std::string(39, 'a'), std::string(41, 'a'),
                           std::string(40, 'g'), kCommit + " " + secret, "ref" + secret}) {
    write("HEAD", text);
    EXPECT_EQ(refusal("neither a commit id"), Code::malformed) << text;
    write("HEAD", "ref: refs/heads/main\n");
    write("refs/heads/main", text);
    EXPECT_EQ(refusal("neither a commit id"), Code::malformed) << text;
    EXPECT_EQ(describe(read_head(folder_.path()).error()).find(secret), std::string::npos);
    fs::remove_all(folder_ / ".git");
  }
  for (const std::string text : {"", "garbage", "gitdir: ", "gitdir: \n", "gitdir: a\nb"}) {
    folder_.write(".git", text);
    EXPECT_EQ(refusal("does not contain the path"), Code::malformed) << text;
  }
}

TEST_F(GitHostile, PackedRefsWithGarbage) {
  write("HEAD", "ref: refs/heads/main\n");
  const auto other = std::string(40, 'b') + " refs/heads/other\n";
  write("packed-refs", "# pack-refs with: peeled\n\n\n \n" + std::string(200000, 'x') +
                           " refs/heads/main\n^" + kCommit + "\n# " + kCommit +
                           " refs/heads/main\n refs/heads/main\n" + other + kCommit +
                           " refs/heads/main");
  EXPECT_EQ(head().commit, kCommit) << "without a newline at its end";
  write("packed-refs", other + kCommit + " refs/heads/main2\n" + kCommit + "refs/heads/main\n");
  EXPECT_EQ(head().commit, "");
  write("packed-refs", "sk-secret refs/heads/main\n");
  EXPECT_EQ(refusal("no commit id"), Code::malformed);
}

TEST_F(GitHostile, ALongPackedRefs) {
  write("HEAD", "ref: refs/heads/main\n");
  std::string text;
  while (text.size() < 1'000'000) text += kCommit + " refs/heads/branch\n^" + kCommit + "\n";
  const auto commit = std::string(40, 'c');
  write("packed-refs", text + commit + " refs/heads/main\n" + text);
  EXPECT_EQ(head().commit, commit);
}

TEST_F(GitHostile, Reftables) {
  write("HEAD", "ref: refs/heads/.invalid\n");
  write("refs/heads", "this repository uses the reftable format\n");
  EXPECT_EQ(head().commit, "");
  EXPECT_EQ(head().branch, "");
  write("HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(head().commit, "");
  EXPECT_EQ(head().branch, "main");
}

TEST_F(GitHostile, GitFilesThatLeadNowhere) {
  folder_.write(".git", "gitdir: /nonexistent/place\n");
  EXPECT_EQ(refusal("not a repository"), Code::not_found);
  folder_.write(".git", "gitdir: " + std::string(3000, 'x') + "\n");
  EXPECT_EQ(refusal("too long"), Code::limit);
  fs::remove(folder_ / ".git");
  write("HEAD", "ref: refs/heads/main\n");
  write("commondir", "/nonexistent/place\n");
  EXPECT_EQ(head().commit, "");
}

TEST(GitRef, AnyPiecesGiveTheSame) {
  const auto text = "# head\n" + kCommit + " refs/heads/a\n" + std::string(40, 'b') +
                    " refs/heads/main\n^" + kCommit + "\n";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    PackedSearch search("refs/heads/main");
    for (std::size_t at = 0; at < text.size(); at += size) search.feed(text.substr(at, size));
    EXPECT_EQ(search.finish(), std::string(40, 'b')) << size;
  }
}

}  // namespace
}  // namespace ralph::git
