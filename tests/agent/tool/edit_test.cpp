#include "agent/tool/builtin_tools.h"
#include "agent/tool/harness.h"
#include "agent/tool/text_encoding.h"

namespace ralph::tool {
namespace {

Document change(std::string_view path, std::string_view before, std::string_view after,
                bool all = false) {
  return {{"file_path", path}, {"old_string", before}, {"new_string", after}, {"replace_all", all}};
}

TEST(Edit, ReplacesTheOnlyOccurrence) {
  Desk desk;
  desk.put("a.txt", "alpha\nbeta\ngamma\n", 0755);
  const auto called = desk.call(edit_tool(), change("a.txt", "beta", "BETA"));
  EXPECT_EQ(desk.bytes("a.txt"), "alpha\nBETA\ngamma\n");
  EXPECT_EQ(test::mode_of(desk.file("a.txt")), 0755u);
  EXPECT_EQ(called.text(), "The file a.txt has been updated successfully.");
  const Document expected = {
      {"filePath", "a.txt"},
      {"oldString", "beta"},
      {"newString", "BETA"},
      {"originalFile", "alpha\nbeta\ngamma\n"},
      {"structuredPatch", Document::array({{{"oldStart", 1},
                                            {"oldLines", 3},
                                            {"newStart", 1},
                                            {"newLines", 3},
                                            {"lines", {" alpha", "-beta", "+BETA", " gamma"}}}})},
      {"userModified", false},
      {"replaceAll", false},
      {"contentNotInModelContext", true}};
  EXPECT_EQ(called.detail, expected);
}

TEST(Edit, SaysTheStateIsCurrentOnceTheFileWasRead) {
  Desk desk;
  desk.put("a", "x y");
  desk.call(read_tool(), {{"file_path", "a"}});
  const auto called = desk.call(edit_tool(), change("a", "x", "z"));
  EXPECT_NE(called.text().find("no need to Read it back"), std::string::npos);
  EXPECT_FALSE(called.detail.contains("contentNotInModelContext"));
}

TEST(Edit, RefusesAReplacementThatWouldBecomeHuge) {
  Desk desk;
  const std::string before(1 << 16, 'a');
  desk.put("a", before);
  const auto called = desk.call(edit_tool(), change("a", "a", std::string(2000, 'b'), true));
  EXPECT_TRUE(called.text().starts_with("<tool_use_error>Replacing 65536 matches"))
      << called.text().substr(0, 200);
  EXPECT_EQ(desk.bytes("a"), before);
}

TEST(Edit, CountsMatchesAndReplacesAllOnRequest) {
  Desk desk;
  desk.put("a", "alpha\nBETA\ngamma\n");
  const auto refused = desk.call(edit_tool(), change("a", "a", "x"));
  EXPECT_TRUE(refused.error().starts_with("Error: Found 4 matches"));
  EXPECT_TRUE(refused.text().starts_with("<tool_use_error>"));
  EXPECT_EQ(desk.bytes("a"), "alpha\nBETA\ngamma\n");
  const auto called = desk.call(edit_tool(), change("a", "a", "x", true));
  EXPECT_EQ(desk.bytes("a"), "xlphx\nBETA\ngxmmx\n");
  EXPECT_NE(called.text().find("All occurrences were successfully replaced."), std::string::npos);
  EXPECT_EQ(called.detail["structuredPatch"][0]["lines"],
            Document({"-alpha", "+xlphx", " BETA", "-gamma", "+gxmmx"}));
}

TEST(Edit, ShowsTheNearestLinesWhenNothingMatches) {
  Desk desk;
  desk.put("a.py", "import os\n\ndef compute(value):\n    return value + 1\n");
  const auto called = desk.call(edit_tool(), change("a.py", "def compute(valeu):\n", "x"));
  EXPECT_TRUE(
      called.error().starts_with("Error: String to replace not found in file.\nString: def"));
  EXPECT_NE(called.text().find("3\tdef compute(value):"), std::string::npos);
  const auto strange = desk.call(edit_tool(), change("a.py", "zzzzzzzzzz", "x"));
  EXPECT_EQ(strange.error(), "Error: String to replace not found in file.\nString: zzzzzzzzzz");
}

TEST(Edit, RefusesInvalidCalls) {
  Desk desk;
  desk.put("a", "same");
  std::filesystem::create_directory(desk.file("folder"));
  EXPECT_TRUE(desk.call(edit_tool(), change("a", "same", "same"))
                  .text()
                  .starts_with("<tool_use_error>No changes"));
  EXPECT_TRUE(desk.call(edit_tool(), change("none", "a", "b"))
                  .text()
                  .starts_with("<tool_use_error>File does not exist"));
  EXPECT_TRUE(desk.call(edit_tool(), change("folder", "a", "b")).failed);
  EXPECT_TRUE(desk.call(edit_tool(), change("a", "", "b")).failed);
  EXPECT_TRUE(desk.call(edit_tool(), change("/dev/zero", "a", "b")).failed);
  EXPECT_EQ(desk.bytes("a"), "same");
}

TEST(Edit, CreatesAFileFromNothing) {
  Desk desk;
  const auto called = desk.call(edit_tool(), change("brand/new.txt", "", "created"));
  EXPECT_EQ(desk.bytes("brand/new.txt"), "created");
  EXPECT_EQ(called.detail["originalFile"], "");
  EXPECT_EQ(called.detail["structuredPatch"][0]["oldLines"], 0);
  EXPECT_EQ(called.detail["structuredPatch"][0]["lines"],
            Document({"+created", "\\ No newline at end of file"}));
}

TEST(Edit, KeepsLineEndsAndByteOrderMark) {
  Desk desk;
  desk.put("a", "\xEF\xBB\xBFone\r\ntwo\r\nthree\r\n");
  EXPECT_FALSE(desk.call(edit_tool(), change("a", "one\ntwo", "1\n2\n2b")).failed);
  EXPECT_EQ(desk.bytes("a"),
            "\xEF\xBB\xBF"
            "1\r\n2\r\n2b\r\nthree\r\n");
  EXPECT_FALSE(desk.call(edit_tool(), change("a", "2b\r\nthree\r\n", "end\r\n")).failed);
  EXPECT_EQ(desk.bytes("a"),
            "\xEF\xBB\xBF"
            "1\r\n2\r\nend\r\n");
}

TEST(Edit, LeavesOtherLinesOfAMixedFileAlone) {
  Desk desk;
  desk.put("a", "one\r\ntwo\nthree\nfour\n");
  EXPECT_FALSE(desk.call(edit_tool(), change("a", "two\n", "2\n")).failed);
  EXPECT_EQ(desk.bytes("a"), "one\r\n2\nthree\nfour\n");
  EXPECT_FALSE(desk.call(edit_tool(), change("a", "one\n2\n", "x\n")).failed);
  EXPECT_EQ(desk.bytes("a"), "x\nthree\nfour\n");
}

TEST(Edit, MatchesEveryByteLiterally) {
  Desk desk;
  const std::string long_line(9000, 'x');
  desk.put("a", long_line + std::string("a\0b$1\\n", 7));
  EXPECT_FALSE(desk.call(edit_tool(), change("a", std::string_view("\0b", 2), "$&\\1")).failed);
  EXPECT_EQ(desk.bytes("a"), long_line + "a$&\\1$1\\n");
}

/// New text is UTF-8 and would be mixed with the other encoding.
TEST(Edit, RefusesBinaryFilesAndOtherEncodings) {
  Desk desk;
  const std::string binary("\0\1\2abc", 6);
  desk.put("binary", binary);
  const auto called = desk.call(edit_tool(), change("binary", "abc", "x"));
  EXPECT_TRUE(called.failed);
  EXPECT_NE(called.text().find("NUL bytes in its first 8 KB"), std::string::npos) << called.text();
  EXPECT_EQ(desk.bytes("binary"), binary);
  for (const std::string bytes : {"caf\xE9 menu\n", "menu\n\xC3", "\xEF\xBB\xBFmenu \xFC"}) {
    desk.put("latin", bytes);
    const auto latin = desk.call(edit_tool(), change("latin", "menu", "men\u00FC"));
    EXPECT_TRUE(latin.failed) << bytes;
    EXPECT_NE(latin.text().find("not valid UTF-8"), std::string::npos) << latin.text();
    EXPECT_EQ(desk.bytes("latin"), bytes);
  }
}

TEST(Edit, NotesThatTheFileHadChanged) {
  Desk desk;
  desk.put("a", "one two");
  desk.call(read_tool(), {{"file_path", "a"}});
  desk.put("a", "one two three");
  const auto called = desk.call(edit_tool(), change("a", "two", "2"));
  EXPECT_FALSE(called.failed);
  EXPECT_NE(called.text().find("changed on disk"), std::string::npos);
  EXPECT_EQ(desk.bytes("a"), "one 2 three");
}

TEST(Edit, RequiresAReadIfTheSessionDoes) {
  Desk desk(true);
  desk.put("a", "one");
  EXPECT_TRUE(desk.call(edit_tool(), change("a", "one", "1")).failed);
  desk.call(read_tool(), {{"file_path", "a"}});
  EXPECT_FALSE(desk.call(edit_tool(), change("a", "one", "1")).failed);
  EXPECT_FALSE(desk.call(edit_tool(), change("a", "1", "2")).failed);
}

std::string edited(std::string_view before, std::string_view old_text, std::string_view new_text,
                   bool all = false) {
  Desk desk;
  desk.put("a", before);
  const auto called = desk.call(edit_tool(), change("a", old_text, new_text, all));
  return called.failed ? called.text() : desk.bytes("a");
}

TEST(Edit, StraightQuotesMatchTypographicOnesAndBecomeThem) {
  EXPECT_EQ(edited("He said “hello” to ‘Bob’ and it’s fine.\n", "\"hello\" to 'Bob' and it's",
                   "\"bye\" to 'Al' and it's \"new\" isn't 'x'"),
            "He said “bye” to ‘Al’ and it’s “new” isn’t ‘x’ fine.\n");
  EXPECT_EQ(edited("“a” then", "\"a\" then", "(\"b\") [\"c\"] x\"e\" —\"f\" 'g' \t\"h\" don't"),
            "(“b”) [“c”] x”e” —“f” 'g' \t“h” don't")
      << "single quotes were not typographic";
  EXPECT_EQ(edited("‘one’ it’s", "'one' it's", "('two') that's 'tis \"dq\""),
            "(‘two’) that’s ‘tis \"dq\"");
}

TEST(Edit, UnchangedQuotesKeepTheirForm) {
  EXPECT_EQ(edited("say “hi” and \"x\"", "say \"hi\" and \"x\"", "say \"ho\" and \"x\""),
            "say “ho” and \"x\"");
  EXPECT_EQ(edited("“a” \"b\" “c”\r\n'd' ‘e’ ’90s\r\n", "\"a\" \"b\" \"c\"\n'd' 'e' '90s",
                   "\"A\" \"b\" \"C\"\n'd' 'E' \"new\" '90s"),
            "“A” \"b\" “C”\r\n'd' ‘E’ “new” ’90s\r\n");
  EXPECT_EQ(edited("it’s “a” 'b' \"c\" ‘d’", "it's \"a\" 'b' \"c\" 'd'",
                   "it's \"A\" 'b' \"c\" \"new\" 'd'"),
            "it’s “A” 'b' \"c\" “new” ‘d’");
  EXPECT_EQ(edited("print(\"a\")  # says “b”", "print(\"a\")  # says \"b\"",
                   "print(\"x\",\"y\")  # says \"z\""),
            "print(\"x\",\"y\")  # says “z”");
  EXPECT_EQ(edited("“a” \"b\"", "\"a\" \"b\"", "\"c\" and \"a\" \"b\""), "“c” and “a” \"b\"");
}

TEST(Edit, PrefersExactQuotes) {
  EXPECT_EQ(edited("“A” and \"A\"", "\"A\"", "\"B\""), "“A” and \"B\"");
  EXPECT_EQ(edited("“a” “a” \"a\"", "\"a\"", "\"b\"", true), "“a” “a” \"b\"");
  EXPECT_EQ(edited("x = \"a\"", "“a”", "“b”"), "x = “b”");
  EXPECT_EQ(edited("“a” “a”", "\"a\"", "c", true), "c c");
  EXPECT_NE(edited("“a” “a”", "\"a\"", "c").find("Found 2 matches"), std::string::npos);
  EXPECT_NE(edited("a — b", "a - b", "c").find("not found"), std::string::npos);
  EXPECT_EQ(edited("“a”\r\n“b”\r\n", "\"a\"\n\"b\"", "\"c\"\n\"d\""), "“c”\r\n“d”\r\n");
}

TEST(Edit, ReportsTheReplacedText) {
  Desk desk;
  desk.put("a", "say “A”\n");
  const auto called = desk.call(edit_tool(), change("a", "say \"A\"", "say A"));
  EXPECT_EQ(called.detail["oldString"], "say “A”");
  EXPECT_EQ(called.detail["newString"], "say A");
}

TEST(Edit, RefusesALinkAndNamesItsTarget) {
  Desk desk;
  desk.put("target", "alpha\n");
  std::filesystem::create_directory(desk.file("folder"));
  desk.put("folder/inside", "alpha\n");
  std::filesystem::create_symlink("target", desk.file("link"));
  std::filesystem::create_symlink("nowhere", desk.file("dangling"));
  std::filesystem::create_directory_symlink("folder", desk.file("way"));
  for (const auto& call : {change("link", "alpha", "beta"), change("dangling", "", "new")}) {
    const auto called = desk.call(edit_tool(), call);
    EXPECT_TRUE(called.failed);
    EXPECT_NE(called.text().find("symbolic link"), std::string::npos);
  }
  EXPECT_NE(desk.call(edit_tool(), change("link", "alpha", "beta"))
                .text()
                .find(desk.file("target").string()),
            std::string::npos);
  EXPECT_NE(desk.call(edit_tool(), change("dangling", "", "new")).text().find("/nowhere"),
            std::string::npos);
  EXPECT_EQ(desk.bytes("target"), "alpha\n");
  EXPECT_FALSE(std::filesystem::exists(desk.file("nowhere")));
  EXPECT_FALSE(desk.call(edit_tool(), change("way/inside", "alpha", "beta")).failed);
  EXPECT_EQ(desk.bytes("folder/inside"), "beta\n");
}

TEST(Edit, KeepsUtf16AndItsLineEnds) {
  Desk desk;
  for (const auto encoding : {Encoding::utf16_little, Encoding::utf16_big}) {
    desk.put("a", encoded("eins\r\nzwei \u00FC \U0001F600\r\n", encoding));
    const auto called = desk.call(edit_tool(), change("a", "zwei", "zwo\nneu"));
    EXPECT_EQ(desk.bytes("a"), encoded("eins\r\nzwo\r\nneu \u00FC \U0001F600\r\n", encoding));
    EXPECT_EQ(called.detail["originalFile"], "eins\nzwei \u00FC \U0001F600\n");
  }
}

/// A file that cannot be written back unchanged is not changed.
TEST(Edit, RefusesBrokenUtf16) {
  Desk desk;
  const auto broken = encoded("eins\n", Encoding::utf16_little) + std::string("\x3D\xD8", 2);
  desk.put("a", broken);
  EXPECT_TRUE(desk.call(edit_tool(), change("a", "eins", "zwei")).failed);
  EXPECT_EQ(desk.bytes("a"), broken);
}

}  // namespace
}  // namespace ralph::tool
