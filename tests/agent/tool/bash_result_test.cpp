#include <fmt/format.h>

#include "agent/tool/bash_harness.h"
#include "agent/tool/bash_heuristics.h"

namespace ralph::tool {
namespace {

nlohmann::json detail_of(std::string_view out) {
  return {{"stdout", out},
          {"stderr", ""},
          {"interrupted", false},
          {"isImage", false},
          {"noOutputExpected", false}};
}

TEST(BashResult, IsRegisteredWithAJsonSchema) {
  ASSERT_NE(find_tool("Bash"), nullptr);
  EXPECT_EQ(find_tool("bash"), nullptr);
  const auto definition_json = nlohmann::json::parse(definition(*find_tool("Bash")));
  EXPECT_EQ(definition_json["name"], "Bash");
  EXPECT_FALSE(definition_json["description"].get<std::string>().empty());
  const auto& schema = definition_json["input_schema"];
  EXPECT_EQ(schema["required"], nlohmann::json({"command"}));
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["properties"].size(), 5u);
  EXPECT_TRUE(std::ranges::is_sorted(tools(), {}, &Tool::name));
}

TEST(BashResult, FailureAndMisuseSayTheSameToTheClient) {
  EXPECT_EQ(failure("a\"b").content, R"("a\"b")");
  EXPECT_EQ(failure("a").detail, R"("Error: a")");
  EXPECT_EQ(misuse("a").content, R"("<tool_use_error>a</tool_use_error>")");
  EXPECT_EQ(misuse("a").detail, R"("Error: a")");
  EXPECT_EQ(misuse("a").is_error, true);
}

TEST(BashResult, AccessIsTheCommand) {
  Session session;
  const auto access =
      bash_tool().access(ralph::json::parse(R"({"command":"ls"})").value(), session.workspace());
  EXPECT_EQ(access.kind, Access::Kind::run);
  EXPECT_EQ(access.command, "ls");
}

TEST(Tools, OnlyCallsThatChangeNothingRunInParallel) {
  const auto is_parallel = [](const char* command) {
    return bash_tool().is_parallel({{"command", command}});
  };
  EXPECT_TRUE(is_parallel("ls | wc -l"));
  EXPECT_FALSE(is_parallel("touch file"));
  EXPECT_FALSE(is_parallel("cd src && ls"));
  EXPECT_FALSE(bash_tool().is_parallel({}));
  for (const auto* const tool : tools()) {
    const auto name = tool->name();
    const bool reads = name == "Read" || name == "Glob" || name == "Grep";
    EXPECT_EQ(tool->is_parallel({}), reads) << name;
  }
}

TEST(BashResult, MergesBothOutputsInOrder) {
  Session session;
  const auto answer =
      session.run("echo hello; echo err >&2; echo more; ls /nonexistent-zz >/dev/null; true");
  EXPECT_TRUE(answer.content.starts_with("hello\nerr\nmore\nls: ")) << answer.content;
  EXPECT_EQ(answer.is_error, false);
  EXPECT_EQ(answer.detail, detail_of(answer.content));
  EXPECT_EQ(answer.task, "");
}

TEST(BashResult, NoOutput) {
  Session session;
  const auto answer = session.run("true");
  EXPECT_EQ(answer.content, "(Bash completed with no output)");
  EXPECT_EQ(answer.detail, detail_of(""));
  EXPECT_EQ(session.run("touch a && rm a").detail["noOutputExpected"], true);
}

TEST(BashResult, AFailureIsTextForModelAndClient) {
  Session session;
  const auto answer = session.run("echo out; echo bad >&2; exit 2");
  EXPECT_EQ(answer.content, "Exit code 2\nout\nbad");
  EXPECT_EQ(answer.is_error, true);
  EXPECT_EQ(answer.detail, "Error: Exit code 2\nout\nbad");
  EXPECT_EQ(session.run("exit 3").content, "Exit code 3");
  EXPECT_EQ(session.run("exit 300").content, "Exit code 44");
  EXPECT_EQ(session.run("kill -9 $$").content, "Exit code 137");
  EXPECT_EQ(session.run("kill -TERM $$").content, "Exit code 143");
  EXPECT_NE(session.run("nosuchcmd_zz").content.find("line 1: nosuchcmd_zz: command not found"),
            std::string::npos);
  EXPECT_TRUE(session.run("echo (").content.starts_with("Exit code 2\n"));
}

TEST(BashResult, ExitCodeOneMayBeASuccess) {
  Session session;
  session.folder.write("work/a", "1\n");
  session.folder.write("work/b", "2\n");
  struct Case {
    std::string command;
    std::string meaning;
  };
  for (const auto& [command, meaning] :
       {Case{"grep zz a", "No matches found"},
        Case{"cat a | LC_ALL=C /bin/grep 'z;z'", "No matches found"},
        Case{"diff a b", "Files differ"}, Case{"test -e zz", "Condition is false"},
        Case{"[ -e zz ]", "Condition is false"},
        Case{"echo x; grep zz a 2>&1", "No matches found"}}) {
    const auto answer = session.run(command);
    EXPECT_EQ(answer.is_error, false) << command;
    EXPECT_EQ(answer.detail.value("returnCodeInterpretation", ""), meaning) << command;
  }
  EXPECT_EQ(session.run("grep zz nofile-zz").is_error, true);  // 2
  EXPECT_EQ(session.run("echo 'grep'; false").is_error, true);
  EXPECT_EQ(session.run("(exit 1)").is_error, true);
  EXPECT_EQ(session.run("grep 1 a").detail.contains("returnCodeInterpretation"), false);
}

TEST(BashResult, BytesBecomeText) {
  Session session;
  EXPECT_EQ(session.run(R"(printf "\x1b[31mred\x1b[0m\xff\n\n")").content,
            "\x1b[31mred\x1b[0m\xef\xbf\xbd");
  EXPECT_EQ(session.run(R"(printf 'a\0b\n')").content,
            "a\xef\xbf\xbd"
            "b");
  // A character in two writes.
  EXPECT_EQ(session.run(R"(printf '\xe2\x82'; sleep 0.05; printf '\xac')").content, "\xe2\x82\xac");
  EXPECT_EQ(session.run(R"(printf '\xe2\x82')").content, "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(BashResult, TheCommandIsPassedAsAnArgument) {
  Session session;
  EXPECT_EQ(session.run("echo 'a\"b' \"c'd\" $((1+1)) `echo e`").content, "a\"b c'd 2 e");
  EXPECT_EQ(session.run("cat <<E\nx $HOME_zz y\nE\necho z").content, "x  y\nz");
  EXPECT_EQ(session.run("echo $# \"${#IFS}\" \"$0\"; # '").content.substr(0, 3), "0 3");
  EXPECT_EQ(session.run("echo a\\\nb").content, "ab");
  const auto answer = session.call({{"command", std::string("echo a\0b", 8)}});
  EXPECT_EQ(answer.is_error, true);
  EXPECT_NE(answer.content.find("NUL"), std::string::npos);
}

TEST(BashResult, AVeryLongCommandRuns) {
  Session session;
  std::string long_text(200'000, 'x');
  EXPECT_EQ(session.run("v=" + long_text + "; echo ${#v}").content, "200000");
  const auto answer = session.run(": " + std::string(std::size_t{8} << 20, 'x'));
  EXPECT_EQ(answer.is_error, true);
  EXPECT_NE(answer.content.find("long"), std::string::npos) << answer.content.substr(0, 300);
}

TEST(BashResult, HasNoInputNoTerminalAndItsOwnSession) {
  Session session;
  session.setup.environment.push_back({"ADDED_ZZ", "yes"});
  EXPECT_EQ(session.run("cat").content, "(Bash completed with no output)");
  EXPECT_EQ(session.run("tty; true").content, "not a tty");
  EXPECT_EQ(session.run("echo $ADDED_ZZ").content, "yes");
  EXPECT_EQ(session.run("test \"$(ps -o sid= -p $$ | tr -d ' ')\" = $$ && echo own").content,
            "own");
  EXPECT_EQ(session.run("ls /proc/self/fd | tr '\\n' ' '").content, "0 1 2 3 ");  // 3: ls itself
}

TEST(BashResult, KeepsTheDirectoryButNotVariables) {
  Session session;
  const auto root = session.root().string();
  EXPECT_EQ(session.run("pwd").content, root);
  EXPECT_EQ(session.run("cd sub && pwd; export FOO=1").content, root + "/sub");
  EXPECT_EQ(session.run("pwd; echo \"[$FOO]\"").content, root + "/sub\n[]");
  EXPECT_EQ(session.run("cd ..; exit 4").content, "Exit code 4");
  EXPECT_EQ(session.run("pwd").content, root);
  EXPECT_EQ(session.run("(cd sub)").is_error, false);
  EXPECT_EQ(session.run("mkdir $'a\\n b'; cd $'a\\n b'").is_error, false);
  EXPECT_EQ(session.workspace().cwd().string(), root + "/a\n b");
}

TEST(BashResult, LeavingTheWorkingDirectoriesIsUndone) {
  Session session;
  const auto note = "Shell cwd was reset to " + session.root().string();
  const auto answer = session.run("cd /; echo x");
  EXPECT_EQ(answer.content, "x\n" + note);
  EXPECT_EQ(answer.detail["stdout"], "x");
  EXPECT_EQ(answer.detail["stderr"], "\n" + note);
  EXPECT_EQ(answer.is_error, false);
  EXPECT_EQ(session.run("cd /; exit 7").content, "Exit code 7\n" + note);
  EXPECT_EQ(session.run("pwd").content, session.root().string());
}

TEST(BashResult, MayChangeToAFurtherWorkingDirectory) {
  Session session;
  const test::TempFolder other;
  session.setup.directories = {std::filesystem::canonical(other.path())};
  session.run("cd " + other.path().string());
  EXPECT_EQ(session.workspace().cwd(), std::filesystem::canonical(other.path()));
}

TEST(BashResult, LeavesADeletedDirectory) {
  Session session;
  const auto note = "Shell cwd was reset to " + session.root().string();
  session.run("cd sub");
  EXPECT_EQ(session.run("rm -r ../sub; echo gone").content, "gone\n" + note);
  EXPECT_EQ(session.run("pwd").content, session.root().string());
  session.run("mkdir other; cd other");
  std::filesystem::remove(session.root() / "other");
  EXPECT_EQ(session.run("pwd").content, session.root().string() + "\n" + note);
}

TEST(BashResult, CallsRunInParallel) {
  Session session;
  session.workspace();
  std::vector<std::string> contents(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < contents.size(); ++i) {
      // Each waits for all others, so they end only if they run in parallel.
      threads.emplace_back([&, i] {
        contents[i] =
            session
                .run(fmt::format(
                    "touch n{}; until [ $(ls n* | wc -l) = 8 ]; do sleep 0.01; done; echo {}", i,
                    i))
                .content;
      });
    }
  }
  for (std::size_t i = 0; i < contents.size(); ++i) EXPECT_EQ(contents[i], std::to_string(i));
}

TEST(BashResult, ACallWithoutCdKeepsTheDirectoryOfAnother) {
  Session session;
  session.workspace();
  std::jthread stays([&] { session.run("touch ready; until [ -e go ]; do sleep 0.01; done"); });
  ASSERT_TRUE(session.reached("ready"));
  session.run("cd sub");
  session.folder.write("work/go", "");
  stays.join();
  EXPECT_EQ(session.workspace().cwd(), session.root() / "sub");
}

TEST(BashResult, RefusesALongStandaloneSleep) {
  Session session;
  for (const auto* command : {"sleep 30", " sleep 1m ", "sleep 99999999999", "sleep 0.5h"}) {
    const auto answer = session.run(command);
    EXPECT_TRUE(answer.content.starts_with("<tool_use_error>Blocked: standalone sleep")) << command;
    EXPECT_EQ(answer.is_error, true);
  }
  EXPECT_EQ(session.run("sleep 0.01").is_error, false);
  EXPECT_EQ(session.run("sleep abc").content.starts_with("Exit code 1"), true);
}

TEST(BashResult, NamesTheCommandsOfTheTopLevelList) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(command_names("cd a && X=1 /bin/grep 'b;c' 2>&1 | wc -l & wait"),
            (Names{"cd", "grep", "wc", "wait"}));
  EXPECT_EQ(command_names("echo $(a; b) \\; c\n(d; e)\n\"f\""), (Names{"echo", "", "", "f"}));
  EXPECT_EQ(command_names("grep \"${x:-a;b}\" $((1 + 2)) `d; e` <(f; g) # h; i"), Names{"grep"});
  EXPECT_EQ(command_names("a=(b c) && (d; e) >f; 2>&1 cd"), (Names{"", "", "", "cd"}));
  EXPECT_EQ(command_names("echo \"unclosed; x"), Names{"echo"});
  EXPECT_EQ(command_names(" ; \\"), Names{""});
  EXPECT_EQ(command_names(""), Names{});
}

TEST(BashResult, ReportsAMissingDirectory) {
  Session session;
  session.setup.root = "/nonexistent-zz";
  const auto answer = session.run("true");
  EXPECT_EQ(answer.is_error, true);
  EXPECT_NE(answer.content.find("/nonexistent-zz"), std::string::npos);
}

}  // namespace
}  // namespace ralph::tool
