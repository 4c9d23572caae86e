#include "agent/tool/bash_confinement.h"

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

#include "agent/tool/bash_environment.h"
#include "agent/tool/bash_harness.h"
#include "agent/tool/denied_paths.h"
#include "agent/tool/git_paths.h"
#include "agent/tool/protected_paths.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

/// Sets an environment variable until the end of the scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

void put(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

bool has(const std::vector<fs::path>& paths, const fs::path& path) {
  return std::ranges::find(paths, path) != paths.end();
}

process::Confinement of(Grant grant, Session& session) {
  auto made = confinement_of(grant, session.workspace(), "/dev/shm/scratch");
  EXPECT_TRUE(made) << (made ? "" : describe(made.error()));
  return made && *made ? **made : process::Confinement{};
}

TEST(BashConfinement, AUserGrantIsNotConfinedAndNoGrantIsRefused) {
  Session session;
  EXPECT_FALSE(confinement_of(Grant::user, session.workspace(), {}).value());
  EXPECT_FALSE(confinement_of(Grant::none, session.workspace(), {}));
}

TEST(BashConfinement, ReadingWritesNowhereAndHasNoNetwork) {
  Session session;
  session.setup.directories = {session.folder.path() / "added"};
  const auto confinement = of(Grant::reading, session);
  EXPECT_TRUE(has(confinement.read, session.root()));
  EXPECT_TRUE(has(confinement.read, session.folder.path() / "added"));
  EXPECT_TRUE(has(confinement.execute, "/usr"));
  EXPECT_TRUE(confinement.write.empty());
  EXPECT_TRUE(confinement.protect.empty());
  EXPECT_EQ(confinement.network, process::Confinement::Network::none);
  EXPECT_FALSE(confinement.needs_mounts());
  const auto home = fs::path(std::getenv("HOME"));
  for (const auto& path : confinement.read) {
    EXPECT_NE(path, home);
    EXPECT_NE(path, "/etc");
    EXPECT_NE(path, "/");
  }
  const auto text = to_text(confinement);
  EXPECT_NE(text.find("set TMPDIR=/dev/shm/scratch\n"), std::string::npos) << text;
  EXPECT_NE(text.find("set GIT_OPTIONAL_LOCKS=0\n"), std::string::npos);
}

TEST(BashConfinement, EditingWritesInTheWorkingDirectoriesExceptProtectedPaths) {
  Session session;
  put(session.root() / "sub/.git/config", "");
  session.setup.directories = {session.folder.path() / "missing"};
  const auto confinement = of(Grant::editing, session);
  EXPECT_FALSE(has(confinement.protect, session.folder.path() / "missing/.git"));
  EXPECT_EQ(confinement.write, std::vector<fs::path>{session.root()});
  for (const auto* name :
       {".git", ".claude", ".ralph", "ralph.yml", ".mcp.json", ".envrc", "sub/.git"}) {
    EXPECT_TRUE(has(confinement.protect, session.root() / name)) << name;
  }
  EXPECT_EQ(confinement.network, process::Confinement::Network::all);
}

TEST(BashConfinement, OwnDirectoriesAreProtectedBeforeTheyExist) {
  Session session;
  put(session.root() / "hooks/pre-commit", "");
  session.setup.own_folders = {session.root() / "hooks", session.root() / "new/state/ralph",
                               session.root() / ".claude/own", "/elsewhere"};
  const auto protect = of(Grant::editing, session).protect;
  EXPECT_TRUE(has(protect, session.root() / "hooks"));
  EXPECT_TRUE(has(protect, session.root() / "new")) << "the outermost that is missing";
  EXPECT_FALSE(has(protect, session.root() / ".claude/own")) << "as .claude is";
  EXPECT_FALSE(has(protect, "/elsewhere"));
  session.grant = Grant::editing;
  session.run("echo evil >hooks/pre-commit; mkdir -p new/state/ralph");
  EXPECT_EQ(test::text_of(session.root() / "hooks/pre-commit"), "");
  EXPECT_FALSE(session.exists("new"));
}

TEST(BashConfinement, EditingIsRefusedIfAProtectedFileHasALink) {
  Session session;
  put(session.root() / "ralph.yml", "");
  fs::create_hard_link(session.root() / "ralph.yml", session.root() / "second");
  const auto linked = protected_paths(session.workspace());
  ASSERT_FALSE(linked);
  EXPECT_NE(linked.error().message.find("hard link"), std::string::npos);
  fs::remove(session.root() / "ralph.yml");
  fs::create_symlink("second", session.root() / "ralph.yml");
  EXPECT_FALSE(protected_paths(session.workspace()));
  session.grant = Grant::editing;
  const auto answer = session.run("touch file");
  EXPECT_TRUE(answer.is_error.value_or(false));
  EXPECT_NE(answer.content.find("cannot ask for permission"), std::string::npos) << answer.content;
  EXPECT_FALSE(session.exists("file"));
}

std::string path_of(const process::Confinement& confinement) {
  const auto found = std::ranges::find(confinement.environment, "PATH", &process::EnvChange::name);
  return found == confinement.environment.end() ? "none" : found->value.value_or("removed");
}

TEST(BashConfinement, PathDirectoriesWithTheHomeAreLeftOut) {
  Session session;
  const auto base = session.root().parent_path() / "outside";
  const auto home = base / "home";
  put(home / "bin/x", "");
  put(home / ".gitconfig", "");
  put(base / "tools/x", "");
  session.setup.environment.push_back({"HOME", home.string()});
  session.setup.environment.push_back(
      {"PATH", "/usr/bin:" + (home / "bin").string() + ":" + home.string() + ":" + base.string() +
                   ":/home:/:.:bin::/missing:" + (base / "tools").string()});
  const auto confinement = of(Grant::reading, session);
  EXPECT_TRUE(has(confinement.execute, home / "bin"));
  EXPECT_TRUE(has(confinement.execute, base / "tools"));
  for (const auto& path : {home, base, fs::path("/home"), fs::path("/"), fs::path("/usr/bin")}) {
    EXPECT_FALSE(has(confinement.execute, path)) << path;
  }
  EXPECT_EQ(path_of(confinement),
            "/usr/bin:" + (home / "bin").string() + ":/missing:" + (base / "tools").string());
  EXPECT_TRUE(has(confinement.read, home / ".gitconfig"));
  EXPECT_FALSE(has(confinement.read, home / ".config/git"));
}

TEST(BashConfinement, NoProgramComesFromAWorkingDirectory) {
  Session session;
  const auto outside = session.root().parent_path() / "outside";
  put(outside / "x", "");
  put(session.root() / ".venv/bin/tac", "");
  fs::create_directory_symlink(outside, session.root() / "link");
  fs::create_directory_symlink(session.root() / ".venv/bin", outside / "link");
  session.setup.environment.push_back({"PATH", (session.root() / ".venv/bin").string() + ":" +
                                                   (session.root() / "link").string() + ":" +
                                                   (outside / "link").string() + "::"});
  const auto confinement = of(Grant::reading, session);
  EXPECT_FALSE(has(confinement.execute, outside));
  EXPECT_FALSE(has(confinement.execute, session.root() / ".venv/bin"));
  EXPECT_EQ(path_of(confinement), "/usr/local/bin:/usr/bin:/bin");
}

TEST(BashConfinement, NoLinkAboveTheRootIsFollowed) {
  Session session;
  const auto above = session.root().parent_path();
  fs::create_directories(above / ".git");
  fs::create_symlink("/", above / ".gitignore");
  put(above / ".gitattributes/x", "");
  auto paths = git_paths(session.workspace(), {}, {});
  EXPECT_FALSE(has(paths, above / ".gitignore"));
  EXPECT_FALSE(has(paths, above / ".gitattributes"));
  EXPECT_TRUE(has(paths, above / ".git"));
  fs::remove(above / ".gitignore");
  put(above / ".gitignore", "*.o");
  EXPECT_TRUE(has(git_paths(session.workspace(), {}, {}), above / ".gitignore"));
}

TEST(BashConfinement, UserGitFilesMayBeLinksOutsideTheWorkingDirectories) {
  Session session;
  const auto home = session.root().parent_path() / "home";
  put(home / "dotfiles/git", "[core]\n excludesFile = ~/ignored\n attributesFile = ~/dotfiles\n");
  put(home / "ignored", "");
  fs::create_symlink("dotfiles/git", home / ".gitconfig");
  EXPECT_EQ(git_paths(session.workspace(), home, {}),
            (std::vector<fs::path>{home / "dotfiles/git", home / "ignored"}));
  fs::create_symlink(home / "ignored", session.root() / "planted");
  fs::remove(home / ".gitconfig");
  fs::create_symlink(session.root() / "planted", home / ".gitconfig");
  EXPECT_TRUE(git_paths(session.workspace(), home, {}).empty());
}

TEST(BashConfinement, VariablesThatChangeMeaningOrContainSecretsAreRemoved) {
  Session session;
  const Variable cdpath("CDPATH", "/x"), git("GIT_DIR", "/x"), key("ANTHROPIC_API_KEY", "x"),
      url("SOME_DATABASE", "postgres://u:p@host/x"), author("GIT_AUTHOR_NAME", "T"),
      plain("RALPH_TEST_PLAIN", "x"), function("BASH_FUNC_ls%%", "() { :; }");
  session.setup.environment.push_back({"SESSION_TOKEN", "x"});
  const auto changes = confined_environment(session.workspace());
  const auto removed = [&](std::string_view name) {
    const auto found = std::ranges::find(changes, name, &process::EnvChange::name);
    return found != changes.end() && !found->value;
  };
  for (const auto* name : {"CDPATH", "GIT_DIR", "ANTHROPIC_API_KEY", "SOME_DATABASE",
                           "SESSION_TOKEN", "BASH_FUNC_ls%%"}) {
    EXPECT_TRUE(removed(name)) << name;
  }
  for (const auto* name : {"GIT_AUTHOR_NAME", "RALPH_TEST_PLAIN", "PATH", "HOME"}) {
    EXPECT_FALSE(removed(name)) << name;
  }
}

TEST(BashConfinement, VariablesWithPasswordsAreRemoved) {
  Session session;
  const std::vector<std::pair<std::string, std::string>> secret{
      {"MYSQL_PWD", "x"},           {"GH_PAT", "x"},
      {"AUTHORIZATION", "Basic x"}, {"A", "http://h/x,postgres://u:p@h/db"},
      {"B", "postgres://u:a/b@h"},  {"C", "host=h password=p"},
      {"D", "Server=s;Pwd=p"},      {"HTTPS_PROXY", "u:p@proxy:3128"}};
  const std::vector<std::pair<std::string, std::string>> plain{{"E", "git@example.org"},
                                                               {"F", "/usr/bin:/opt/node@18/bin"},
                                                               {"G", "https://example.org/@x"},
                                                               {"H", "a=b"},
                                                               {"COMPAT", "x"}};
  for (const auto& [name, value] : secret) session.setup.environment.push_back({name, value});
  for (const auto& [name, value] : plain) session.setup.environment.push_back({name, value});
  const auto changes = confined_environment(session.workspace());
  const auto removed = [&](const std::string& name) {
    const auto found = std::ranges::find(changes, name, &process::EnvChange::name);
    return found != changes.end() && !found->value;
  };
  for (const auto& [name, value] : secret) EXPECT_TRUE(removed(name)) << name;
  for (const auto& [name, value] : plain) EXPECT_FALSE(removed(name)) << name;
}

TEST(BashConfinement, OurGitSettingsComeAfterTheUsers) {
  Session session;
  session.setup.variables = {"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.pager",
                             "GIT_CONFIG_VALUE_0=less"};
  const auto changes = command_environment(session.workspace());
  const auto value = [&](std::string_view name) {
    const auto found = std::ranges::find(changes, name, &process::EnvChange::name);
    return found == changes.end() ? std::string("none") : found->value.value_or("removed");
  };
  EXPECT_EQ(value("GIT_CONFIG_COUNT"), "5");
  EXPECT_EQ(value("GIT_CONFIG_KEY_0"), "none");
  EXPECT_EQ(value("GIT_CONFIG_KEY_3"), "core.pager");
}

TEST(BashConfinement, DenyRulesBecomeHiddenPaths) {
  Session session;
  put(session.root() / "secret/key", "x");
  put(session.root() / "deep/down/a.pem", "x");
  put(session.root() / "fine", "x");
  fs::create_hard_link(session.root() / "secret/key", session.root() / "second");
  session.setup.unreadable = {"secret/**", "*.pem", "~/.ssh/**", "missing"};
  const auto hidden = of(Grant::reading, session).hidden;
  EXPECT_EQ(hidden, (std::vector<fs::path>{session.root() / "deep/down/a.pem",
                                           session.root() / "second", session.root() / "secret"}));
}

TEST(BashConfinement, ALinkedWorktreeReadsTheRepositoryThatPointsBack) {
  Session session;
  const auto base = session.root().parent_path();
  const auto repository = base / "main/.git";
  put(repository / "HEAD", "ref: refs/heads/main\n");
  fs::create_directories(repository / "objects");
  put(repository / "worktrees/tree/gitdir", (session.root() / ".git").string() + "\n");
  put(repository / "worktrees/tree/commondir", "../..\n");
  put(session.root() / ".git", "gitdir: " + (repository / "worktrees/tree").string() + "\n");
  EXPECT_TRUE(has(git_paths(session.workspace(), {}, {}), repository));
  put(repository / "worktrees/tree/gitdir", "/somewhere/else/.git\n");
  EXPECT_FALSE(has(git_paths(session.workspace(), {}, {}), repository));
  put(session.root() / "planted/gitdir", (session.root() / ".git").string() + "\n");
  put(session.root() / "planted/commondir", repository.string() + "\n");
  put(session.root() / ".git", "gitdir: planted\n");
  EXPECT_FALSE(has(git_paths(session.workspace(), {}, {}), repository));
}

TEST(BashConfinement, AReadingCommandWorksAndChangesNothing) {
  Session session;
  session.grant = Grant::reading;
  put(session.root() / "file", "b\na\n");
  const auto answer = session.run(
      "sort file; cat <(echo inner); cat <<<here; cd sub; pwd; touch x; echo \"$TMPDIR\" | grep -c "
      "ralph");
  EXPECT_NE(answer.content.find("a\nb\ninner\nhere\n"), std::string::npos) << answer.content;
  EXPECT_FALSE(session.exists("sub/x"));
  EXPECT_EQ(session.workspace().cwd(), session.root() / "sub");
  EXPECT_TRUE(session.nothing_alive());
}

TEST(BashConfinement, DeniesACallThatCannotBeConfined) {
  Session session;
  session.grant = Grant::reading;
  session.setup.support = process::ConfinementSupport{};
  const auto outcome =
      bash_tool().run({{"command", "touch file"}}, session.access(), session.workspace(), {});
  EXPECT_NE(outcome.denied.find("no Landlock"), std::string::npos) << outcome.denied;
  EXPECT_FALSE(session.exists("file"));
}

TEST(BashConfinement, ACommandCanOnlyReportADirectory) {
  Session session;
  session.grant = Grant::reading;
  session.run("trap - EXIT; echo / >\"$TMPDIR/.folder\"");
  EXPECT_EQ(session.workspace().cwd(), session.root());
  session.run("trap - EXIT; rm \"$TMPDIR/.folder\"; ln -s /etc/passwd \"$TMPDIR/.folder\"");
  EXPECT_EQ(session.workspace().cwd(), session.root());
}

}  // namespace
}  // namespace ralph::tool
