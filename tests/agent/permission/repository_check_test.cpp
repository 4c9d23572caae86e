#include "agent/permission/repository_check.h"

#include <fstream>

#include "agent/permission/git_index.h"
#include "agent/permission/harness.h"
#include "agent/permission/repository_config.h"
#include "agent/tool/bash_harness.h"

namespace ralph::permission {
namespace {

namespace fs = std::filesystem;

bool is_harmless(std::string_view text) { return check_config(text, "/g", "/w").harmless; }

TEST(RepositoryConfig, AcceptsAPlainRepository) {
  EXPECT_TRUE(is_harmless(
      "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
      "\thooksPath = .husky\n[remote \"origin\"]\n\turl = git@h:x\n\tfetch = +refs/heads/*:r\n"
      "\tgh-resolved = base\n[branch \"a.b\"]\n\tmerge = x\n\tvscode-merge-base = y\n"
      "[user]\n\tname = \"A # B\"\n; note\n[alias]\n\tx = !rm\n[submodule \"s\"]\n\turl = u\n"
      "[core] quotePath\n[color \"diff\"] meta = red\r\n"
      "[lfs]\n\trepositoryformatversion = 0\n[lfs \"https://h/x\"]\n\taccess = basic\n"));
}

TEST(RepositoryConfig, RefusesSettingsThatNameProgramsOrFiles) {
  for (const auto* const text : {"[merge \"x\"]\ndriver = x",
                                 "[filter \"x\"]\nclean = x",
                                 "[filter \"x\"] smudge = x",
                                 "[diff \"x\"]\ntextconv = x",
                                 "[diff \"x\"]\ncommand = x",
                                 "[diff]\nexternal = x",
                                 "[diff]\norderFile = x",
                                 "[diff]\nsubmodule = log",
                                 "[core]\nfsmonitor = x",
                                 "[core]\nsshCommand = x",
                                 "[core]\npager = x",
                                 "[core]\nexcludesFile = x",
                                 "[core]\nattributesFile = x",
                                 "[core]\nworktree = /",
                                 "[core]\naskPass = x",
                                 "[core]\nalternateRefsCommand = x",
                                 "[core]\ngitProxy = x",
                                 "[include]\npath = x",
                                 "[includeIf \"gitdir:x\"]\npath = x",
                                 "[gpg]\nprogram = x",
                                 "[gpg \"ssh\"]\nprogram = x",
                                 "[log]\nshowSignature = true",
                                 "[log]\ndiffMerges = remerge",
                                 "[blame]\nignoreRevsFile = x",
                                 "[mailmap]\nfile = x",
                                 "[pretty]\nx = %GG",
                                 "[format]\npretty = %GG",
                                 "[pager]\nlog = x",
                                 "[status]\nsubmoduleSummary = true",
                                 "[submodule]\nrecurse = true",
                                 "[remote \"o\"]\nuploadpack = x",
                                 "[remote \"o\"]\npromisor = true",
                                 "[remote \"o\"]\nvcs = x",
                                 "[extensions]\npartialClone = o",
                                 "[extensions]\nobjectFormat = sha256",
                                 "[grep]\nfallbackToNoIndex = true",
                                 "[trailer \"x\"]\ncommand = x",
                                 "[textconv]\nx = y",
                                 "[MERGE \"x\"]\nDRIVER = x",
                                 "[merge.x]\ndriver = x",
                                 "[interactive]\ndiffFilter = x",
                                 "[core]\nnewThing = x",
                                 "[lfs \"extension.x\"]\nclean = x",
                                 "[lfs]\nurl = x",
                                 "[newsection]\nx = y"}) {
    EXPECT_FALSE(is_harmless(text)) << text;
  }
}

TEST(RepositoryConfig, ParsesSectionsStrictly) {
  for (const auto* const text :
       {"[core]\n\tbare = false \\\n[branch \"x\"]\nfsmonitor = x", "[user]\nname = a\\\r\n[core]",
        "[branch \"x\"][core] fsmonitor = x", "[branch \"]\"]\n[core]\nfsmonitor = x",
        "[branch \"a\\\"]\"]\n[core]\npager = x", "[core\nfsmonitor = x", "fsmonitor = x",
        "[]\nx = y", "[branch \"x]\nmerge = y", "\xEF\xBB\xBF[core]\nbare = x", "[user]\nna me = x",
        "[user] name = a [core] \n[diff] external = x"}) {
    EXPECT_FALSE(is_harmless(text)) << text;
  }
}

std::string entry(std::string_view name, std::uint32_t mode) {
  std::string bytes(62, '\0');
  bytes[26] = static_cast<char>(mode >> 8);
  bytes[27] = static_cast<char>(mode & 0xFF);
  bytes += name;
  bytes.resize((bytes.size() / 8 + 1) * 8, '\0');
  return bytes;
}

std::string index_of(const std::string& entries, char count, std::string_view extension = "") {
  return std::string("DIRC\0\0\0\2\0\0\0", 11) + count + entries + std::string(extension) +
         std::string(20, 'h');
}

TEST(GitIndex, FindsSubmodules) {
  const auto index =
      index_of(entry("a.txt", 0100644) + entry("lib/sub", 0160000) + entry("z", 0160000), 3);
  const auto paths = index_paths(index);
  ASSERT_TRUE(paths);
  EXPECT_EQ(paths->submodules, (std::vector<std::string>{"lib/sub", "z"}));
  EXPECT_EQ(paths->folders, (std::vector<std::string>{"lib"}));
  ASSERT_TRUE(index_paths(index_of("", 0)));
  EXPECT_TRUE(index_paths(index_of("", 0))->submodules.empty());
  EXPECT_FALSE(index_paths(index_of("", 0, std::string("link\0\0\0\0", 8))));
  EXPECT_FALSE(index_paths(index_of(entry("a", 0100644), 2)));
  for (std::size_t size = 0; size < index.size(); ++size) {
    index_paths(std::string_view(index).substr(0, size));
  }
}

struct Repository {
  Judge judge;

