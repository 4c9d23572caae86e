#include "harness/store/lock.h"

#include <atomic>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/time.h"
#include "core/json/document.h"
#include "harness/store/workspace.h"
#include "support/temp_folder.h"
#include "system/process/supervise.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using test::text_of;

struct Pipe {
  UniqueFd read_end, write_end;
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
  }
  /// Waits for a byte; '\0': everybody has closed the other end.
  char read() const {
    char byte = '\0';
    return ::read(read_end.get(), &byte, 1) == 1 ? byte : '\0';
  }
  void write(char byte) const { EXPECT_EQ(::write(write_end.get(), &byte, 1), 1); }
};

/// Another process that takes the lock, says 'y' or 'n', and holds it until it is killed.
class Holder {
 public:
  explicit Holder(const fs::path& file) : pid_(::fork()) {
    if (pid_ == 0) {
      const auto lock = Lock::take(Location(file), LockUser::run);
      said_.write(lock ? 'y' : 'n');
      for (;;) ::pause();
    }
    said_.write_end.reset();
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() { kill(); }

  pid_t pid() const { return pid_; }
  bool has_it() const { return said_.read() == 'y'; }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }

 private:
  Pipe said_;
  pid_t pid_;
};

/// The lock held without a word in the file, as between taking it and telling.
UniqueFd hold_silently(const fs::path& file) {
  UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(::flock(fd.get(), LOCK_EX | LOCK_NB), 0);
  return fd;
}

void expect_busy(const Result<Lock>& lock) {
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, Code::busy);
  EXPECT_TRUE(lock.error().message.starts_with("another run is using this workspace"))
      << lock.error().message;
  EXPECT_NE(lock.error().hint.find("wait until it ends"), std::string::npos) << lock.error().hint;
}

TEST(Lock, TellsWhoHoldsIt) {
  const TempFolder folder;
  const auto lock = Lock::take(Location(folder / "lock"), LockUser::run);
  ASSERT_TRUE(lock);
  const auto text = text_of(folder / "lock");
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "one line";
  const auto note = *json::parse(text);
  EXPECT_EQ(note["pid"], ::getpid());
  EXPECT_EQ(note["what"], "ralph run");
  EXPECT_TRUE(parse_iso(note["started"].get<std::string>()));
  EXPECT_GT(note["start_ticks"].get<std::int64_t>(), 0);

  const auto second = Lock::take(Location(folder / "lock"), LockUser::loop);
  expect_busy(second);
  EXPECT_EQ(second.error().message,
            fmt::format("another run is using this workspace (ralph run, pid {}, since {})",
                        ::getpid(), note["started"].get<std::string>()));
  EXPECT_EQ(text_of(folder / "lock"), text) << "whoever fails changes nothing";
}

TEST(Lock, NamesTheLoopThatHoldsIt) {
  const TempFolder folder;
  const Location file(folder / "lock");
  const auto lock = Lock::take(file, LockUser::loop, "20261115-143740-1f2e3d");
  ASSERT_TRUE(lock);
  const auto holder = Lock::holder(file);
  ASSERT_TRUE(holder);
  EXPECT_EQ(holder->id, "20261115-143740-1f2e3d");
  EXPECT_EQ(holder->user, LockUser::loop);
  auto note = *json::parse(text_of(folder / "lock"));
  note["id"] = "../../etc";
  folder.write("lock", json::write(note));
  EXPECT_EQ(Lock::holder(file)->id, "") << "it becomes a part of paths";
}

TEST(Lock, IsReleasedAndTheFileStaysEmpty) {
  const TempFolder folder;
  {
    const auto lock = Lock::take(Location(folder / "lock"), LockUser::run);
  }
  EXPECT_TRUE(fs::exists(folder / "lock"));
  EXPECT_EQ(text_of(folder / "lock"), "");
  EXPECT_TRUE(Lock::take(Location(folder / "lock"), LockUser::run));
}

TEST(Lock, WhoeverLooksLearnsWhoHoldsIt) {
  const TempFolder folder;
  EXPECT_FALSE(Lock::holder(Location(folder / "lock")));
  EXPECT_FALSE(fs::exists(folder / "lock")) << "looking makes nothing";
  {
    const auto lock = Lock::take(Location(folder / "lock"), LockUser::loop);
    ASSERT_TRUE(lock);
    const auto text = text_of(folder / "lock");
    const auto holder = Lock::holder(Location(folder / "lock"));
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->pid, ::getpid());
    EXPECT_EQ(holder->user, LockUser::loop);
    EXPECT_EQ(text_of(folder / "lock"), text);
  }
  EXPECT_FALSE(Lock::holder(Location(folder / "lock")));
}

