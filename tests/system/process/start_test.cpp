#include "system/process/harness.h"

namespace ralph::process {
namespace {

Error start_error(const Command& command) {
  auto child = start(command);
  if (child) {
    ADD_FAILURE() << "the program was started";
    return {};
  }
  return child.error();
}

Command shell(std::string script) { return {.argv = {"sh", "-c", std::move(script)}}; }

TEST(Start, ReportsExitCode) {
  const Ran ran = run(shell("exit 7"));
  EXPECT_EQ(ran.exit.exit_code, 7);
  EXPECT_FALSE(ran.exit.signal);
  EXPECT_EQ(ran.exit.ended_by, EndedBy::nothing);
  EXPECT_EQ(ran.exit.strays, 0);
}

TEST(Start, ReportsSignalThatKilledTheProgram) {
  const Ran ran = run(Agent("signal 9").command);
  EXPECT_EQ(ran.exit.signal, SIGKILL);
  EXPECT_FALSE(ran.exit.exit_code);
  EXPECT_EQ(ran.exit.ended_by, EndedBy::nothing);
}

TEST(Start, ReportsResourceUse) {
  const Ran ran = run(shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"));
  EXPECT_GT(ran.exit.max_rss_kb, 0);
  EXPECT_GT((ran.exit.user_cpu + ran.exit.system_cpu).count(), 0);
  EXPECT_GT(ran.exit.duration.count(), 0);
}

TEST(Start, AddsAndRemovesEnvironment) {
  ::setenv("RALPH_TEST_INHERITED", "from us", 1);
  ::setenv("RALPH_TEST_REMOVED", "still there", 1);
  Agent agent("print-env RALPH_TEST_INHERITED\nprint-env RALPH_TEST_REMOVED\nprint-env ADDED\n");
  agent.command.env.push_back({"RALPH_TEST_REMOVED", std::nullopt});
  agent.command.env.push_back({"ADDED", "a=b \"c\"\nd"});
  EXPECT_EQ(run(agent.command).out,
            "RALPH_TEST_INHERITED=from us\nRALPH_TEST_REMOVED is not set\nADDED=a=b \"c\"\nd\n");
}

TEST(Start, RefusesBadEnvironmentNames) {
  for (const std::string& name : {std::string(), std::string("A=B"), std::string("A\0B", 3)}) {
    EXPECT_EQ(start_error({.argv = {"true"}, .env = {{name, "x"}}}).code, Code::usage);
  }
  EXPECT_EQ(start_error({.argv = {"true"}, .env = {{"A", std::string("\0", 1)}}}).code,
            Code::usage);
}

TEST(Start, RunsInTheFolderAsked) {
  Agent agent("print-cwd");
  agent.command.cwd = agent.folder.path();
  EXPECT_EQ(run(agent.command).out,
            std::filesystem::canonical(agent.folder.path()).string() + "\n");
}

TEST(Start, PassesArgumentsUnchanged) {
  Agent agent("print-args");
  const std::vector<std::string> odd{"it's",
                                     "\"double\"",
                                     "a\nb",
                                     "$(touch x)",
                                     "`id`",
                                     "",
                                     "\\n",
                                     "--",
                                     "-p",
                                     "*",
                                     "\xf0\x9f\x98\x80 \xff",
                                     "a b\tc"};
  agent.command.argv.insert(agent.command.argv.end(), odd.begin(), odd.end());
  const std::string out = run(agent.command).out;
  EXPECT_EQ(out.substr(out.find("it's")),
            "it's\n\"double\"\na\\nb\n$(touch x)\n`id`\n\n\\\\n\n--\n-p\n*\n\xf0\x9f\x98\x80 "
            "\xff\na b\tc\n");
}

TEST(Start, RefusesNulInArguments) {
  const Error error = start_error({.argv = {"echo", std::string("a\0b", 3)}});
  EXPECT_EQ(error.code, Code::usage);
  EXPECT_EQ(error.message, "argument 1 of 'echo' has a NUL byte");
}

TEST(Start, RefusesEmptyCommand) {
  EXPECT_EQ(start_error({}).code, Code::usage);
  EXPECT_EQ(start_error({.argv = {""}}).code, Code::usage);
}

TEST(Start, PassesTheLongestArgumentTheSystemAllows) {
  const Ran ran = run({.argv = {"sh", "-c", "echo ${#1}", "sh", std::string(131'071, 'x')}});
  EXPECT_EQ(ran.out, "131071\n");
}

TEST(Start, SaysThatAnArgumentIsTooLong) {
  const Error error = start_error({.argv = {"echo", std::string(131'072, 'x')}});
  EXPECT_EQ(error.code, Code::limit);
  EXPECT_EQ(
      error.message,
      "arguments too long: one argument may have at most 131,071 bytes, argument 1 of 'echo' has "
      "131072");
  EXPECT_EQ(error.hint, "send the prompt by stdin or in a file");
}

TEST(Start, SaysThatAllArgumentsTogetherAreTooLong) {
  Command command{.argv = {"echo"}};
  const std::string word(120'000, 'x');
  command.argv.insert(command.argv.end(), 60, word);
  const Error error = start_error(command);
  EXPECT_EQ(error.code, Code::limit);
  EXPECT_NE(error.message.find("together"), std::string::npos) << error.message;
}

TEST(Start, SaysThatAProgramIsNotInPath) {
  const Error error = start_error({.argv = {"ralph-no-such-program"}});
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_EQ(error.message, "program 'ralph-no-such-program' was not found in PATH");
}

TEST(Start, SaysThatAPathDoesNotExist) {
  const Error error = start_error({.argv = {"/nowhere/claude"}});
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_EQ(error.message, "program '/nowhere/claude' does not exist");
}

TEST(Start, LooksInThePathTheProgramWillSee) {
  const TempFolder folder;
  folder.write("my-tool", "#!/bin/sh\necho found\n", 0755);
  Command command{.argv = {"my-tool"}, .env = {{"PATH", folder.path().string()}}};
  EXPECT_EQ(run(command).out, "found\n");
  command.env = {{"PATH", "bin:."}};
  command.cwd = folder.path();
  EXPECT_EQ(run(command).out, "found\n");
  command.env = {{"PATH", "/nowhere"}};
  EXPECT_EQ(start_error(command).code, Code::not_found);
}

TEST(Start, ResolvesARelativeProgramInItsWorkingFolder) {
  const TempFolder folder;
  folder.write("tool", "#!/bin/sh\necho here\n", 0755);
  EXPECT_EQ(run({.argv = {"./tool"}, .cwd = folder.path()}).out, "here\n");
}

TEST(Start, SaysThatAnInterpreterIsMissing) {
  const TempFolder folder;
  const std::string path = folder.write("tool", "#! /opt/no-such-node --flag\n", 0755);
  const Error error = start_error({.argv = {path}});
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_EQ(error.message,
            "the interpreter '/opt/no-such-node' of script '" + path + "' does not exist");
}

TEST(Start, SaysThatAScriptHasWindowsLineEndings) {
  const TempFolder folder;
  const std::string path = folder.write("tool", "#!/bin/sh\r\necho hi\r\n", 0755);
  const Error error = start_error({.argv = {path}});
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_NE(error.message.find("Windows line endings"), std::string::npos) << error.message;
}

TEST(Start, SaysThatAFileIsNotExecutable) {
  const TempFolder folder;
  const std::string path = folder.write("tool", "#!/bin/sh\n", 0644);
  for (const Command& command :
       {Command{.argv = {path}},
        Command{.argv = {"tool"}, .env = {{"PATH", folder.path().string()}}}}) {
    const Error error = start_error(command);
    EXPECT_EQ(error.code, Code::permission);
    EXPECT_EQ(error.message, "'" + path + "' is not executable");
  }
}

TEST(Start, SaysThatAProgramIsAFolder) {
  const TempFolder folder;
  const Error error = start_error({.argv = {folder.path().string()}});
  EXPECT_EQ(error.code, Code::permission);
  EXPECT_NE(error.message.find("is a directory"), std::string::npos) << error.message;
}

TEST(Start, SaysThatAFileIsNoProgram) {
  const TempFolder folder;
  const std::string text = folder.write("text", "echo no first line\n", 0755);
  const std::string empty = folder.write("empty", "", 0755);
  const std::string alien =
      folder.write("alien", std::string("\177ELF\2\1\1\0", 8) + std::string(60, '\x7'), 0755);
  EXPECT_EQ(start_error({.argv = {text}}).code, Code::malformed);
  EXPECT_NE(start_error({.argv = {text}}).message.find("#!"), std::string::npos);
  EXPECT_NE(start_error({.argv = {empty}}).message.find("empty"), std::string::npos);
  EXPECT_NE(start_error({.argv = {alien}}).message.find("another machine architecture"),
            std::string::npos);
}

TEST(Start, SaysThatTheWorkingFolderIsMissing) {
  const TempFolder folder;
  const Error missing = start_error({.argv = {"true"}, .cwd = folder / "gone"});
  EXPECT_EQ(missing.code, Code::not_found);
  EXPECT_EQ(missing.message,
            "working directory '" + (folder / "gone").string() + "' does not exist");
  const std::string file = folder.write("file", "");
  EXPECT_EQ(start_error({.argv = {"true"}, .cwd = file}).message,
            "working directory '" + file + "' is not a directory");
}

TEST(Start, LeaksNoDescriptorIntoTheProgram) {
  const int ours = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC, on purpose
  const Ran ran = run(shell("ls /proc/$$/fd"));
  ::close(ours);
  EXPECT_EQ(ran.out, "0\n1\n2\n");
}

TEST(Start, GivesTheProgramDefaultSignals) {
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const Ran ran = run({.argv = {"grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"}});
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  const auto signals = [&](std::string_view name) {
    // 32 and 33 belong to glibc, whose posix_spawn ignores them in every program it starts.
    const std::size_t at = ran.out.find(name) + name.size();
    return std::stoull(ran.out.substr(at), nullptr, 16) & ~0x180000000ULL;
  };
  ASSERT_NE(ran.out.find("SigIgn:"), std::string::npos);
  EXPECT_EQ(signals("SigBlk:"), 0U);
  EXPECT_EQ(signals("SigIgn:"), 0U);
}

TEST(Start, WorksWhenOurOwnStdioIsClosed) {
  // A harness started without stdio gets pipes numbered 0, 1 and 2.
  const int saved[3] = {::dup(0), ::dup(1), ::dup(2)};
  for (int fd = 0; fd <= 2; ++fd) ::close(fd);
  Agent agent("echo-stdin\nstderr oops\n");
  agent.command.input = StdinText{"hello\n"};
  std::string out;
  std::string err;
  std::optional<int> exit_code;
  if (auto child = start(agent.command)) {
    RunHandle watch;
    exit_code = supervise(*std::move(child), {append_to(out), append_to(err)}, watch, {}).exit_code;
  }
  for (int fd = 0; fd <= 2; ++fd) {
    ::dup2(saved[fd], fd);
    ::close(saved[fd]);
  }
  EXPECT_EQ(exit_code, 0);
  EXPECT_EQ(out, "hello\n");
  EXPECT_EQ(err, "oops\n");
}

TEST(Start, AChildThatIsNeverSupervisedEndsWithItsTree) {
  Agent agent("spawn-tool\ndaemon\nignore-term\nnotify DIR/up\nhang\n");
  {
    auto child = start(agent.command);
    ASSERT_TRUE(child) << describe(child.error());
    ASSERT_TRUE(agent.reached("up"));
  }
  EXPECT_TRUE(agent.nothing_alive());
}

}  // namespace
}  // namespace ralph::process
