#include <chrono>
#include <fstream>

#include "agent/tool/builtin_tools.h"
#include "agent/tool/harness.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

/// Older for smaller ages.
void set_age(const fs::path& path, int age) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1000 - age));
}

Access in(const Workspace& workspace) { return {Access::Kind::read, workspace.cwd(), {}}; }

void fill(const Desk& desk) {
  set_age(desk.put("a.txt", "alpha\nbeta\ngamma\n"), 1);
  set_age(desk.put("b.py", "def f():\n    return 1\n"), 2);
  set_age(desk.put("sub/c.txt", "beta two\n"), 3);
  set_age(desk.put(".hidden/d.txt", "x\n"), 4);
  // ripgrep sorts each directory on its own, subdirectories by their own time.
  set_age(desk.file("sub"), 3);
  set_age(desk.file(".hidden"), 4);
}

TEST(Glob, FindsOldestFirstAtAnyDepthHiddenIncluded) {
  Desk desk;
  fill(desk);
  desk.put(".gitignore", "sub\n");
  const auto called = desk.call(glob_tool(), {{"pattern", "*.txt"}});
  EXPECT_EQ(called.text(), "a.txt\nsub/c.txt\n.hidden/d.txt");
  EXPECT_EQ(called.detail["filenames"], Document({"a.txt", "sub/c.txt", ".hidden/d.txt"}));
  EXPECT_EQ(called.detail["numFiles"], 3);
  EXPECT_EQ(called.detail["truncated"], false);
  EXPECT_EQ(called.detail["totalMatches"], 3);
  EXPECT_EQ(called.detail["countIsComplete"], true);
  EXPECT_TRUE(called.detail["durationMs"].is_number_integer());
  EXPECT_EQ(desk.call(glob_tool(), {{"pattern", "**/*.txt"}}).text(), called.text());
}

TEST(Glob, ShowsPathsRelativeToTheCurrentDirectory) {
  Desk desk;
  fill(desk);
  EXPECT_EQ(desk.call(glob_tool(), {{"pattern", "*.txt"}, {"path", "sub"}}).text(), "sub/c.txt");
  EXPECT_EQ(desk.call(glob_tool(), {{"pattern", desk.file("sub").string() + "/*.txt"}}).text(),
            "sub/c.txt");
  EXPECT_EQ(desk.call(glob_tool(), {{"pattern", "*.nope"}}).text(), "No files found");
}

TEST(Search, ExcludesDeniedFiles) {
  for (const std::string rule : {"./sub/secret.txt", "secret.txt", "sub/s*.txt", "**/secret.*"}) {
    Desk desk(false, {rule});
    desk.put("sub/secret.txt", "word\n");
    desk.put("sub/open.txt", "word\n");
    const Document everything{{"pattern", "word"}, {"glob", "*.txt"}, {"output_mode", "content"}};
    for (const auto* const folder : {"", "sub"}) {
      ASSERT_TRUE(desk.workspace().change_to(desk.file(folder)));
      const auto grep = desk.call(grep_tool(), everything).text();
      EXPECT_EQ(grep.find("secret"), std::string::npos) << rule << folder << grep;
      EXPECT_NE(grep.find("open.txt"), std::string::npos) << rule << folder << grep;
      const auto glob =
          desk.call(glob_tool(), {{"pattern", "*.txt"}, {"path", desk.root()}}).text();
      EXPECT_EQ(glob.find("secret"), std::string::npos) << rule << folder << glob;
      EXPECT_NE(glob.find("open.txt"), std::string::npos) << rule << folder << glob;
    }
    const auto above = desk.call(grep_tool(), {{"pattern", "word"}, {"path", desk.root()}}).text();
    EXPECT_EQ(above, "Found 1 file\n" + desk.file("sub/open.txt").string()) << rule;
  }
}

/// ripgrep would block on the pipe.
TEST(Search, DoesNotBlockOnIgnoreFilesThatArePipes) {
  for (const auto* const name :
       {".gitignore", "sub/.gitignore", "../.gitignore", ".git/info/exclude",
        "sub/.git/info/exclude", "gitdir/commondir"}) {
    Desk desk;
    desk.put("file.txt", "word\n");
    desk.put("sub/x", "x\n");
    const bool worktree = std::string_view(name) == "gitdir/commondir";
    if (worktree) desk.put(".git", "gitdir: gitdir\n");
    if (!worktree) fs::create_directories(desk.file(".git/info"));
    const auto pipe = desk.file(name);
    fs::create_directories(pipe.parent_path());
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0) << name;
    const auto text = desk.call(grep_tool(), {{"pattern", "word"}}).text();
    EXPECT_NE(text.find("Found 1 file\nfile.txt"), text.npos) << name << text;
    EXPECT_NE(text.find("is not a regular file"), text.npos) << name << text;
  }
}