TEST(Lock, AHolderWhoHasNotSaidItsNameIsSeen) {
  const TempFolder folder;
  const auto held = hold_silently(folder / "lock");
  const auto holder = Lock::holder(Location(folder / "lock"));
  ASSERT_TRUE(holder);
  EXPECT_EQ(holder->pid, ::getpid());
  EXPECT_EQ(holder->user, LockUser::unknown);
}

/// The file may name any process; a signal must not reach that one.
TEST(Lock, TheHolderIsWhoHasTheLockNotWhomTheFileNames) {
  const TempFolder folder;
  Holder other(folder / "other");
  ASSERT_TRUE(other.has_it());
  const auto lock = Lock::take(Location(folder / "lock"), LockUser::loop);
  ASSERT_TRUE(lock);
  folder.write("lock", text_of(folder / "other"));
  const auto holder = Lock::holder(Location(folder / "lock"));
  ASSERT_TRUE(holder);
  EXPECT_EQ(holder->pid, ::getpid());
  const auto second = Lock::take(Location(folder / "lock"), LockUser::run);
  expect_busy(second);
  EXPECT_TRUE(second.error().hint.ends_with(fmt::format("kill {}", ::getpid())));
}

TEST(Lock, AProgramThatIsNotRalphIsNotNamed) {
  const TempFolder folder;
  folder.write("lock", "");
  auto child = process::start({.argv = {"flock", (folder / "lock").native(), "sleep", "1000"}});
  ASSERT_TRUE(child) << describe(child.error());
  std::optional<Lock::Holder> holder;
  while (!(holder = Lock::holder(Location(folder / "lock")))) std::this_thread::yield();
  EXPECT_EQ(holder->pid, 0);
}

TEST(Lock, ANoteWithoutTheLockIsNoHolder) {
  const TempFolder folder;
  std::string note;
  {
    const auto lock = Lock::take(Location(folder / "lock"), LockUser::loop);
    note = text_of(folder / "lock");
  }
  folder.write("lock", note);
  EXPECT_FALSE(Lock::holder(Location(folder / "lock")));
}

TEST(Lock, OfAKilledProcessHasNoHolder) {
  const TempFolder folder;
  Holder other(folder / "lock");
  ASSERT_TRUE(other.has_it());
  ASSERT_TRUE(Lock::holder(Location(folder / "lock")));
  EXPECT_EQ(Lock::holder(Location(folder / "lock"))->pid, other.pid());
  other.kill();
  EXPECT_FALSE(Lock::holder(Location(folder / "lock")));
}

TEST(Lock, MovesWithItsObject) {
  const TempFolder folder;
  auto first = Lock::take(Location(folder / "lock"), LockUser::run);
  ASSERT_TRUE(first);
  {
    const Lock moved = *std::move(first);
    expect_busy(Lock::take(Location(folder / "lock"), LockUser::run));
    EXPECT_NE(text_of(folder / "lock"), "");
  }
  EXPECT_TRUE(Lock::take(Location(folder / "lock"), LockUser::run));
}

TEST(Lock, OfAKilledProcessIsTakenOver) {
  const TempFolder folder;
  Holder holder(folder / "lock");
  ASSERT_TRUE(holder.has_it());
  const auto pid = holder.pid();
  const auto while_it_lives = Lock::take(Location(folder / "lock"), LockUser::run);
  expect_busy(while_it_lives);
  EXPECT_NE(while_it_lives.error().message.find(fmt::format("pid {}", pid)), std::string::npos);
  EXPECT_NE(while_it_lives.error().hint.find(fmt::format("kill {}", pid)), std::string::npos);
  holder.kill();
  EXPECT_NE(text_of(folder / "lock"), "") << "a killed process leaves its note";
  const auto lock = Lock::take(Location(folder / "lock"), LockUser::run);
  ASSERT_TRUE(lock) << describe(lock.error());
  EXPECT_EQ((*json::parse(text_of(folder / "lock")))["pid"], ::getpid());
}

