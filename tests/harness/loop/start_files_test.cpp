#include "harness/loop/start_files.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;
using Kind = FileVersion::Kind;
using Paths = std::vector<std::string>;

struct StartBench {
  test::TempFolder folder;
  Result<StartFiles> read(const Paths& patterns) const {
    const auto globs = git::PathGlobs::make(patterns);
    EXPECT_TRUE(globs);
    return StartFiles::read(folder.path(), *globs);
  }
  /// "path" for a version that must be there, "-path" for a file that must not.
  Paths wanted(const StartFiles& files, const std::set<std::string>& optional = {}) const {
    Paths found;
    const auto all = files.wanted(folder.path(), optional);
    EXPECT_TRUE(all);
    for (const auto& [path, version] : *all) {
      found.push_back(version.kind == Kind::missing ? "-" + path : path);
    }
    std::ranges::sort(found);
    return found;
  }
};

TEST(StartFiles, AreThoseThatMatchWhateverGitSays) {
  const StartBench bench;
  for (const auto* path : {"tests/a", "tests/sub/b", "src/c", "tests/inner/.git/config",
                           "tests/inner/d", ".ralph/tests/e", "tests/generated.log"}) {
    bench.folder.write(path, "x");
  }
  bench.folder.write(".gitignore", "*.log\n");
  const auto files = bench.read({"tests/**", "!tests/sub/"});
  ASSERT_TRUE(files);
  EXPECT_EQ(files->paths(), (Paths{"tests/a", "tests/generated.log", "tests/inner/d"}));
  EXPECT_FALSE(files->empty());
  EXPECT_TRUE(files->matches("tests/new"));
  EXPECT_FALSE(files->matches("tests/sub/new"));
}

TEST(StartFiles, NoPatternIsNoFile) {
  const StartBench bench;
  bench.folder.write("a", "x");
  const auto files = bench.read({});
  ASSERT_TRUE(files);
  EXPECT_TRUE(files->empty());
  EXPECT_EQ(files->digest(), "");
  EXPECT_EQ(bench.wanted(*files), Paths{});
  EXPECT_TRUE(bench.read({"nothing/**"})->empty());
}

TEST(StartFiles, CachesAreNeverPartAndAlwaysSetAside) {
  const StartBench bench;
  bench.folder.write("tests/a.py", "x");
  bench.folder.write("tests/__pycache__/a.pyc", "x");
  bench.folder.write("tests/.pytest_cache/v/x", "x");
  const auto files = bench.read({"tests/**"});
  ASSERT_TRUE(files);
  EXPECT_EQ(files->paths(), Paths{"tests/a.py"});
  EXPECT_EQ(bench.wanted(*files),
            (Paths{"-tests/.pytest_cache/v/x", "-tests/__pycache__/a.pyc", "tests/a.py"}));
}

TEST(StartFiles, WantedAreAllOfThemAndNoOther) {
  const StartBench bench;
  bench.folder.write("tests/a", "one");
  bench.folder.write("tests/b", "two", 0755);
  const auto files = bench.read({"tests/**"});
  ASSERT_TRUE(files);
  bench.folder.write("tests/a", "changed");
  fs::remove(bench.folder / "tests/b");
  bench.folder.write("tests/new", "x");
  bench.folder.write("src/new", "x");
  EXPECT_EQ(bench.wanted(*files), (Paths{"-tests/new", "tests/a", "tests/b"}));
  EXPECT_EQ(bench.wanted(*files, {"tests/a", "tests/b"}), (Paths{"-tests/new", "tests/a"}));
  const auto all = files->wanted(bench.folder.path(), {});
  EXPECT_EQ(all->at(0).version.bytes, "one");
  EXPECT_EQ(all->at(1).version.mode & 0100U, 0100U);
}

