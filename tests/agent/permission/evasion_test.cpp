#include <fstream>
#include <initializer_list>

#include "agent/permission/harness.h"
#include "agent/tool/bash_harness.h"

namespace ralph::permission {
namespace {

namespace fs = std::filesystem;

using Lines = std::initializer_list<const char*>;

void expect_all(Judge& judge, Mode mode, bool allowed, Lines lines) {
  for (const auto* const line : lines) {
    EXPECT_EQ(judge.run(line, mode).allowed, allowed) << line;
  }
}

TEST(Evasion, SedAllowsNoOptionsAfterItsScript) {
  Judge judge;
  for (const auto mode : {Mode::accept_edits, Mode::automatic}) {
    expect_all(judge, mode, false,
               {"sed -i s/a/b/ --expression='1etouch X' f", "sed -i 's/a/b/' -e '1etouch P' f",
                "sed -i s/a/b/ -f sc f", "sed -i s/a/b/ f -s -e w/tmp/x"});
    expect_all(judge, mode, true, {"sed -i s/a/b/ f", "sed -i -E s/a/b/g f g"});
  }
}

void make_bare(const fs::path& folder) {
  for (const auto* const part : {"objects", "refs/heads"}) fs::create_directories(folder / part);
  std::ofstream(folder / "HEAD") << "ref: refs/heads/main\n";
  std::ofstream(folder / "config") << "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
                                      "\tworktree = .\n\tfsmonitor = \"touch RAN;:\"\n";
}

TEST(Evasion, GitIsDeniedInADirectoryLikeABareRepository) {
  Judge judge;
  make_bare(judge.desk.file("sub"));
  fs::create_directories(judge.desk.file("sub/deep"));
  expect_all(judge, Mode::standard, true, {"git status"});
  for (const auto* const folder : {"sub", "sub/deep"}) {
    ASSERT_TRUE(judge.desk.workspace().change_to(judge.desk.file(folder)));
    for (const auto mode : {Mode::standard, Mode::accept_edits, Mode::plan, Mode::automatic}) {
      expect_all(judge, mode, false, {"git status", "git log", "ls; git diff"});
    }
  }
}

TEST(Evasion, ALineMustNotCreateTheRepositoryItReads) {
  Judge judge;
  expect_all(judge, Mode::accept_edits, false,
             {"mkdir objects refs; git status", "echo x > HEAD; git status",
              "mv a/objects .; git status", "git status > commondir"});
  expect_all(judge, Mode::accept_edits, true, {"git diff > x.patch"});
}

TEST(Evasion, GitIsDeniedInARepositoryThatNamesPrograms) {
  Judge judge;
  const auto with = [&](std::string_view settings) {
    judge.desk.put(".git/config", settings);
    return judge.run("git diff").allowed;
  };
  EXPECT_TRUE(
      with("[core]\n\tbare = false\n[branch \"textconv\"]\n\tmerge = refs/heads/x\n"
           "# fsmonitor = x\n[remote \"origin\"] url = x\n"));
  for (const auto* const settings :
       {"[core]\nfsmonitor = x\n", "[diff \"a]b\"] TextConv = x", "[diff]\n\texternal=x",
        "[diff \"x\"]\ncommand = x", "[include]\npath = x", "[filter \"x\"]\r\n clean = x",
        "[filter \"x\"]\nprocess = x", "[gpg \"ssh\"]\nprogram = x", "[core]\nsshCommand = x",
        "[core][core] fsmonitor", "[core\nfsmonitor = x"}) {
    EXPECT_FALSE(with(settings)) << settings;
  }
  EXPECT_TRUE(with(""));
  judge.desk.put(".git/config.worktree", "[core]\nfsmonitor = x\n");
  EXPECT_FALSE(judge.run("git status").allowed);
}

TEST(Evasion, AWorktreeIsCheckedByItsRepository) {
  Judge judge;
  judge.desk.put("main/.git/worktrees/w/commondir", "../..\n");
  judge.desk.put("w/.git", "gitdir: ../main/.git/worktrees/w\n");
  judge.desk.put("main/.git/config", "[core]\n");
  ASSERT_TRUE(judge.desk.workspace().change_to(judge.desk.file("w")));
  expect_all(judge, Mode::standard, true, {"git status"});
  judge.desk.put("main/.git/config", "[core]\nfsmonitor = x\n");
  expect_all(judge, Mode::standard, false, {"git status"});
}

TEST(Evasion, ReadOnlyGitRunsNoMonitorAndNoHook) {
  Session session;
  session.run(
      "git init -q . && git config user.email a@b && git config user.name a && "
      "echo a > f && git add f && git commit -qm x");
  ASSERT_TRUE(session.exists(".git/HEAD"));
  const auto hook = session.root() / ".git/hooks/post-index-change";
  fs::create_directories(hook.parent_path());
  std::ofstream(hook) << "#!/bin/sh\ntouch HOOKED\n";
  fs::permissions(hook, fs::perms::owner_all);
  session.run("git config core.fsmonitor 'touch RAN;:'; rm -f HOOKED");
  session.run("touch -d '2001-01-01' f; git status; git diff; git ls-files -m");
  EXPECT_FALSE(session.exists("RAN"));
  EXPECT_FALSE(session.exists("HOOKED"));
  make_bare(session.root() / "sub");
  session.run("cd sub; git status");
  EXPECT_FALSE(session.exists("sub/RAN"));
  session.run("unset ${!GIT_@}; git status");
  EXPECT_TRUE(session.exists("sub/RAN"));  // it would have
}

TEST(Evasion, DateReadsNoFiles) {
  Judge judge;
  expect_all(judge, Mode::standard, false,
             {"date --file=/etc/passwd", "date --fi=/etc/passwd", "date -f /etc/passwd",
              "date -f/etc/passwd", "date -r/etc/passwd", "date --ref=/etc/passwd"});
  expect_all(judge, Mode::standard, true, {"date -u +%F", "date"});
}

TEST(Evasion, BracesAreNotAllowedAsOperands) {
  Judge judge;
  expect_all(judge, Mode::standard, false,
             {"cat {/etc/hostname,x}", "cat .{.,a}/x", "grep {.,/etc/passwd}", "cat a{1..3}",
              "grep $X /etc/passwd", "grep $X a"});
  expect_all(judge, Mode::standard, true,
             {"git show 'HEAD@{1}'", "git show HEAD@{1}", "echo {a,b}", "cat a.txt"});
}

TEST(Evasion, WildcardsDoNotFollowLinks) {
  Judge judge;
  judge.desk.put("src/a.cpp", "x");
  judge.desk.put("src/[a]b", "x");
  std::ofstream(judge.desk.outside() / "secret") << "x";
  fs::create_symlink(judge.desk.outside() / "secret", judge.desk.file("src/leak.txt"));
  fs::create_directory_symlink(judge.desk.outside(), judge.desk.file("way"));
  expect_all(judge, Mode::standard, false,
             {"cat src/*", "cat src/*.txt", "cat src/l?ak.txt", "cat src/[k-m]eak.txt",
              "cat w*/secret", "cat */secret", "cat .*/secret", "cat .[.]/outside/secret",
              "cat '[a]'*", "grep -fway x", "grep x s*/*", "ls way*"});
  expect_all(judge, Mode::standard, true,
             {"cat src/*.cpp", "ls s*", "cat src/none*", "grep x src/*.cpp", "head -n5 src/a.cpp"});
}

TEST(Evasion, LinksInAPathAreNotFollowed) {
  Judge judge;
  fs::create_directories(judge.desk.file("sub"));
  expect_all(judge, Mode::standard, false,
             {"grep -R x .", "grep -nR x .", "grep --dereference-r x .", "rg -L x", "rg --follow x",
              "find -L .", "find . -follow", "find -H .", "ls -LR", "du -L", "du --deref",
              "tree -l", "diff -r a b", "diff --rec a b", "diff sub sub", "wc --files0-from=x",
              "sort --files0=x", "file -f x"});
  expect_all(judge, Mode::standard, true,
             {"grep -rn x .", "rg x", "find . -name x", "ls -R", "du -sh .", "tree", "diff a b",
              "diff -r --no-dereference sub sub"});
}

TEST(Evasion, AbbreviatedOptionsAreRecognised) {
  Judge judge;
  expect_all(judge, Mode::standard, false,
             {"grep --rege=. /etc/passwd", "grep --reg . /etc/passwd", "grep --fi=x /etc/passwd",
              "grep --rege=. a.txt", "sort --out=x y", "ls --deref", "diff --rec a b"});
  expect_all(judge, Mode::standard, true, {"grep --regexp=. a.txt", "ls --all"});
}

TEST(Evasion, CopiesAreNotWrittenThroughLinks) {
  Judge judge;
  judge.desk.put("a.txt", "x");
  judge.desk.put("tree/b.txt", "x");
  judge.desk.put("plain/c.txt", "x");
  fs::create_directories(judge.desk.file("sub/tree"));
  fs::create_symlink(judge.desk.outside() / "new", judge.desk.file("sub/a.txt"));
  fs::create_symlink(judge.desk.outside() / "new", judge.desk.file("sub/tree/b.txt"));
  expect_all(judge, Mode::accept_edits, false,
             {"cp a.txt sub", "cp a.txt sub/", "mv a.txt sub", "cp -t sub a.txt", "cp -r tree sub",
              "cp -r tree/. sub/tree", "cp ./a.txt plain/../sub"});
  expect_all(judge, Mode::accept_edits, true,
             {"cp a.txt plain", "cp -r tree plain", "mv a.txt b.txt", "cp a.txt sub/other"});
}

TEST(Evasion, ALineMustNotUseItsOwnCopies) {
  Judge judge;
  judge.desk.put("dir/x", "");
  judge.desk.put("dir/to/y", "");
  fs::create_directory_symlink("to", judge.desk.file("dir/way"));
  expect_all(judge, Mode::accept_edits, false,
             {"mv dir d2 && touch d2/way/x", "cp -r dir d2; echo x > d2/way/x",
              "mv dir d2; cd d2; touch way/x", "mv dir d2; cat d2/*/x", "mv dir d2; cp x d2",
              "mkdir d2; mv dir d2; cat d2/dir/way/x"});
  expect_all(judge, Mode::accept_edits, true,
             {"mv dir d2 && ls d2", "cp dir/x y && cat y", "mv dir d2; touch z"});
}

TEST(Evasion, NoFileProvidesArgumentsOrPrograms) {
  Judge judge;
  judge.desk.put("a.json", "{}");
  expect_all(judge, Mode::standard, false,
             {"strings @args", "strings -n 4 @/etc/passwd", "strings '@args' a",
              "jq 'import \"a\" as $x; $x' a.json", "jq -n 'include \"a\"; .'",
              "jq -L /etc . a.json", "jq -nL.. . a.json", "jq --library-path /etc . a.json",
              "jq -f prog a.json", "jq --from-file prog a.json", "jq * a.json"});
  expect_all(judge, Mode::standard, true,
             {"strings a", "jq . a.json", "jq -r .important a.json", "jq .included *.json"});
  judge.desk.put("@args", "/etc/passwd");
  expect_all(judge, Mode::standard, false, {"strings *", "strings ?args"});
}

TEST(Evasion, CopiesCreateNothingSensitive) {
  Judge judge;
  judge.desk.put("tpl/a.txt", "x");
  judge.desk.put("tpl/.claude/settings.json", "{}");
  judge.desk.put("deep/er/.envrc", "x");
  judge.desk.put("plain/c.txt", "x");
  judge.desk.put(".git/config", "");
  fs::create_directories(judge.desk.file("sub"));
  expect_all(judge, Mode::accept_edits, false,
             {"cp -r tpl/. .", "cp -a tpl/. .", "cp -R tpl sub", "cp -rT tpl .", "mv tpl sub",
              "mv -T tpl sub", "cp -r -t . tpl/.", "cp -r tpl/. -t .", "cp -r plain tpl sub",
              "cp -r deep sub", "mv deep sub", "cp --recursive deep sub", "cp -r -- deep plain sub",
              "cp --archive deep sub"});
  expect_all(
      judge, Mode::accept_edits, true,
      {"cp -r plain sub", "cp -r plain/. .", "mv plain sub", "cp -r -t . plain", "cp tpl/a.txt ."});
  for (const auto* const name :
       {".envrc", ".zshenv", ".npmrc", ".husky/pre-commit", ".ralph/x", ".bashrc", ".bash_login",
        ".bash_logout", ".zlogin", ".inputrc", ".profile", ".mcp.json", ".gitmodules", "ralph.yml",
        "sub/.GIT/config", ".ssh/config", ".config/ralph/trusted.json"}) {
    EXPECT_FALSE(judge.write(judge.desk.file(name).string(), Mode::accept_edits).allowed) << name;
  }
}

TEST(Evasion, GitShowsNoDeniedFiles) {
  Judge judge;
  const Lines showing{"git grep x",
                      "git show HEAD:secret",
                      "git cat-file -p HEAD:secret",
                      "git log -p",
                      "git log --patch",
                      "git log -U3",
                      "git log -L1,2:secret",
                      "git diff",
                      "git blame secret",
                      "git status -v",
                      "git -C . show HEAD:secret",
                      "git for-each-ref --format='%(raw)'",
                      "git for-each-ref --format='%(*raw)'",
                      "git tag --format='%(contents)'",
                      "git reflog -p"};
  const Lines telling{"git log --oneline -5", "git log",
                      "git log -n3 --stat",   "git status",
                      "git status -s",        "git branch",
                      "git ls-files",         "git for-each-ref --format='%(refname)'",
                      "git reflog show"};
  expect_all(judge, Mode::bypass, true, showing);
  judge.rules.deny = {"Read(secret)"};
  expect_all(judge, Mode::bypass, false, showing);
  expect_all(judge, Mode::standard, true, telling);
}

TEST(Evasion, GitObjectsAreDeniedIfAFileIsDenied) {
  Judge judge;
  judge.desk.put(".git/HEAD", "ref: refs/heads/main\n");
  judge.desk.put(".git/objects/ab/cdef", "x");
  judge.desk.put("copy/HEAD", "x");
  judge.desk.put("copy/objects/ab", "x");
  judge.desk.put("objects/plain", "x");
  const Lines reading{"od .git/objects/ab/cdef", "hexdump -C .git/objects/ab/cdef",
                      "cat < .git/objects/ab/cdef", "cd .git/objects/ab && od cdef",
                      "cat copy/objects/ab"};
  expect_all(judge, Mode::standard, true, reading);
  judge.rules.deny = {"Read(secret)"};
  expect_all(judge, Mode::standard, false, reading);
  expect_all(judge, Mode::bypass, false,
             {"cp -r .git x", "python3 x.py .git/objects/ab/cdef", "mv .git/objects/ab y"});
  expect_all(judge, Mode::standard, true, {"cat .git/HEAD", "cat objects/plain", "ls -a"});
  EXPECT_FALSE(judge.read(judge.desk.file(".git/objects/ab/cdef").string()).allowed);
  EXPECT_TRUE(judge.read(judge.desk.file(".git/HEAD").string()).allowed);
}

TEST(Evasion, WildcardsDoNotExpandToOptions) {
  Judge judge;
  judge.desk.put("sub/a.txt", "x");
  expect_all(judge, Mode::standard, true, {"grep SECRET *", "cat *"});
  judge.desk.put("-R", "");
  judge.desk.put("sub/-R", "");
  expect_all(judge, Mode::standard, false, {"grep SECRET *", "grep SECRET [-]R", "grep SECRET ?R"});
  expect_all(judge, Mode::standard, true, {"grep SECRET ./*", "grep SECRET s*", "cat sub/*"});
}

TEST(Evasion, CommandsWithoutFilesShowNothingFromOutside) {
  Judge judge;
  judge.desk.put("a.txt", "x");
  expect_all(judge, Mode::standard, false,
             {"echo /etc/*", "printf '%s\\n' /root/.*", "echo ../*", "echo ~/*", "echo $HOME/*",
              "echo {/etc/*,x}", "basename /etc/pass*", "ps axeww", "ps e", "ps -ef e",
              "ps -C foo e", "ps -oC e", "ps $(echo axe)", "ps --forest auxe"});
  expect_all(judge, Mode::standard, true,
             {"echo *", "echo a*", "echo {a,b}", "echo \"Exit: $?\"", "echo '*'", "ps aux",
              "ps -ef", "ps -eo pid,etime", "ps axo etime", "ps -C node", "ps -p 1"});
}

TEST(Evasion, NoCommandIsHiddenFromADenyRule) {
  Judge judge;
  const Lines hiding{"echo $((1)); r\\m x",
                     "'r'm x",
                     "/bin/rm x",
                     "bash -c 'rm x'",
                     "x=rm; $x y",
                     "coproc rm x",
                     "find . -exec rm {} \\;",
                     "find . -execdir rm {} +",
                     "echo rm x | xargs -I{} {}",
                     "env -S 'rm x'",
                     "busybox rm x",
                     "watch rm x",
                     "script -c 'rm x'",
                     "su -c 'rm x'",
                     "/bin/r? x",
                     "trap 'rm x' EXIT",
                     "eval 'r''m x'",
                     "timeout 5 bash -c 'r\\m x'",
                     "sudo $x",
                     "make -j2 && ./run $X",
                     "if $x; then ls; fi",
                     "nice find . -exec rm {} +",
                     "echo 'rm x' | sh",
                     "function f { rm x; }; f"};
  for (const bool asks : {false, true}) {
    judge.rules = {};
    (asks ? judge.rules.ask : judge.rules.deny) = {"Bash(rm *)"};
    expect_all(judge, Mode::bypass, false, hiding);
    expect_all(judge, Mode::bypass, true,
               {"ls", "make -j2 && ./run x", "if ls; then make; fi", "timeout 5 make", "env",
                "find . -name x"});
  }
  const auto message = judge.run("bash -c 'r\\m x'", Mode::bypass).message;
  EXPECT_NE(message.find("'bash' runs other commands"), std::string::npos) << message;
  judge.rules = {};
  expect_all(judge, Mode::bypass, true, hiding);
}

TEST(Evasion, NoFileIsHiddenFromARuleThatDeniesReading) {
  Judge judge;
  judge.desk.put(".env", "x");
  judge.rules.deny = {"Read(./.env)"};
  expect_all(judge, Mode::standard, false,
             {"cat .env", "cat .e*", "cat .en?", "grep --file=.env x", "grep -r x .", "rg x",
              "cat < .env", "grep -f.env x"});
  expect_all(judge, Mode::standard, true,
             {"cat a.txt", "ls -la", "grep x a.txt", "find . -name x"});
}

TEST(Evasion, SearchesExcludeDeniedFiles) {
  const Rules rules{{"Read(a)"}, {"Read(./.env)", "Edit(b)", "Read"}, {"Read(c/**)"}};
  EXPECT_EQ(unreadable_patterns(rules), (std::vector<std::string>{"./.env", "c/**"}));
}

}  // namespace
}  // namespace ralph::permission