TEST(Lock, OfTwoThreadsAtOnceExactlyOneWins) {
  const TempFolder folder;
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> waiting = 2, winners = 0, losers = 0;
    const auto race = [&] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      const auto lock = Lock::take(Location(folder / "lock"), LockUser::run);
      ++(lock ? winners : losers);
      while (winners + losers < 2) std::this_thread::yield();
    };
    {
      const std::jthread one(race), two(race);
    }
    EXPECT_EQ(winners, 1);
  }
}

TEST(Lock, OfTwoProcessesAtOnceExactlyOneWins) {
  const TempFolder folder;
  for (int round = 0; round < 20; ++round) {
    const Holder one(folder / "lock"), two(folder / "lock");
    EXPECT_NE(one.has_it(), two.has_it());
  }
}

TEST(Lock, IsNotKeptByAProgramStartedMeanwhile) {
  const TempFolder folder;
  auto lock = std::make_unique<Lock>(*Lock::take(Location(folder / "lock"), LockUser::run));
  auto child = process::start({.argv = {"sleep", "1000"}});
  ASSERT_TRUE(child) << describe(child.error());
  lock.reset();
  EXPECT_TRUE(Lock::take(Location(folder / "lock"), LockUser::run));
}

/// Whoever runs a program without closing everything does not hand the lock on either.
TEST(Lock, IsClosedByExec) {
  const TempFolder folder;
  const auto lock = Lock::take(Location(folder / "lock"), LockUser::run);
  int found = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    if (fs::read_symlink(entry.path(), ignored) != folder / "lock") continue;
    ++found;
    EXPECT_EQ(::fcntl(std::stoi(entry.path().filename()), F_GETFD), FD_CLOEXEC);
  }
  EXPECT_EQ(found, 1);
}

TEST(Lock, ANoteThatSaysNothingStillGivesASensibleMessage) {
  const TempFolder folder;
  const auto holder = hold_silently(folder / "lock");
  const std::string notes[] = {
      "",
      "{\"pid\":12",
      "null",
      "[]",
      "\xff\xfe",
      std::string(100'000, '{'),
      R"({"pid":"x","start_ticks":{},"what":3})",
      R"({"pid":99999999999999999999,"start_ticks":1e300})",
      R"({"pid":-1,"start_ticks":5,"what":"ralph run"})",
      fmt::format(R"({{"pid":{},"start_ticks":1,"what":"a dead one's"}})", ::getpid()),
  };
  for (const auto& note : notes) {
    folder.write("lock", note);
    const auto lock = Lock::take(Location(folder / "lock"), LockUser::run);
    expect_busy(lock);
    EXPECT_TRUE(lock.error().message.ends_with(
        fmt::format("(a run, pid {}, since an unknown time)", ::getpid())))
        << lock.error().message;
  }
}

TEST(Lock, TextInTheFileDoesNotReachTheTerminal) {
  const TempFolder folder;
  std::string ticks;
  {
    const auto lock = Lock::take(Location(folder / "lock"), LockUser::run);
    ticks = (*json::parse(text_of(folder / "lock")))["start_ticks"].dump();
  }
  const auto holder = hold_silently(folder / "lock");
  folder.write("lock",
               fmt::format(R"({{"pid":{},"start_ticks":{},"what":"\u001b[31m{}","started":"x"}})",
                           ::getpid(), ticks, std::string(1000, 'a')));
  const auto lock = Lock::take(Location(folder / "lock"), LockUser::run);
  expect_busy(lock);
  EXPECT_EQ(lock.error().message.find('\x1b'), std::string::npos);
  EXPECT_LT(lock.error().message.size(), 200u);
  EXPECT_NE(lock.error().message.find(fmt::format("pid {}", ::getpid())), std::string::npos);
}

TEST(Lock, CannotBeMade) {
  const TempFolder folder;
  fs::create_directory(folder / "folder");
  folder.write("target", "precious");
  fs::create_symlink("target", folder / "link");
  for (const auto name : {"folder", "link", "no/such"}) {
    const auto lock = Lock::take(Location(folder / name), LockUser::run);
    ASSERT_FALSE(lock) << name;
    EXPECT_EQ(lock.error().code, Code::storage) << name;
    EXPECT_NE(lock.error().message.find(name), std::string::npos);
    EXPECT_NE(lock.error().hint, "") << name;
  }
  EXPECT_EQ(text_of(folder / "target"), "precious");
}

}  // namespace
}  // namespace ralph::store