TEST(Glob, ShowsAtMostAHundred) {
  Desk desk;
  for (int i = 0; i < 150; ++i) desk.put("f" + std::to_string(i), "");
  const auto called = desk.call(glob_tool(), {{"pattern", "f*"}});
  EXPECT_EQ(called.detail["numFiles"], 100);
  EXPECT_EQ(called.detail["totalMatches"], 150);
  EXPECT_EQ(called.detail["truncated"], true);
  EXPECT_NE(called.text().find("\n(Showing 100 of 150 matching files"), std::string::npos);
}

TEST(Glob, ReportsThatAPathIsNotADirectory) {
  Desk desk;
  fill(desk);
  EXPECT_TRUE(desk.call(glob_tool(), {{"pattern", "*"}, {"path", "missing"}})
                  .text()
                  .starts_with("Directory does not exist"));
  EXPECT_TRUE(desk.call(glob_tool(), {{"pattern", "*"}, {"path", "a.txt"}})
                  .text()
                  .starts_with("Path is not a directory"));
}

TEST(Glob, PatternsAreNeverOptions) {
  Desk desk;
  desk.put("!not.txt", "");
  desk.put("#hash", "");
  desk.put("-dash", "");
  EXPECT_EQ(desk.call(glob_tool(), {{"pattern", "!not.txt"}}).text(), "!not.txt");
  EXPECT_EQ(desk.call(glob_tool(), {{"pattern", "#hash"}}).text(), "#hash");
  EXPECT_EQ(desk.call(glob_tool(), {{"pattern", "-dash"}}).text(), "-dash");
  EXPECT_TRUE(desk.call(glob_tool(), {{"pattern", "../*"}}).failed);
  EXPECT_TRUE(desk.call(glob_tool(), {{"pattern", "[a"}}).failed);
  EXPECT_TRUE(desk.call(glob_tool(), {{"pattern", ""}}).failed);
  EXPECT_TRUE(desk.call(glob_tool(), {{"pattern", std::string(200000, '*')}}).failed);
  EXPECT_TRUE(desk.call(glob_tool(), {{"pattern", std::string("a\0b", 3)}}).failed);
}

TEST(Glob, SearchesTheDirectoryOfAnAbsolutePattern) {
  Desk desk;
  const auto access = glob_tool().access({{"pattern", "/etc/*.conf"}}, desk.workspace());
  EXPECT_EQ(access.kind, Access::Kind::read);
  EXPECT_EQ(access.path, "/etc");
  EXPECT_EQ(glob_tool().access({{"pattern", "*"}}, desk.workspace()).path, desk.root());
}

TEST(Glob, DoesNotFollowLinksOutside) {
  Desk desk;
  std::ofstream(desk.outside() / "secret.txt") << "x";
  fs::create_directory_symlink(desk.outside(), desk.file("link"));
  EXPECT_EQ(desk.call(glob_tool(), {{"pattern", "**/secret.txt"}}).text(), "No files found");
  EXPECT_EQ(desk.call(grep_tool(), {{"pattern", "x"}}).text(), "No files found");
}

TEST(Grep, NamesFilesNewestFirst) {
  Desk desk;
  fill(desk);
  const auto called = desk.call(grep_tool(), {{"pattern", "beta"}});
  EXPECT_EQ(called.text(), "Found 2 files\nsub/c.txt\na.txt");
  const Document expected = {{"mode", "files_with_matches"},
                             {"filenames", {"sub/c.txt", "a.txt"}},
                             {"numFiles", 2},
                             {"totalFiles", 2}};
  EXPECT_EQ(called.detail, expected);
  EXPECT_EQ(desk.call(grep_tool(), {{"pattern", "def"}, {"type", "py"}}).text(),
            "Found 1 file\nb.py");
  EXPECT_EQ(desk.call(grep_tool(), {{"pattern", "BETA"}, {"-i", true}, {"glob", "a*"}}).text(),
            "Found 1 file\na.txt");
}

