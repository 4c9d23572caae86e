#include "agent/permission/harness.h"
#include "agent/permission/rule.h"
#include "agent/tool/builtin_tools.h"

namespace ralph::permission {
namespace {

namespace fs = std::filesystem;

/// The answer to a wrong old_string quotes the nearest lines of the file.
TEST(PermissionLinks, ARuleThatDeniesReadingDeniesEditing) {
  Judge judge;
  judge.desk.put(".env", "key");
  judge.desk.put("other", "x");
  judge.rules.deny = {"Read(.env)", "Read(new)"};
  EXPECT_FALSE(judge.ask(edit_tool(), {{"file_path", ".env"}}, Mode::accept_edits).allowed);
  EXPECT_FALSE(judge.write(".env", Mode::accept_edits).allowed);
  EXPECT_TRUE(judge.write("new", Mode::accept_edits).allowed) << "it does not exist yet";
  EXPECT_TRUE(judge.ask(edit_tool(), {{"file_path", "other"}}, Mode::accept_edits).allowed);
  judge.rules = {{}, {}, {"Read(.env)"}};
  EXPECT_FALSE(judge.ask(edit_tool(), {{"file_path", ".env"}}, Mode::bypass).allowed);
}

TEST(PermissionLinks, ARuleThatNamesALinkMatchesItsTarget) {
  Judge judge;
  judge.desk.put("real.txt", "x");
  judge.desk.put("real/file", "x");
  judge.desk.put("real/a.pem", "x");
  fs::create_symlink("real.txt", judge.desk.file("link.txt"));
  fs::create_symlink("real", judge.desk.file("link"));
  for (const auto* const rule :
       {"Read(./link.txt)", "Read(link.txt)", "Read(./link/../link.txt)"}) {
    judge.rules.deny = {rule};
    EXPECT_FALSE(judge.read("real.txt").allowed) << rule;
    EXPECT_FALSE(judge.read("link.txt").allowed) << rule;
    EXPECT_FALSE(judge.run("cat real.txt").allowed) << rule;
    EXPECT_TRUE(judge.read("real/file").allowed) << rule;
  }
  judge.rules.deny = {"Edit(link/**)"};
  EXPECT_FALSE(judge.write("real/file", Mode::accept_edits).allowed);
  judge.rules.deny = {"Read(link/*.pem)"};
  EXPECT_FALSE(judge.read("real/a.pem").allowed);
  EXPECT_TRUE(judge.read("real/file").allowed);
}

TEST(PermissionLinks, RulesMayContainDotDot) {
  Judge judge;
  judge.desk.put(".env", "x");
  judge.desk.put("sub/x", "x");
  judge.rules.deny = {"Read(../outside/**)", "Read(./sub/../.env)"};
  EXPECT_FALSE(judge.read("../outside/key", Mode::plan).allowed);
  EXPECT_FALSE(judge.read(".env").allowed);
  EXPECT_TRUE(judge.read("sub/x").allowed);
  const fs::path root = "/w/a";
  EXPECT_TRUE(matches_path("../b/**", "/w/b/x", root));
  EXPECT_TRUE(matches_path("..", "/w/b", root));
  EXPECT_TRUE(matches_path("../../../..", "/etc/x", root));
  EXPECT_TRUE(matches_path("x/*/../y", "/w/a/x/y", root));
  EXPECT_TRUE(matches_path("**/../y", "/w/a/x/y", root));
  EXPECT_FALSE(matches_path("../b/**", "/w/a/b/x", root));
}

TEST(PermissionLinks, WildcardsMatchCharactersNotBytes) {
  EXPECT_TRUE(matches_path("./a?c", "/w/aÄc", "/w"));
  EXPECT_TRUE(matches_path("./[Ää]", "/w/ä", "/w"));
  EXPECT_TRUE(matches_path("./[à-ü]", "/w/ä", "/w"));
  EXPECT_FALSE(matches_path("./[Ö]", "/w/Ä", "/w"));
  EXPECT_FALSE(matches_path("./??", "/w/Ä", "/w"));
  EXPECT_TRUE(matches_path("./*Ä", "/w/xÄ", "/w"));
  EXPECT_TRUE(matches_path("./?", "/w/\xC4", "/w"));
  EXPECT_FALSE(matches_path("./Ä", "/w/\xC4", "/w"));
}

/// ripgrep's own patterns have braces, and characters of one byte.
TEST(PermissionLinks, SearchesFollowTheSameRules) {
  struct Row {
    const char* rule;
    const char* file;
  };
  for (const auto& [rule, file] :
       {Row{"./{a}/k", "{a}/k"}, Row{"./a?c", "aÄc"}, Row{"./[Ä]", "Ä"}, Row{"./[x", "[x"},
        Row{"./a b", "a b"}, Row{"./x ", "x "}, Row{"./[[:alpha:]]", "q"}, Row{"./a\\*b", "a*b"},
        Row{"./sub/../s", "s"}, Row{"./link", "target"}, Row{"link", "target"}}) {
    Desk desk(false, {rule});
    desk.put(file, "needle\n");
    desk.put("free.txt", "needle\n");
    fs::create_symlink("target", desk.file("link"));
    const auto called =
        desk.call(grep_tool(), {{"pattern", "needle"}, {"output_mode", "files_with_matches"}});
    EXPECT_EQ(called.detail["filenames"], Document({"free.txt"})) << rule << called.text();
  }
}

}  // namespace
}  // namespace ralph::permission
