#include "agent/permission/decide.h"

#include <set>

#include "agent/permission/harness.h"
#include "agent/permission/rule.h"
#include "agent/tool/builtin_tools.h"

namespace ralph::permission {
namespace {

namespace fs = std::filesystem;

TEST(Permission, KnowsTheModes) {
  for (const auto* const word :
       {"default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"}) {
    const auto mode = parse_mode(word);
    ASSERT_TRUE(mode) << word;
    EXPECT_EQ(to_string(*mode), word);
  }
  EXPECT_EQ(parse_mode("manual").value_or(Mode::plan), Mode::standard);
  EXPECT_FALSE(parse_mode("yolo"));
}

TEST(Permission, FollowsTheTableOfModes) {
  struct Row {
    Mode mode;
    bool write, touch, ls, curl, read, read_outside;
  };
  const Row rows[] = {{Mode::standard, false, false, true, false, true, false},
                      {Mode::accept_edits, true, true, true, false, true, false},
                      {Mode::plan, false, false, true, false, true, true},
                      {Mode::dont_ask, false, false, true, false, true, false},
                      {Mode::automatic, true, true, true, false, true, true},
                      {Mode::bypass, true, true, true, true, true, true}};
  Judge judge;
  judge.desk.put("a.txt", "x");
  for (const auto& row : rows) {
    const auto name = to_string(row.mode);
    EXPECT_EQ(judge.write("new.txt", row.mode).allowed, row.write) << name;
    EXPECT_EQ(judge.ask(edit_tool(), {{"file_path", "a.txt"}}, row.mode).allowed, row.write)
        << name;
    for (const auto* const command :
         {"touch made.txt", "rm -rf sub", "mkdir -p a/b && mv a.txt a/b"}) {
      EXPECT_EQ(judge.run(command, row.mode).allowed, row.touch) << name << command;
    }
    for (const auto* const command : {"ls", "echo hi", "cat a.txt | wc -l", "git status"}) {
      EXPECT_EQ(judge.run(command, row.mode).allowed, row.ls) << name << command;
    }
    EXPECT_EQ(judge.run("curl http://127.0.0.1/", row.mode).allowed, row.curl) << name;
    EXPECT_EQ(judge.read("a.txt", row.mode).allowed, row.read) << name;
    EXPECT_EQ(judge.read("/etc/hostname", row.mode).allowed, row.read_outside) << name;
    EXPECT_EQ(judge.write("/etc/hostname", row.mode).allowed, row.mode == Mode::bypass) << name;
  }
}

TEST(Permission, AProtectedNameIsProtectedAsADirectoryToo) {
  Judge judge;
  for (const auto* const name : {"ralph.yml/x", ".envrc/x", "sub/.bashrc/x"}) {
    EXPECT_FALSE(judge.write(name, Mode::accept_edits).allowed) << name;
  }
}

TEST(Permission, OwnDirectoriesInTheWorkspaceNeedARule) {
  Judge judge;
  auto setup = judge.desk.workspace().setup();
  setup.own_folders = {setup.root / "state/ralph", "/elsewhere"};
  const Workspace workspace(setup);
  const auto may_write = [&](std::string_view path) {
    const Document input{{"file_path", path}, {"content", ""}};
    return decide(write_tool(), input, write_tool().access(input, workspace), Mode::accept_edits,
                  judge.rules, workspace)
        .allowed;
  };
  EXPECT_FALSE(may_write("state/ralph/key"));
  EXPECT_FALSE(may_write("state")) << "it holds the folder";
  EXPECT_TRUE(may_write("state/other"));
  EXPECT_TRUE(may_write("file"));
}

TEST(Permission, ExplainsDenials) {
  Judge judge;
  const auto write = judge.write("new.txt");
  EXPECT_EQ(write.reason_type, Reason::none);
  EXPECT_NE(write.message.find(judge.desk.file("new.txt").string()), std::string::npos);
  EXPECT_EQ(judge.read("/etc/hostname").reason_type, Reason::working_dir);
  EXPECT_EQ(judge.run("touch x").reason_type, Reason::none);
  EXPECT_EQ(judge.run("curl x").reason_type, Reason::other);
  EXPECT_EQ(judge.read("a").reason_type, Reason::mode);
  EXPECT_EQ(judge.run("ls").reason_type, Reason::subcommand_results);
  EXPECT_EQ(judge.run("curl x", Mode::bypass).reason_type, Reason::mode);
  judge.rules = {{"Bash(curl *)"}, {"Bash(rm *)"}, {}};
  EXPECT_EQ(judge.run("curl x").reason_type, Reason::rule);
  EXPECT_EQ(judge.run("rm x", Mode::bypass).reason_type, Reason::rule);
  EXPECT_FALSE(judge.run("rm x", Mode::bypass).reason.empty());
}

TEST(Permission, LinksDoNotExtendTheWorkingDirectories) {
  Judge judge;
  fs::create_directory_symlink(judge.desk.outside(), judge.desk.file("link"));
  fs::create_symlink(judge.desk.outside() / "new", judge.desk.file("dangling"));
  for (const auto* const path : {"link/x", "dangling", "../outside/x", "sub/../../outside/x"}) {
    EXPECT_FALSE(judge.write(path, Mode::accept_edits).allowed) << path;
  }
  for (const auto* const command :
       {"touch link/x", "touch dangling", "rm -rf ..", "rm -rf .", "cp a.txt link", "mv a.txt ../x",
        "cp -tlink a.txt", "cp --target-directory=link a.txt", "cd .. && touch x", "cd && rm x",
        "cd link && touch x", "rm -rf *", "touch $HOME/x", "touch ~/x", "rm -rf sub/..",
        "echo x > link/x", "echo x > dangling", "echo x > /etc/x", "echo x > $F"}) {
    EXPECT_FALSE(judge.run(command, Mode::accept_edits).allowed) << command;
  }
  EXPECT_FALSE(judge.read("link/x").allowed);
  EXPECT_FALSE(judge.run("cat link/x").allowed);
}

TEST(Permission, AcceptEditsAllowsOnlyPlainFileCommands) {
  Judge judge;
  fs::create_directory(judge.desk.file("sub"));
  for (const auto* const command :
       {"cp -r a b", "sed -i 's/a/b/g' a.txt", "echo x > new.txt", "cd sub && touch x", "rm -- -x",
        "cat a.txt >> b.txt 2>/dev/null"}) {
    EXPECT_TRUE(judge.run(command, Mode::accept_edits).allowed) << command;
    EXPECT_FALSE(judge.run(command).allowed) << command;
  }
  for (const auto* const command :
       {"sed -i 's/a/b/e' a.txt", "sed -i 's/a/b/w /etc/x' a.txt", "sed -i 'e rm x' a.txt",
        "PATH=. touch x", "touch `pwd`", "touch x &", "rm .git/config",
        "cp x .git/hooks/pre-commit", "echo x > .claude/settings.json", "ln -s / x", "chmod 777 x",
        "python3 x.py"}) {
    EXPECT_FALSE(judge.run(command, Mode::accept_edits).allowed) << command;
  }
  EXPECT_FALSE(judge.write(".git/config", Mode::accept_edits).allowed);
  EXPECT_EQ(judge.write(".git/config", Mode::accept_edits).reason_type, Reason::safety_check);
}

TEST(Permission, ReadingCommandsStayInTheWorkingDirectories) {
  Judge judge;
  for (const auto* const command :
       {"cat /etc/passwd", "ls ..", "grep x /etc/hosts", "head -5 < /etc/passwd", "cat ~/.ssh/id",
        "cat $HOME/x", "find / -name x", "grep -f/etc/passwd x", "wc --files0-from=/etc/x",
        "cd / && ls", "cat /etc/*", "grep -ex /etc/passwd", "rg --files /etc", "ls $(cat x)"}) {
    for (const auto mode : {Mode::standard, Mode::accept_edits, Mode::plan, Mode::automatic}) {
      EXPECT_FALSE(judge.run(command, mode).allowed) << command;
    }
  }
  for (const auto* const command :
       {"grep /usr/bin a.txt", "cut -d/ -f1 a.txt", "echo /etc/passwd", "ls *.txt", "cat src/*.cpp",
        "cat a.txt 2>/dev/null", "sed -n '1,20p' a.txt", "git log -n 5 --oneline"}) {
    EXPECT_TRUE(judge.run(command).allowed) << command;
  }
}

TEST(Permission, DenyComesBeforeAskBeforeAllowBeforeMode) {
  Judge judge;
  judge.rules = {{"Bash", "Read", "Edit", "Write"},
                 {"Bash(rm *)", "Read(secret/**)", "Edit(*.lock)"},
                 {"Bash(git push *)"}};
  EXPECT_TRUE(judge.run("curl x").allowed);
  EXPECT_TRUE(judge.write("/etc/x").allowed);
  for (const auto* const command :
       {"rm x", "ls && rm x", "echo $(rm x)", "sudo rm x", "/bin/rm x", "r'm' x", "\\rm x",
        "(rm x)", "timeout 5 rm x", "if true; then rm x; fi", "cat <<E; rm x\nE", "echo `rm x`",
        "rm", "X=1 rm x", "ls & rm x", "find . | xargs rm -f"}) {
    EXPECT_FALSE(judge.run(command, Mode::bypass).allowed) << command;
  }
  EXPECT_TRUE(judge.run("rmdir x", Mode::bypass).allowed);
  EXPECT_FALSE(judge.run("git push origin", Mode::bypass).allowed);
  EXPECT_TRUE(judge.run("git pull", Mode::bypass).allowed);
  EXPECT_FALSE(judge.read("secret/a/b", Mode::bypass).allowed);
  EXPECT_FALSE(judge.run("cat secret/a", Mode::bypass).allowed);
  EXPECT_FALSE(
      judge.ask(grep_tool(), {{"pattern", "x"}, {"path", "secret/sub"}}, Mode::bypass).allowed);
  EXPECT_FALSE(judge.write("deep/a.lock", Mode::bypass).allowed);
  EXPECT_FALSE(judge.run("touch a.lock", Mode::bypass).allowed);
  EXPECT_TRUE(judge.run("cat a.lock", Mode::bypass).allowed);
}

TEST(Permission, AllowRulesMustMatchEveryPart) {
  Judge judge;
  judge.rules.allow = {"Bash(npm run *)", "Bash(make:*)", "Bash(./x.sh --all)", "Edit(docs/**)",
                       "Read(//etc/host*)"};
  for (const auto* const command : {"npm run test", "make", "make all", "npm run build && make",
                                    "ls | npm run x", "./x.sh --all"}) {
    EXPECT_TRUE(judge.run(command).allowed) << command;
  }
  for (const auto* const command :
       {"npm install", "makefile", "npm run x; curl y", "npm run $(curl y)",
        "npm run x > /etc/passwd", "npm run x > out.txt", "npm run x &", "npm run `curl`",
        "PATH=. make", "./x.sh --all x", "make <(curl x)", "npm run x\ncurl y", "npm run x | sh"}) {
    EXPECT_FALSE(judge.run(command).allowed) << command;
  }
  EXPECT_TRUE(judge.write("docs/a/b.md").allowed);
  EXPECT_FALSE(judge.write("src/a").allowed);
  EXPECT_TRUE(judge.read("/etc/hostname").allowed);
  EXPECT_FALSE(judge.read("/etc/passwd").allowed);
}

TEST(Permission, RulesNameToolsAndServers) {
  EXPECT_TRUE(names_tool(parse_rule("mcp__tiny"), "mcp__tiny__echo"));
  EXPECT_TRUE(names_tool(parse_rule("mcp__tiny__*"), "mcp__tiny__echo"));
  EXPECT_FALSE(names_tool(parse_rule("mcp__tin"), "mcp__tiny__echo"));
  EXPECT_TRUE(names_tool(parse_rule("Bash(x (y))"), "Bash"));
  EXPECT_EQ(parse_rule("Bash(x (y))").pattern, "x (y)");
}

TEST(Permission, PathsMatchAsInGitignore) {
  const fs::path root = "/w";
  EXPECT_TRUE(matches_path("src/**", "/w/src/a/b", root));
  EXPECT_TRUE(matches_path("src", "/w/deep/src/a", root));
  EXPECT_FALSE(matches_path("/src", "/w/deep/src/a", root));
  EXPECT_TRUE(matches_path("*.env", "/w/a/b/x.env", root));
  EXPECT_FALSE(matches_path("*.env", "/v/x.env", root));
  EXPECT_TRUE(matches_path("a/**/z", "/w/a/z", root));
  EXPECT_TRUE(matches_path("a/**/z", "/w/a/b/c/z", root));
  EXPECT_FALSE(matches_path("a/*/z", "/w/a/b/c/z", root));
  EXPECT_TRUE(matches_path("//etc/**", "/etc/x", root));
  EXPECT_FALSE(matches_path("//etc/**", "/w/etc/x", root));
  EXPECT_TRUE(matches_path("~/x/**", fs::path(std::getenv("HOME")) / "x/y", root));
}

TEST(OnlyReads, AcceptsReadOnlyCommands) {
  for (const auto* const command : {"ls",
                                    "ls -la src/*.cpp",
                                    "echo hi",
                                    "pwd",
                                    "cat a | wc -l",
                                    "git status",
                                    "git --no-pager log --oneline -5",
                                    "git branch -a",
                                    "git diff HEAD~1",
                                    "find . -name '*.cpp' -type f",
                                    "sort a | uniq -c | head",
                                    "grep -rn \"foo bar\" src 2>/dev/null",
                                    "ls && pwd; date +%F",
                                    "cat a || true",
                                    "(ls; pwd)",
                                    "# note\nls",
                                    "ls \\\n -l",
                                    "test -f a && echo yes",
                                    "[ -d b ]",
                                    "ls > /dev/null 2>&1",
                                    "echo $HOME ${USER}",
                                    "wc -l < a",
                                    "cd src && ls",
                                    "stat a",
                                    "diff a b",
                                    "which git",
                                    "tr a b <<< x",
                                    "ls |& cat",
                                    "echo 'a > b; rm x'",
                                    "rg -n x",
                                    "date -u"}) {
    EXPECT_TRUE(only_reads(command)) << command;
  }
}

TEST(OnlyReads, RefusesEverythingElse) {
  for (const auto* const command : {"",
                                    " ",
                                    "rm x",
                                    "ls; rm x",
                                    "ls && rm x",
                                    "ls || rm x",
                                    "ls | tee x",
                                    "ls\nrm x",
                                    "ls & rm x",
                                    "ls &",
                                    "echo x > y",
                                    "echo x >> y",
                                    "echo x >| y",
                                    "echo x 2> y",
                                    "echo x &> y",
                                    "echo x >& y",
                                    "cat <> y",
                                    "echo $(rm x)",
                                    "echo `rm x`",
                                    "echo \"$(rm x)\"",
                                    "echo \"`rm x`\"",
                                    "cat <(rm x)",
                                    "ls >(rm x)",
                                    "X=1 ls",
                                    "LD_PRELOAD=x ls",
                                    "$X",
                                    "$(echo rm) x",
                                    "cat <<E\nx\nE",
                                    "find . -exec rm {} \\;",
                                    "find . -delete",
                                    "find . -fprint x",
                                    "find . -ok rm {} \\;",
                                    "find *",
                                    "git -c core.pager=x log",
                                    "git --exec-path=x status",
                                    "git diff --ext-diff",
                                    "git log --output=x",
                                    "git log --outp=x",
                                    "git push",
                                    "git branch new",
                                    "git branch -D x",
                                    "git -C /x status",
                                    "cd x && git status",
                                    "git grep -Ox y",
                                    "git config user.name x",
                                    "git stash",
                                    "sort -o x y",
                                    "sort --output=x y",
                                    "sort --out=x",
                                    "sort -ox y",
                                    "sort *",
                                    "sort $X",
                                    "sort --compress-program=x",
                                    "uniq a b",
                                    "uniq -- a b",
                                    "date -s now",
                                    "date 01010101",
                                    "env",
                                    "printenv",
                                    "env ls",
                                    "env -S 'rm x'",
                                    "sed -i s/a/b/ x",
                                    "sed 'w x' y",
                                    "awk 'x'",
                                    "xargs rm",
                                    "bash -c ls",
                                    "./ls",
                                    "ls() { rm x; }",
                                    "{ rm x; }",
                                    "if ls; then rm x; fi",
                                    "! rm x",
                                    "time rm x",
                                    "echo $'x'",
                                    "echo ${x@P}",
                                    "echo $((a[$(rm x)]))",
                                    "((x))",
                                    "[[ -f x ]]",
                                    "test -v 'a[$(rm x)]'",
                                    "printf -v x y",
                                    "echo 'x",
                                    "echo \"x",
                                    "echo x\\",
                                    "ls;;ls",
                                    "; ls",
                                    "ls &&",
                                    "| ls",
                                    "ls )",
                                    "( ls",
                                    "rg --pre x y",
                                    "file -C x",
                                    "tree -o x",
                                    "cat < /dev/tcp/h/80",
                                    "hostname x",
                                    "echo \a",
                                    "r\\m x",
                                    "'rm' x",
                                    "eval ls",
                                    "exec ls",
                                    "source x",
                                    ". x",
                                    "alias ls=rm",
                                    "ls $(",
                                    "ls ${",
                                    "tee",
                                    "ls\n&& rm x",
                                    "a=b",
                                    "> x",
                                    "ls > $X"}) {
    EXPECT_FALSE(only_reads(command)) << command;
  }
  EXPECT_FALSE(only_reads(std::string("ls\0rm", 5)));
  EXPECT_FALSE(only_reads(std::string(100000, '(')));
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "echo $(";
  EXPECT_FALSE(only_reads(deep + std::string(1000, ')')));
}

}  // namespace
}  // namespace ralph::permission