TEST(StartFiles, ALinkProtectsWhatItLeadsTo) {
  const StartBench bench;
  bench.folder.write("real/a", "x");
  bench.folder.write("data/one", "x");
  bench.folder.write("other", "x");
  fs::create_directories(bench.folder / "tests");
  fs::create_symlink("../real", bench.folder / "tests/folder");
  fs::create_symlink("second", bench.folder / "tests/first");
  fs::create_symlink("../data/one", bench.folder / "tests/second");
  fs::create_symlink("/etc/passwd", bench.folder / "tests/out");
  fs::create_symlink("nowhere", bench.folder / "tests/dangling");
  fs::create_symlink("circle", bench.folder / "tests/circle");
  const auto files = bench.read({"tests/**"});
  ASSERT_TRUE(files);
  EXPECT_EQ(files->paths(), (Paths{"data/one", "real/a", "tests/circle", "tests/dangling",
                                   "tests/first", "tests/folder", "tests/out", "tests/second"}));
  EXPECT_EQ(files->leading_out(), Paths{"tests/out"});
  EXPECT_TRUE(files->matches("real/new"));
  EXPECT_FALSE(files->matches("data/new"));
  bench.folder.write("real/new", "x");
  EXPECT_EQ(bench.wanted(*files).front(), "-real/new");
}

TEST(StartFiles, EveryLinkOnTheWayOfALinkIsProtected) {
  const StartBench bench;
  bench.folder.write("real/deep/a", "x");
  bench.folder.write("real/b", "x");
  fs::create_directories(bench.folder / "tests");
  fs::create_symlink("real/deep", bench.folder / "alias");
  fs::create_symlink("gone", bench.folder / "ghost");
  fs::create_symlink("../alias/a", bench.folder / "tests/file");
  fs::create_symlink("../alias/..", bench.folder / "tests/folder");
  fs::create_symlink("../ghost/a", bench.folder / "tests/dangling");
  fs::create_symlink("../../gone", bench.folder / "tests/out");
  const auto files = bench.read({"tests/**"});
  ASSERT_TRUE(files);
  EXPECT_EQ(files->paths(), (Paths{"alias", "ghost", "real/b", "real/deep/a", "tests/dangling",
                                   "tests/file", "tests/folder", "tests/out"}));
  EXPECT_EQ(files->leading_out(), Paths{"tests/out"});
}

TEST(StartFiles, TheDigestIsOfPathsBytesAndTheExecutableBit) {
  const StartBench bench;
  bench.folder.write("t/a", "one", 0644);
  auto files = bench.read({"t/**"});
  const auto digest = files->digest();
  bench.folder.write("t/a", "one", 0600);
  EXPECT_EQ(bench.read({"t/**"})->digest(), digest);
  bench.folder.write("t/a", "one", 0755);
  EXPECT_NE(bench.read({"t/**"})->digest(), digest);
  bench.folder.write("t/a", "two", 0644);
  EXPECT_NE(bench.read({"t/**"})->digest(), digest);
  auto changed = bench.read({"t/**"});
  changed->put("t/a", {Kind::file, "one", 0644});
  EXPECT_EQ(changed->digest(), digest);
  changed->put("t/b", {Kind::file, "one", 0644});
  EXPECT_NE(changed->digest(), digest);
  changed->put("t/b", {});
  EXPECT_EQ(changed->digest(), digest);
}

TEST(StartFiles, NamesThatBeginWithTwoDotsAreNotTheParent) {
  const StartBench bench;
  bench.folder.write("..tests/a", "x");
  bench.folder.write("..b", "x");
  fs::create_symlink("../..b", bench.folder / "..tests/link");
  const auto files = bench.read({"..tests/**"});
  ASSERT_TRUE(files);
  EXPECT_EQ(files->paths(), (Paths{"..b", "..tests/a", "..tests/link"}));
  EXPECT_EQ(files->leading_out(), Paths{});
  EXPECT_FALSE(git::PathGlobs::make({"../tests/**"}));
}

TEST(StartFiles, TooMuchIsAnErrorWithTheRemedy) {
  const StartBench bench;
  for (const auto* name : {"a", "b", "c", "d", "e"}) {
    fs::resize_file(bench.folder.write(name, ""), std::uintmax_t{60} << 20);
  }
  const auto files = bench.read({"*"});
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, Code::limit);
  EXPECT_EQ(files.error().message, "--protect matches more than 256 MiB");
}

TEST(StartFiles, HoldsComparesKindAndBytes) {
  const StartBench bench;
  bench.folder.write("a", "x", 0755);
  EXPECT_TRUE(holds(bench.folder.path(), "a", {Kind::file, "x", 0644}));
  EXPECT_FALSE(holds(bench.folder.path(), "a", {Kind::file, "y", 0755}));
  EXPECT_FALSE(holds(bench.folder.path(), "a", {Kind::link, "x", 0}));
  EXPECT_TRUE(holds(bench.folder.path(), "b", {}));
}

}  // namespace
}  // namespace ralph::loop
