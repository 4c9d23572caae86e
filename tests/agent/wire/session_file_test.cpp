#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "agent/session/transcript.h"
#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;

const std::string kStoredId = "11111111-1111-4111-8111-111111111111";

std::string prompt_in(const fs::path& cwd, std::string_view text = "x") {
  return json::write({{"type", "user"},
                      {"uuid", "u"},
                      {"parentUuid", nullptr},
                      {"cwd", cwd.string()},
                      {"message", {{"role", "user"}, {"content", text}}}}) +
         "\n";
}

/// Two folders whose sessions Claude Code keeps in one place.
struct Twins {
  TempFolder folder;
  fs::path config = folder / "config";
  fs::path one = folder / "x/y";
  fs::path other = folder / "x-y";

  Twins() {
    fs::create_directories(one);
    fs::create_directories(other);
  }
  fs::path put(const std::string& id, const fs::path& cwd) const {
    const auto path = transcript_path(config, cwd, id);
    fs::create_directories(path.parent_path());
    std::ofstream(path) << prompt_in(cwd);
    return path;
  }
};

TEST(SessionFile, FoldersThatShareANameDoNotShareSessions) {
  const Twins twins;
  ASSERT_EQ(sessions_folder(twins.config, twins.one), sessions_folder(twins.config, twins.other));
  const auto session = twins.put(kStoredId, twins.one);
  EXPECT_EQ(newest_session(twins.config, twins.one), session);
  EXPECT_EQ(newest_session(twins.config, twins.other), std::nullopt);
  EXPECT_TRUE(belongs_to(session, twins.config, twins.one));
  EXPECT_FALSE(belongs_to(session, twins.config, twins.other));
}

TEST(SessionFile, AnothersSessionIsResumedAsACopyOnly) {
  Bench bench;
  const auto path = transcript_path(bench.home() / ".claude", bench.work(), kStoredId);
  bench.folder().write(fs::relative(path, bench.folder().path()).string(),
                       prompt_in("/somewhere/else", "theirs"));
  const auto refused = bench.ask("go", {"--resume", kStoredId});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(refused.err.contains("belongs to another directory: /somewhere/else")) << refused.err;
  EXPECT_TRUE(refused.err.contains("--fork-session")) << refused.err;
  EXPECT_EQ(refused.result()["is_error"], true);
  EXPECT_TRUE(refused.requests.empty());
  const auto fresh = bench.ask("go", {"--continue"});
  EXPECT_FALSE(json::write(fresh.requests.at(0)["messages"]).contains("theirs"));
  const auto copied = bench.ask("go", {"--resume", kStoredId, "--fork-session"});
  EXPECT_EQ(copied.code, 0) << copied.err;
}

TEST(SessionFile, LinksPipesAndDevicesAreRefused) {
  const TempFolder folder;
  const auto target = folder.write("target.jsonl", prompt_in("/"));
  fs::create_directories(folder / "projects/key");
  const auto path = folder / "projects/key/s.jsonl";
  const auto refused = [&] {
    Transcript transcript(path, {}, "");
    return !read_session(path) && !transcript.append({session::EntryType::user, "", "{}", ""});
  };
  fs::create_symlink(target, path);
  EXPECT_TRUE(refused());
  fs::remove(path);
  fs::create_symlink(folder / "new.jsonl", path);
  EXPECT_TRUE(refused());
  EXPECT_FALSE(fs::exists(folder / "new.jsonl"));
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(refused());
  fs::remove(path);
  fs::create_symlink("/dev/zero", path);
  EXPECT_TRUE(refused());
  EXPECT_EQ(test::text_of(target), prompt_in("/"));

  fs::create_directory_symlink(folder.path(), folder / "projects/other");
  Transcript through(folder / "projects/other/target.jsonl", {}, "");
  EXPECT_FALSE(through.append({session::EntryType::user, "", "{}", ""}))
      << "the folder of a project is no link";
}

TEST(SessionFile, TheFolderOfAllProjectsMayBeALink) {
  const TempFolder folder;
  fs::create_directories(folder / "disk/key");
  fs::create_directory_symlink(folder / "disk", folder / "projects");
  Transcript transcript(folder / "projects/key/s.jsonl", {}, "");
  EXPECT_TRUE(transcript.append({session::EntryType::user, "", R"({"content":"x"})", ""}));
  EXPECT_TRUE(read_session(folder / "projects/key/s.jsonl"));
}

/// Reads a session with a line of 120 MB in a process that may use 256 MB: exit code 0.
int read_with_little_memory(const fs::path& path) {
  const rlimit limit{std::uint64_t{256} << 20, std::uint64_t{256} << 20};
  if (::setrlimit(RLIMIT_DATA, &limit) != 0) return 2;
  const auto session = read_session(path);
  return session && session->messages.size() == 2 && session->notes.size() == 1 ? 0 : 1;
}

TEST(SessionFile, AHugeLineIsLeftOutAndCostsLittleMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need memory of their own";
#endif
  const TempFolder folder;
  fs::create_directories(folder / "projects/key");
  const auto path = folder / "projects/key/s.jsonl";
  {
    std::ofstream file(path);
    file << prompt_in("/") << R"({"type":"user","message":{"content":[)";
    const std::string piece(1 << 20, '0');
    for (int i = 0; i < 120; ++i) file << '1' << piece << ',';
    file << "0]}}\n";
  }
  const auto child = ::fork();
  if (child == 0) std::_Exit(read_with_little_memory(path));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ralph::wire