TEST(Grep, ShowsLines) {
  Desk desk;
  fill(desk);
  const auto called = desk.call(grep_tool(), {{"pattern", "beta"}, {"output_mode", "content"}});
  EXPECT_EQ(called.text(), "a.txt:2:beta\nsub/c.txt:1:beta two");
  const Document expected = {{"mode", "content"},
                             {"numFiles", 0},
                             {"filenames", Document::array()},
                             {"content", "a.txt:2:beta\nsub/c.txt:1:beta two"},
                             {"numLines", 2},
                             {"totalLines", 2}};
  EXPECT_EQ(called.detail, expected);
  EXPECT_EQ(
      desk.call(grep_tool(), {{"pattern", "beta"}, {"output_mode", "content"}, {"-C", 1}}).text(),
      "a.txt-1-alpha\na.txt:2:beta\na.txt-3-gamma\n--\nsub/c.txt:1:beta two");
  EXPECT_EQ(
      desk.call(grep_tool(), {{"pattern", "beta"}, {"output_mode", "content"}, {"path", "a.txt"}})
          .text(),
      "2:beta");
  EXPECT_EQ(
      desk.call(grep_tool(),
                {{"pattern", "beta"}, {"output_mode", "content"}, {"path", "sub"}, {"-n", false}})
          .text(),
      "sub/c.txt:beta two");
  EXPECT_EQ(desk.call(grep_tool(),
                      {{"pattern", "alpha.beta"}, {"multiline", true}, {"output_mode", "content"}})
                .text(),
            "a.txt:1:alpha\na.txt:2:beta");
}

TEST(Grep, Counts) {
  Desk desk;
  fill(desk);
  const auto called = desk.call(grep_tool(), {{"pattern", "beta"}, {"output_mode", "count"}});
  EXPECT_EQ(called.text(), "a.txt:1\nsub/c.txt:1\n\nFound 2 total occurrences across 2 files.");
  EXPECT_EQ(called.detail["numMatches"], 2);
  EXPECT_EQ(called.detail["numFiles"], 2);
  EXPECT_EQ(called.detail["content"], "a.txt:1\nsub/c.txt:1");
}

TEST(Grep, ReportsNoMatches) {
  Desk desk;
  fill(desk);
  EXPECT_EQ(desk.call(grep_tool(), {{"pattern", "zzz"}}).text(), "No files found");
  EXPECT_EQ(desk.call(grep_tool(), {{"pattern", "zzz"}, {"output_mode", "content"}}).text(),
            "No matches found");
  EXPECT_EQ(desk.call(grep_tool(), {{"pattern", "zzz"}, {"output_mode", "count"}}).text(),
            "No matches found\n\nFound 0 total occurrences across 0 files.");
}

TEST(Grep, ShowsPages) {
  Desk desk;
  std::string text;
  for (int i = 0; i < 300; ++i) text += "line " + std::to_string(i) + "\n";
  desk.put("big.txt", text);
  const auto page = desk.call(grep_tool(), {{"pattern", "line"},
                                            {"path", "big.txt"},
                                            {"output_mode", "content"},
                                            {"head_limit", 2},
                                            {"offset", 5}});
  EXPECT_EQ(page.text(),
            "6:line 5\n7:line 6\n\n[Showing results with pagination = limit: 2, offset: 5]");
  EXPECT_EQ(page.detail["totalLines"], 300);
  EXPECT_EQ(page.detail["appliedLimit"], 2);
  EXPECT_EQ(page.detail["appliedOffset"], 5);
  const auto usual = desk.call(grep_tool(), {{"pattern", "line"}, {"output_mode", "content"}});
  EXPECT_EQ(usual.detail["numLines"], 250);
  EXPECT_TRUE(usual.text().ends_with("\n\n[Showing results with pagination = limit: 250]"));
  const auto all =
      desk.call(grep_tool(), {{"pattern", "line"}, {"output_mode", "content"}, {"head_limit", 0}});
  EXPECT_EQ(all.detail["numLines"], 300);
  EXPECT_FALSE(all.detail.contains("appliedLimit"));
}

