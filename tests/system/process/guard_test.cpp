// What the guard is there for when other parts of the supervision are gone, refused or too weak.
#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "system/process/guard/launch.h"
#include "system/process/harness.h"

namespace ralph::process {
namespace {

using Words = std::vector<std::string>;

std::vector<char*> pointers(Words& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// A copy of this program that plays a harness, in a folder of its own.
struct Harness {
  TempFolder folder;
  std::string mark = random_hex(8);
  std::string program = (folder / "harness").string();
  pid_t pid = -1;

  Harness() {
    std::filesystem::copy_file("/proc/self/exe", program);
    ::chmod(program.c_str(), 0755);
  }
  ~Harness() {
    for (const pid_t left : alive_with_mark(mark)) ::kill(left, SIGKILL);
    EXPECT_TRUE(eventually([] { return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }));
  }
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  /// $DIR is the folder. `before` is put in front of the command line.
  void start(const std::string& script, const Words& more = {}, Words before = {}) {
    Words environment{"RALPH_TEST_SHELL_HARNESS=" + script, "RALPH_TEST_MARK=" + mark,
                      "DIR=" + folder.path().string(), "PATH=/usr/bin:/bin"};
    environment.insert(environment.end(), more.begin(), more.end());
    before.push_back(program);
    const std::string path = before.front();
    ASSERT_EQ(::posix_spawn(&pid, path.c_str(), nullptr, nullptr, pointers(before).data(),
                            pointers(environment).data()),
              0);
  }
  int wait() const {
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  bool reached(std::string_view file) const {
    return eventually([&] { return std::filesystem::exists(folder / file); });
  }
  std::string read(std::string_view file) const { return test::text_of(folder / file); }
};

std::uint64_t signals(const std::string& status, std::string_view name) {
  const auto at = status.find(name);
  return at == status.npos ? 0 : std::stoull(status.substr(at + name.size()), nullptr, 16);
}
std::uint64_t bit(int signal_number) { return std::uint64_t{1} << (signal_number - 1); }

TEST(GuardFile, IsUsedWhereAProgramInMemoryIsRefused) {
  Harness harness;
  std::filesystem::copy(harness.program, harness.folder / "ralph-guard");
  harness.start("echo ran >\"$DIR/out\"", {"RALPH_TEST_NO_MEMFD=1"});
  EXPECT_EQ(harness.wait(), 0);
  EXPECT_EQ(harness.read("out"), "ran\n");
  const auto status = harness.read("status");
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
    EXPECT_NE(signals(status, "SigBlk:\t") & bit(number), 0U)
        << number << " could end the guard before it is set up";
  }
  EXPECT_EQ(signals(status, "SigIgn:\t") & bit(SIGUSR2), 0U) << "the harness ignores it";
  EXPECT_EQ(harness.read("image"), "closed") << "there is none";
}

TEST(GuardFile, ThatIsMissingTooIsNamed) {
  Harness harness;
  harness.start("echo ran >\"$DIR/out\"", {"RALPH_TEST_NO_MEMFD=1"});
  EXPECT_EQ(harness.wait(), 99);
  EXPECT_EQ(harness.read("out"), "");
}

/// A harness that is stopped can end nothing: the agent goes because its parent does.
TEST(GuardDeath, EndsTheAgentAtOnce) {
  Harness harness;
  harness.start(
      "echo $PPID >\"$DIR/guard.new\"; mv \"$DIR/guard.new\" \"$DIR/guard\"; exec sleep 1000");
  ASSERT_TRUE(harness.reached("guard"));
  const pid_t guard = std::atoi(harness.read("guard").c_str());
  ASSERT_GT(guard, 1);
  ::kill(harness.pid, SIGSTOP);
  ::kill(guard, SIGKILL);
  EXPECT_TRUE(
      eventually([&] { return alive_with_mark(harness.mark) == std::vector{harness.pid}; }));
}

/// In a namespace of its own a child sees 0 as its parent: as if the guard had been killed since.
int launch_in_new_namespace(bool separate, const std::string& file) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (separate && ::unshare(CLONE_NEWPID) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
      ::_exit(77);
    }
    Words words{"touch", file};
    const auto argv = pointers(words);
    guard::Launch agent;
    agent.program = "/usr/bin/touch";
    agent.argv = const_cast<char**>(argv.data());
    const pid_t child = guard::launch(agent);
    int status = 0;
    if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) ::_exit(78);
    ::_exit(WEXITSTATUS(status));
  }
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return WEXITSTATUS(status);
}

TEST(GuardDeath, BeforeTheAgentAskedForASignalKeepsItFromStarting) {
  const TempFolder folder;
  EXPECT_EQ(launch_in_new_namespace(false, (folder / "a").string()), 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "a"));
  const int code = launch_in_new_namespace(true, (folder / "b").string());
  if (code == 77) GTEST_SKIP() << "no process namespaces here";
  EXPECT_EQ(code, 127);
  EXPECT_FALSE(std::filesystem::exists(folder / "b"));
}

/// A guard that held them would keep a folder from being unmounted, and pipes from ending.
TEST(Guard, HoldsNeitherTheFolderNorTheStdioOfItsProgram) {
  Agent agent("hang\n");
  agent.command.cwd = agent.folder.path();
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  const std::string proc = "/proc/" + std::to_string(child->guard_pid());
  EXPECT_EQ(std::filesystem::read_symlink(proc + "/cwd"), "/");
  for (const auto* fd : {"/fd/0", "/fd/1", "/fd/2"}) {
    EXPECT_FALSE(std::filesystem::is_symlink(proc + fd)) << fd;
  }
}