  Repository() {
    judge.desk.put(".git/HEAD", "ref: refs/heads/main\n");
    judge.desk.put(".git/config", "[core]\n\tbare = false\n");
    fs::create_directories(judge.desk.file(".git/objects/info"));
    fs::create_directories(judge.desk.file(".git/refs"));
  }
  bool looks() { return judge.run("git status").allowed; }
};

TEST(RepositoryCheck, RefusesTrackedPathsThroughALink) {
  Repository repository;
  auto& desk = repository.judge.desk;
  desk.put("a/b/notes", "x");
  desk.put(".git/index", index_of(entry("a/b/notes", 0100644) + entry("file", 0100644), 2));
  EXPECT_TRUE(repository.judge.run("git grep -n x").allowed);
  fs::rename(desk.file("a"), desk.file("c"));
  EXPECT_TRUE(repository.judge.run("git grep -n x").allowed);
  fs::create_directory_symlink(desk.outside(), desk.file("a"));
  for (const auto* const line : {"git grep -n x", "git status", "git diff"}) {
    EXPECT_FALSE(repository.judge.run(line).allowed) << line;
  }
}

TEST(RepositoryCheck, RefusesLinksInARepository) {
  Repository here;
  EXPECT_TRUE(here.looks());
  for (const auto* const name : {"packed-refs", "info/exclude", "refs/heads/x", "objects/pack",
                                 "objects/ab", "logs", "shallow", "SOME_HEAD"}) {
    const auto link = here.judge.desk.file(".git/" + std::string(name));
    fs::create_directories(link.parent_path());
    fs::create_symlink(here.judge.desk.outside(), link);
    EXPECT_FALSE(here.looks()) << name;
    fs::remove(link);
  }
  fs::create_directories(here.judge.desk.file(".git/hooks"));
  fs::create_symlink("../../hook", here.judge.desk.file(".git/hooks/pre-commit"));
  EXPECT_TRUE(here.looks());
}

TEST(RepositoryCheck, RefusesAlternateObjects) {
  Repository here;
  here.judge.desk.put(".git/objects/info/alternates", "/elsewhere\n");
  EXPECT_FALSE(here.looks());
}

TEST(RepositoryCheck, RefusesARepositoryElsewhere) {
  Judge judge;
  const auto other = judge.desk.outside() / "repo";
  fs::create_directories(other / "objects");
  std::ofstream(other / "HEAD") << "ref: refs/heads/main\n";
  std::ofstream(other / "config") << "[extensions]\n\tworktreeConfig = true\n";
  judge.desk.put(".git", "gitdir: " + other.string() + "\n");
  EXPECT_FALSE(judge.run("git status").allowed);
  std::ofstream(other / "gitdir") << judge.desk.file(".git").string() << "\n";
  EXPECT_TRUE(judge.run("git status").allowed);  // a registered worktree
  std::ofstream(other / "gitdir") << "/other/.git\n";
  EXPECT_FALSE(judge.run("git status").allowed);
  fs::remove(other / "gitdir");
  std::ofstream(other / "config") << "[core]\n\tworktree = " << judge.desk.root().string() << "\n";
  EXPECT_TRUE(judge.run("git status").allowed);  // a submodule
  fs::remove(judge.desk.file(".git"));
  fs::create_directory_symlink(other, judge.desk.file(".git"));
  EXPECT_FALSE(judge.run("git status").allowed);
}

TEST(RepositoryCheck, RefusesACommonDirectoryElsewhere) {
  Repository here;
  fs::create_directories(here.judge.desk.outside() / "objects");
  here.judge.desk.put(".git/commondir", here.judge.desk.outside().string() + "\n");
  EXPECT_FALSE(here.looks());
}

TEST(RepositoryCheck, ChecksSubmodules) {
  Repository here;
  here.judge.desk.put(".git/index", index_of(entry("sub", 0160000), 1));
  EXPECT_TRUE(here.looks());
  here.judge.desk.put("sub/.git", "gitdir: ../.git/modules/sub\n");
  here.judge.desk.put(".git/modules/sub/HEAD", "ref: refs/heads/main\n");
  here.judge.desk.put(".git/modules/sub/config", "[core]\n\tworktree = ../../../sub\n");
  EXPECT_TRUE(here.looks());
  here.judge.desk.put(".git/modules/sub/config", "[filter \"x\"]\n\tclean = touch RAN\n");
  EXPECT_FALSE(here.looks());
  here.judge.desk.put(".git/modules/sub/config", "[core]\n\tworktree = ../../..\n");
  EXPECT_FALSE(here.looks());
}

TEST(RepositoryCheck, AnInvalidRepositoryDoesNotHideTheOneAbove) {
  Repository here;
  here.judge.desk.put("sub/.git/HEAD", "nonsense");
  fs::create_directories(here.judge.desk.file("sub/.git/objects"));
  fs::create_directories(here.judge.desk.file("sub/.git/refs"));
  ASSERT_TRUE(here.judge.desk.workspace().change_to(here.judge.desk.file("sub")));
  EXPECT_TRUE(here.looks());
  here.judge.desk.put(".git/config", "[core]\n\tfsmonitor = x\n");
  EXPECT_FALSE(here.looks());
}

}  // namespace
}  // namespace ralph::permission