TEST(Grep, OmitsLongLinesAndSavesLongResults) {
  Desk desk;
  desk.put("long", "needle " + std::string(3000, 'x') + "\n");
  const auto called = desk.call(grep_tool(), {{"pattern", "needle"}, {"output_mode", "content"}});
  EXPECT_EQ(called.text(), "long:1:[Omitted long matching line]");
  std::string text;
  for (int i = 0; i < 200; ++i) text += "straw " + std::string(400, 'x') + "\n";
  desk.put("many", text);
  const auto big = desk.call(grep_tool(), {{"pattern", "straw"}, {"output_mode", "content"}});
  EXPECT_TRUE(big.text().starts_with("<persisted-output>"));
  EXPECT_LT(big.text().size(), 4000u);
  const auto& output = desk.workspace().setup().output_folder;
  ASSERT_TRUE(fs::exists(output));
  EXPECT_EQ(test::mode_of(output), 0700u);
  EXPECT_GT(fs::file_size(fs::directory_iterator(output)->path()), 80000u);
}

TEST(Grep, PatternsAreNeverOptions) {
  Desk desk;
  desk.put("a", "--pre\n-x\n");
  EXPECT_EQ(desk.call(grep_tool(), {{"pattern", "--pre"}}).text(), "Found 1 file\na");
  EXPECT_EQ(desk.call(grep_tool(), {{"pattern", "-x"}, {"output_mode", "content"}}).text(),
            "a:2:-x");
  desk.put("-f", "needle\n");
  EXPECT_EQ(desk.call(grep_tool(), {{"pattern", "needle"}, {"path", "-f"}}).text(),
            "Found 1 file\n-f");
  const auto bad = desk.call(grep_tool(), {{"pattern", "("}});
  EXPECT_TRUE(bad.failed);
  EXPECT_NE(bad.text().find("unclosed group"), std::string::npos);
  EXPECT_TRUE(desk.call(grep_tool(), {{"pattern", "x"}, {"type", "nosuchtype"}}).failed);
  EXPECT_TRUE(desk.call(grep_tool(), {{"pattern", std::string(200000, 'x')}}).failed);
  EXPECT_TRUE(desk.call(grep_tool(), {{"pattern", std::string("a\0b", 3)}}).failed);
  EXPECT_TRUE(desk.call(grep_tool(), {{"pattern", "x"}, {"path", "missing"}})
                  .text()
                  .starts_with("Path does not exist"));
  ASSERT_EQ(::mkfifo(desk.file("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(desk.call(grep_tool(), {{"pattern", "x"}, {"path", "pipe"}}).failed);
  EXPECT_FALSE(desk.call(grep_tool(), {{"pattern", "x"}}).failed)
      << "a pipe in the folder is left alone";
}

TEST(Grep, RepairsWhatIsNotUtf8) {
  Desk desk;
  desk.put("a", "gr\xFCn\r\n");
  EXPECT_EQ(desk.call(grep_tool(), {{"pattern", "gr"}, {"output_mode", "content"}}).text(),
            "a:1:gr\uFFFDn");
}

TEST(Grep, ReportsThatRipgrepIsMissing) {
  TempFolder folder;
  Workspace::Setup setup;
  setup.root = fs::canonical(folder.path());
  setup.environment = {{"PATH", folder.path().string()}};
  Workspace workspace(setup);
  for (const auto* const tool : {&grep_tool(), &glob_tool()}) {
    const auto outcome = tool->run({{"pattern", "x"}}, in(workspace), workspace, {});
    EXPECT_EQ(outcome.is_error, true);
    EXPECT_NE(outcome.content.find("ripgrep"), std::string::npos);
  }
}

TEST(Grep, StopsAtItsTimeLimitAndOnRequest) {
  TempFolder folder;
  folder.write("bin/rg", "#!/bin/sh\nprintf 'found.txt\\0'\nexec sleep 1000\n", 0755);
  Workspace::Setup setup;
  fs::create_directory(folder / "root");
  setup.root = fs::canonical(folder / "root");
  setup.environment = {{"PATH", (folder.path() / "bin").string() + ":/usr/bin:/bin"}};
  setup.variables = {"CLAUDE_CODE_GLOB_TIMEOUT_SECONDS=1"};
  Workspace workspace(setup);
  const auto late = glob_tool().run({{"pattern", "*"}}, in(workspace), workspace, {});
  EXPECT_NE(late.content.find("found.txt"), std::string::npos);
  EXPECT_NE(late.content.find("took too long"), std::string::npos);
  std::stop_source source;
  source.request_stop();
  const auto stopped =
      grep_tool().run({{"pattern", "x"}}, in(workspace), workspace, source.get_token());
  EXPECT_EQ(stopped.is_error, true);
}

/// The search uses the opened directory of the decision, not what has its name now.
TEST(Search, ADirectoryOrFileSwappedForALinkAfterTheDecisionIsNotFollowed) {
  Desk desk;
  desk.put("folder/inside.txt", "word inside\n");
  std::ofstream(desk.outside() / "inside.txt") << "word outside\n";
  const auto after_swap = [&](const Tool& tool, const Document& input, std::string_view name) {
    const auto access = tool.access(input, desk.workspace());
    const auto real = desk.file(name);
    fs::rename(real, desk.file("moved"));
    fs::create_symlink(name == "folder" ? desk.outside() : desk.outside() / "inside.txt", real);
    const auto outcome = tool.run(input, access, desk.workspace(), {});
    fs::remove(real);
    fs::rename(desk.file("moved"), real);
    return outcome;
  };
  for (const auto* const mode : {"content", "count", "files_with_matches"}) {
    for (const auto* const path : {"folder", "folder/inside.txt"}) {
      const Document input{{"pattern", "word"}, {"path", path}, {"output_mode", mode}};
      const auto outcome = after_swap(grep_tool(), input, path);
      EXPECT_EQ(outcome.is_error, true) << mode << path << outcome.content;
      EXPECT_FALSE(outcome.content.contains("outside")) << outcome.content;
    }
  }
  const auto outcome = after_swap(glob_tool(), {{"pattern", "*"}, {"path", "folder"}}, "folder");
  EXPECT_EQ(outcome.is_error, true) << outcome.content;
}

TEST(Grep, PathsAndGlobsAreRelativeToTheCurrentDirectory) {
  Desk desk;
  desk.put("sub/a.txt", "word\n");
  desk.put("sub/deep/b.txt", "word\n");
  const auto content = [&](std::string_view path, std::string_view glob) {
    return desk
        .call(grep_tool(),
              {{"pattern", "word"}, {"path", path}, {"glob", glob}, {"output_mode", "content"}})
        .text();
  };
  EXPECT_EQ(content("sub", ""), "sub/a.txt:1:word\nsub/deep/b.txt:1:word");
  EXPECT_EQ(content("sub", "sub/*.txt"), "sub/a.txt:1:word");
  EXPECT_EQ(content("sub", "{other,sub/deep}/*.txt"), "sub/deep/b.txt:1:word");
  EXPECT_EQ(content("sub", "!sub/deep/**"), "sub/a.txt:1:word");
  EXPECT_EQ(content("sub", "other/*.txt"), "No matches found");
  EXPECT_EQ(content("sub/a.txt", ""), "1:word") << "one file is not named";
  EXPECT_EQ(
      desk.call(grep_tool(), {{"pattern", "word"}, {"path", "sub/a.txt"}}).detail["filenames"],
      Document({"sub/a.txt"}));
}

TEST(Grep, PatternsOfRulesTakeLinearTime) {
  std::string pattern = "//**";
  std::string folder;
  for (int i = 0; i < 40; ++i) {
    pattern += "/**/d*";
    folder += "d/";
  }
  Desk desk(false, {pattern + "/x"});
  desk.put(folder + "a.txt", "word\n");
  const auto found = desk.call(grep_tool(), {{"pattern", "word"}, {"path", folder}});
  EXPECT_FALSE(found.failed) << found.text();
}

TEST(Search, RipgrepIsNotUsedFromAWorkingDirectory) {
  Desk desk;
  desk.put("bin/rg", "#!/bin/sh\ntouch " + (desk.outside() / "owned").string() + "\n", 0755);
  Workspace::Setup setup = desk.workspace().setup();
  setup.environment = {{"PATH", ".:bin::" + desk.file("bin").string() + ":/usr/bin:/bin"}};
  Workspace workspace(setup);
  glob_tool().run({{"pattern", "*"}}, in(workspace), workspace, {});
  EXPECT_FALSE(fs::exists(desk.outside() / "owned"));
}

}  // namespace
}  // namespace ralph::tool