/// A ralph of another version is as good as none.
TEST(GuardProtocol, ARequestOfAnotherVersionEndsTheTree) {
  Agent agent("notify DIR/up\nhang\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ASSERT_TRUE(agent.reached("up"));
  ChildParts parts = child->take();
  guard::Request request;
  request.version = guard::kVersion + 1;
  request.kind = guard::RequestKind::signal;
  ASSERT_EQ(::send(parts.control.get(), &request, sizeof request, MSG_NOSIGNAL),
            static_cast<ssize_t>(sizeof request));
  EXPECT_TRUE(eventually([&] { return agent.nothing_alive(); }));
  const Child last(std::move(parts));
}

/// The thread that supervises is in the sink: the stop must not wait for it, and counts as the reason.
TEST(StopRequest, EndsTheTreeWhileASinkBlocks) {
  Agent agent("line one\nhang\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  std::stop_source stop;
  const Sink sink = [&](std::string_view) -> Result<> {
    stop.request_stop();
    EXPECT_TRUE(eventually([&] { return agent.nothing_alive(); }));
    return {};
  };
  RunHandle watch;
  const Exit exit = supervise(*std::move(child), {sink, {}}, watch, stop.get_token(), patient());
  EXPECT_EQ(exit.ended_by, EndedBy::stop_request);
}

/// When ralph is gone, an agent still gets SIGTERM and a moment to leave by itself.
TEST(GuardOfALostHarness, LetsTheAgentLeaveByItself) {
  for (int round = 0; round < 20; ++round) {  // a loaded machine may miss the moment
    Harness harness;
    harness.start("trap ': >\"$DIR/left\"; exit' TERM; : >\"$DIR/up\"; sleep 1000 & wait");
    ASSERT_TRUE(harness.reached("up"));
    ::kill(harness.pid, SIGKILL);
    EXPECT_TRUE(eventually([&] { return alive_with_mark(harness.mark).empty(); }));
    if (std::filesystem::exists(harness.folder / "left")) return;
  }
  FAIL() << "it was killed each time";
}

/// What a program leaves behind is no stray when it leaves by itself a moment later.
TEST(Settling, SparesWhatIsLeavingByItself) {
  for (int round = 0; round < 20; ++round) {  // a loaded machine may take longer
    if (run(Agent("leaving-grandchild 5\nexit 0\n").command).exit.strays == 0) return;
  }
  FAIL() << "it was counted each time";
}

/// While the number is a zombie's, no other group can have it: what is sent to the program's group stays in its tree.
TEST(Sweep, TheProgramsNumberIsKeptWhileItsTreeMayLive) {
  Agent agent("daemon\nnotify DIR/up\nhang\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  const pid_t program = child->program_pid();
  const pid_t guard = child->guard_pid();
  std::stop_source stop;
  std::jthread supervisor([&] {
    RunHandle watch;
    supervise(*std::move(child), {}, watch, stop.get_token(), patient());
  });
  EXPECT_TRUE(agent.reached("up"));
  stop.request_stop();
  ProcessInfo info;
  EXPECT_TRUE(eventually([&] { return !read_process(program, info) || info.state == 'Z'; }));
  std::this_thread::sleep_for(Millis{50});  // longer than a guard needs that reaps it
  EXPECT_TRUE(read_process(program, info) && info.state == 'Z');
  for (const pid_t left : alive_with_mark(agent.mark)) {
    if (left != guard) ::kill(left, SIGKILL);
  }
}

/// A setuid copy of setpriv: what it starts belongs to root, and nobody else can end it.
class UnkillableChild : public testing::Test {
 protected:
  static constexpr uid_t kUser = 64'123;  // of nobody

  void SetUp() override {
    if (::geteuid() != 0 || !std::filesystem::exists("/usr/bin/setpriv")) {
      GTEST_SKIP() << "needs root and setpriv";
    }
    // Nobody else may reach a program that makes root of its caller.
    const auto& folder = harness_.folder.path();
    ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
    if (::chown(folder.c_str(), kUser, kUser) != 0) GTEST_SKIP() << "needs another user's number";
    const auto to_root = harness_.folder / "to-root";
    std::filesystem::copy_file("/usr/bin/setpriv", to_root);
    ASSERT_EQ(::chmod(to_root.c_str(), 04755), 0);
  }
  int run_as_user(const Words& more) {
    harness_.start(
        "\"$DIR/to-root\" --reuid 0 --regid 0 --clear-groups sh -c ': >\"$DIR/up\"; exec sleep "
        "1000' &\n"
        "until [ -e \"$DIR/up\" ]; do sleep 0.01; done\n"
        "[ -z \"$RALPH_TEST_KILL_GUARD_AFTER\" ] || exec sleep 1000",
        more,
        {"/usr/bin/setpriv", "--reuid", std::to_string(kUser), "--regid", std::to_string(kUser),
         "--clear-groups"});
    return harness_.wait();
  }

  Harness harness_;
};

TEST_F(UnkillableChild, IsReportedAsLeft) { EXPECT_EQ(run_as_user({}), 1); }

TEST_F(UnkillableChild, OfALostGuardIsReportedAsLeft) {
  EXPECT_EQ(run_as_user({"RALPH_TEST_KILL_GUARD_AFTER=" + (harness_.folder / "up").string()}), 1);
}

}  // namespace
}  // namespace ralph::process
