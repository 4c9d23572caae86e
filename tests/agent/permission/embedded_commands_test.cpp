#include <initializer_list>

#include "agent/permission/harness.h"
#include "agent/permission/rule.h"

/// Deny rules for commands, and attempts to evade them.
namespace ralph::permission {
namespace {

using Lines = std::initializer_list<const char*>;

void expect_all(Judge& judge, bool allowed, Lines lines) {
  for (const auto* const line : lines) {
    EXPECT_EQ(judge.run(line, Mode::bypass).allowed, allowed) << line;
  }
}

TEST(EmbeddedCommands, ARuleAppliesAfterAnyWrapper) {
  Judge judge;
  judge.rules.deny = {"Bash(rm *)"};
  expect_all(judge, false,
             {"taskset 1 rm x",
              "taskset -c 0 /usr/bin/rm x",
              "flock lock rm x",
              "flock lock -c 'rm x'",
              "chrt -i 0 rm x",
              "strace -o /dev/null rm x",
              "setpriv --nnp rm x",
              "unshare -r rm x",
              "nsenter -t 1 rm x",
              "chroot / rm x",
              "prlimit --nofile=9 rm x",
              "numactl -N0 rm x",
              "script -c 'rm x'",
              "watch rm x",
              "parallel rm ::: x",
              "busybox rm x",
              "ssh h rm x",
              "ssh h 'cd /; rm x'",
              "su -c 'rm x'",
              "runuser -u a -- rm x",
              "ltrace rm x",
              "gdb -ex 'shell rm x'",
              "perf stat rm x",
              "systemd-run rm x",
              "at now <<< 'rm x'",
              "time -p rm x",
              "sudo -s <<< 'r\\m x'",
              "nobody-knows-me --opt rm x",
              "./wrapper /bin/rm x",
              "foo 'a; rm x'",
              "foo --exec=rm",
              "X=rm; foo $X y",
              "read v <<< 'rm x'; foo $v",
              "for x in rm; do foo $x y; done",
              "sudo -u a nice -n 5 rm x",
              "command -p rm x",
              "exec -a n rm x",
              "foo bash -c 'r\\m x'",
              "docker exec c sh -c 'r\\m'",
              "if true; then taskset 1 rm x; fi",
              "! rm x",
              "{ rm x; }",
              "tar cf x --to-command='rm y'",
              "git -c alias.x='!rm y' x",
              "git submodule foreach rm x",
              "git bisect run rm x",
              "git rebase -x 'rm x' main",
              "awk 'BEGIN{system(\"rm x\")}'",
              "ls\nrm x",
              "ls & rm x",
              "(rm x)",
              "echo \"$(rm x)\"",
              "echo `rm x`",
              "cat <(rm x)",
              "cat <<E | sh\nrm x\nE",
              "eval rm x",
              "source x",
              ". ./x",
              "f() { rm x; }; f",
              "function f { rm x; }; f"});
  expect_all(judge, true,
             {"git rm x", "git commit -m 'rm x'", "echo rm x", "grep rm x", "docker run --rm x",
              "make -j2", "ls rm", "cp rm y", "npm run build", "command -v rm", "set -e; make",
              "cmake --build build", "python3 rm.py"});
}

TEST(EmbeddedCommands, ARuleIsNotEvadedByEvaluation) {
  Judge judge;
  judge.rules.deny = {"Bash(rm *)"};
  expect_all(judge, false,
             {"PS4='$(r''m x)'; set -x; ls",
              "export PS4='`r\\m x`'",
              "printf -v PS4 x; set -x",
              "test -v 'a[$(r\\m x)]'",
              "[ -v 'a[`r\\m x`]' ]",
              "unset 'a[$(r\\m x)]'",
              "read 'a[$(r\\m x)]' < y",
              "printf -v 'a[$(r\\m x)]' y",
              "printf %n 'a[$(r\\m x)]'",
              "declare -i x; x='a[$(r\\m x)]'",
              "export 'a[$(r\\m x)]=1'",
              "let 'a[$(r\\m x)]=1'",
              "mapfile -C 'r\\m x' -c 1 a < y",
              "compgen -C 'r\\m x'",
              "hash -p /bin/rm ls; ls x",
              "enable -f ./x y",
              "alias a='r\\m'; a x",
              "foo '$(r\\m x)'",
              "foo \\$\\(r\\m\\)",
              "BASH_ENV=x foo",
              "echo \"$(case a in a) rm x;; esac)\"",
              "echo \"$(if case a in a) rm x;; esac; then :; fi)\"",
              "echo \"$(! case a in a) rm x;; esac)\"",
              "(case a in a) rm x;; esac)",
              "GIT_PAGER=rm git -p log",
              "a[$(rm x)]=1",
              "a['b[$(rm x)]']=1",
              "/bin/r? x",
              "r{m,} x",
              "$'rm' x",
              "$X x",
              "${X}m x",
              "\"$(echo rm)\" x",
              "~/../bin/r* x",
              "wait -n -p 'a[$(r\\m)]'"});
  expect_all(judge, true,
             {"export A=b; make", "read x < y; make", "[ -n \"$X\" ]; make",
              "printf '[%s]\\n' \"$X\"", "set -euo pipefail; make"});
}

TEST(EmbeddedCommands, GitOptionsDoNotHideItsSubcommand) {
  Judge judge;
  judge.rules.deny = {"Bash(git push *)"};
  expect_all(
      judge, false,
      {"git push", "git -c a=b push x", "git --no-pager push", "git -C . push x",
       "/usr/bin/git --git-dir x push", "git  push x", "g'it' pu''sh x", "taskset 1 git push"});
  expect_all(judge, true, {"git pull", "git log push", "git"});
}

TEST(EmbeddedCommands, ShellExpansionDoesNotEvadeARule) {
  Judge judge;
  judge.rules.deny = {"Bash(curl *)", "Bash(git push *)"};
  expect_all(
      judge, false,
      {"git {push,origin,main}", "X=push; git $X origin main", "git pus? origin main",
       "git \"$(echo push)\" origin main", "for v in push; do git $v origin main; done",
       "read x <<< push; git $x origin main", "git -C $X status", "git $X", "/usr/bin/git \"$X\"",
       "sudo git $X", "foo {curl,x}", "X=cu; foo ${X}rl x", "foo \"--exec=$X\"", "foo c*"});
  expect_all(judge, true,
             {"git checkout \"$B\"", "git -C \"$D\" status", "git commit -m \"$M\"", "rm \"$X\"",
              "make -j$(nproc)", "make -j \"4\"", "for f in *.c; do echo \"$f\"; done", "ls *.c",
              "mkdir -p \"$X\"", "echo $HOME", "cp *.c sub"});
}

TEST(EmbeddedCommands, ARuleAboutArgumentsAppliesToExpandedWords) {
  Judge judge;
  judge.rules.deny = {"Bash(rm -rf *)", "Bash(git commit * --no-verify*)"};
  expect_all(judge, false,
             {"rm $X y", "rm {-rf,y}", "/bin/rm \"$X\"", "git commit -m x $X",
              "git -C . commit -m x \"$X\""});
  expect_all(judge, true,
             {"rm -f \"$X\"", "rm y", "git commit -m x", "git add \"$X\"", "touch \"$X\""});
  judge.rules.deny = {"Bash(*--no-verify*)"};
  expect_all(judge, false, {"git commit $X", "git commit --no-verify"});
  expect_all(judge, true, {"git commit -m x", "ls *.c", "echo \"$HOME\""});
}

TEST(EmbeddedCommands, AGitAliasDoesNotEvadeARule) {
  Judge judge;
  judge.rules.deny = {"Bash(git push *)"};
  expect_all(judge, false,
             {"git -c alias.x=push x origin main",
              "git -c Alias.x=push x",
              "git --config-env=alias.x=X x",
              "git -c include.path=f x",
              "git --shallow-file /dev/null push origin main",
              "git --exec-path=x status",
              "git x origin main",
              "nice git x",
              "foo git x",
              "foo git status git x",
              "git -c core.fsmonitor='r\\m' status --ignored=x",
              "git submodule foreach 'git pu\\sh'",
              "git bisect run x",
              "git rebase -x 'git pu\\sh' main",
              "git rebase --ex='git pu\\sh' main",
              "git config alias.x push",
              "git config core.pager x",
              "git config --global alias.x push",
              "git fetch --upload-pa=x y",
              "git fetch \"$X\"",
              "git clone -u x y z",
              "git grep -Ox y",
              "git filter-branch x",
              "git for-each-repo --config=x push"});
  expect_all(
      judge, true,
      {"git -c user.name=x commit -m y", "git -c \"user.name=$X\" commit -m y",
       "git --no-pager diff", "git config user.email a@b.c", "git config --get alias.x",
       "git --git-dir=x status", "git fetch origin", "git rebase main", "git submodule update",
       "git clone x y", "git stash", "git add -u", "nice git status"});
}

TEST(EmbeddedCommands, ToolsWithoutStatedAccessNeedARule) {
  class Quiet final : public Tool {
   public:
    std::string_view name() const override { return "mcp__x__y"; }
    std::string_view description() const override { return ""; }
    std::string_view schema() const override { return "{}"; }
    Access access(const Document&, const Workspace&) const override { return {}; }
    Outcome run(const Document&, const Access&, Workspace&, const std::stop_token&) const override {
      return {};
    }
  };
  Judge judge;
  const Quiet quiet;
  for (const auto mode :
       {Mode::standard, Mode::accept_edits, Mode::plan, Mode::dont_ask, Mode::automatic}) {
    EXPECT_FALSE(judge.ask(quiet, Document::object(), mode).allowed) << to_string(mode);
  }
  EXPECT_TRUE(judge.ask(quiet, Document::object(), Mode::bypass).allowed);
  judge.rules.allow = {"mcp__x"};
  EXPECT_TRUE(judge.ask(quiet, Document::object(), Mode::standard).allowed);
}

TEST(EmbeddedCommands, DirectoryChangesRunAlone) {
  EXPECT_TRUE(stays_in_folder("ls; cat x | wc"));
  for (const auto* const line :
       {"cd sub", "cd sub && ls", "(cd x; ls)", "echo \"$(cd x)\"", "ls &"}) {
    EXPECT_FALSE(stays_in_folder(line)) << line;
  }
}

TEST(EmbeddedCommands, ADecisionUsesTheDirectoryOfTheCall) {
  Judge judge;
  judge.desk.put("sub/f", "x");
  std::filesystem::create_directory_symlink(judge.desk.outside(), judge.desk.file("sub/out"));
  const Access access{Access::Kind::run, {}, "cat out/secret", judge.desk.file("sub")};
  const Document input{{"command", "cat out/secret"}};
  EXPECT_FALSE(
      decide(judge.shell, input, access, Mode::standard, {}, judge.desk.workspace()).allowed);
}

TEST(EmbeddedCommands, AnAllowRuleRemovesTheConfinement) {
  Judge judge;
  judge.rules.allow = {"Bash(cat *)"};
  EXPECT_EQ(to_string(judge.run("cat /etc/hostname").grant), "user");
  EXPECT_EQ(to_string(judge.run("ls").grant), "reading");
  EXPECT_EQ(to_string(judge.run("touch x", Mode::accept_edits).grant), "editing");
  EXPECT_EQ(to_string(judge.run("echo x > y", Mode::accept_edits).grant), "editing");
  EXPECT_EQ(to_string(judge.run("ls", Mode::bypass).grant), "user");
}

}  // namespace
}  // namespace ralph::permission
