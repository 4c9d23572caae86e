#include "agent/tool/builtin_tools.h"
#include "agent/tool/harness.h"
#include "agent/tool/line_diff.h"
#include "agent/tool/text_encoding.h"

namespace ralph::tool {
namespace {

TEST(Write, CreatesFilesAndDirectories) {
  Desk desk;
  const auto path = desk.file("new/deep/x.txt").string();
  const auto called = desk.call(write_tool(), {{"file_path", path}, {"content", "hi\nthere\n"}});
  EXPECT_EQ(desk.bytes("new/deep/x.txt"), "hi\nthere\n");
  EXPECT_TRUE(called.text().starts_with("File created successfully at: " + path));
  const Document expected = {{"type", "create"},         {"filePath", path},
                             {"content", "hi\nthere\n"}, {"structuredPatch", Document::array()},
                             {"originalFile", nullptr},  {"userModified", false}};
  EXPECT_EQ(called.detail, expected);
}

TEST(Write, ReportsTheChange) {
  Desk desk;
  desk.put("a.txt", "alpha\nbeta\ngamma\n", 0640);
  const auto called = desk.call(write_tool(), {{"file_path", "a.txt"}, {"content", "overwrite"}});
  EXPECT_EQ(desk.bytes("a.txt"), "overwrite");
  EXPECT_EQ(test::mode_of(desk.file("a.txt")), 0640u);
  EXPECT_EQ(called.text(),
            "The file a.txt has been updated successfully. (file state is current in your context "
            "— no need to Read it back)");
  EXPECT_EQ(called.detail["type"], "update");
  EXPECT_EQ(called.detail["originalFile"], "alpha\nbeta\ngamma\n");
  const Document hunk = {
      {"oldStart", 1},
      {"oldLines", 3},
      {"newStart", 1},
      {"newLines", 1},
      {"lines", {"-alpha", "-beta", "-gamma", "+overwrite", "\\ No newline at end of file"}}};
  EXPECT_EQ(called.detail["structuredPatch"], Document::array({hunk}));
}

TEST(Write, RefusesDirectoriesAndDanglingLinks) {
  Desk desk;
  std::filesystem::create_directory(desk.file("sub"));
  const auto called = desk.call(write_tool(), {{"file_path", "sub"}, {"content", "x"}});
  EXPECT_TRUE(called.text().starts_with("<tool_use_error>sub is a directory"));
  std::filesystem::create_symlink(desk.outside() / "x", desk.file("link"));
  EXPECT_TRUE(desk.call(write_tool(), {{"file_path", "link"}, {"content", "x"}}).failed);
  EXPECT_TRUE(std::filesystem::is_empty(desk.outside()));
  EXPECT_TRUE(desk.call(write_tool(), {{"file_path", "/proc/nope/x"}, {"content", "x"}}).failed);
}

TEST(Write, KeepsEveryByte) {
  Desk desk;
  const std::string content(
      "\xEF\xBB\xBF"
      "a\r\nb\0c",
      9);
  EXPECT_FALSE(desk.call(write_tool(), {{"file_path", "a"}, {"content", content}}).failed);
  EXPECT_EQ(desk.bytes("a"), content);
}

TEST(Write, RequiresAReadIfTheSessionDoes) {
  Desk desk(true);
  desk.put("a", "old");
  const Document input = {{"file_path", "a"}, {"content", "new"}};
  EXPECT_TRUE(desk.call(write_tool(), input)
                  .text()
                  .starts_with("<tool_use_error>File has not been read yet"));
  EXPECT_FALSE(desk.call(read_tool(), {{"file_path", "a"}}).failed);
  EXPECT_FALSE(desk.call(write_tool(), input).failed);
  EXPECT_FALSE(desk.call(write_tool(), {{"file_path", "a"}, {"content", "newer"}}).failed);
  desk.put("a", "changed by another");
  EXPECT_TRUE(desk.call(write_tool(), input).failed);
  EXPECT_FALSE(desk.call(write_tool(), {{"file_path", "fresh"}, {"content", "x"}}).failed);
}

std::string shown(const std::vector<Hunk>& hunks) {
  std::string text;
  for (const auto& hunk : hunks) {
    text += "@@ " + std::to_string(hunk.old_start) + "," + std::to_string(hunk.old_lines) + " " +
            std::to_string(hunk.new_start) + "," + std::to_string(hunk.new_lines) + "\n";
    for (const auto& line : hunk.lines) text += line + "\n";
  }
  return text;
}

TEST(LineDiff, SeparatesDistantChangesAndMergesNearOnes) {
  EXPECT_EQ(shown(line_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\nX\n3\n4\n5\n6\n7\nY\n9\n")),
            "@@ 1,9 1,9\n 1\n-2\n+X\n 3\n 4\n 5\n 6\n 7\n-8\n+Y\n 9\n");
  EXPECT_EQ(
      shown(line_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\na\n")),
      "@@ 1,3 1,4\n+0\n 1\n 2\n 3\n@@ 8,4 9,3\n 8\n 9\n a\n-b\n");
  EXPECT_TRUE(line_diff("a\n", "a\n").empty());
  EXPECT_EQ(shown(line_diff("", "x")), "@@ 1,0 1,1\n+x\n\\ No newline at end of file\n");
  EXPECT_EQ(shown(line_diff("x", "x\n")), "@@ 1,1 1,1\n-x\n\\ No newline at end of file\n+x\n");
}

/// Puts the new text together from the old one and the hunks.
std::string patched(std::string_view before, const std::vector<Hunk>& hunks) {
  std::vector<std::string> lines;
  for (auto rest = before; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  std::string after;
  std::size_t at = 0;
  for (const auto& hunk : hunks) {
    for (; at < hunk.old_start - 1; ++at) after += lines[at];
    for (const auto& line : hunk.lines) {
      if (line[0] == '\\') {
        if (after.ends_with('\n')) after.pop_back();
      } else if (line[0] == '-') {
        ++at;
      } else {
        if (line[0] == ' ') ++at;
        after += line.substr(1) + "\n";
      }
    }
  }
  for (; at < lines.size(); ++at) after += lines[at];
  return after;
}

TEST(LineDiff, DescribesTheWholeChange) {
  unsigned state = 1;
  const auto random = [&](unsigned below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % below;
  };
  for (int round = 0; round < 500; ++round) {
    std::string before;
    std::string after;
    for (unsigned i = 0; i < random(40); ++i)
      before += std::string(1, static_cast<char>('a' + random(4))) + "\n";
    for (unsigned i = 0; i < random(40); ++i)
      after += std::string(1, static_cast<char>('a' + random(4))) + "\n";
    ASSERT_EQ(patched(before, line_diff(before, after)), after) << before << "---\n" << after;
  }
}

TEST(LineDiff, StaysCheapForHugeChanges) {
  std::string before;
  std::string after;
  for (int i = 0; i < 100000; ++i) {
    before += "old " + std::to_string(i) + "\n";
    after += "new " + std::to_string(i) + "\n";
  }
  EXPECT_EQ(line_diff(before, after).size(), 1u);
  EXPECT_TRUE(line_diff(std::string(5 << 20, 'x'), "y").empty());
}

TEST(Write, KeepsTheEncodingOfAByteOrderMark) {
  Desk desk;
  for (const auto encoding : {Encoding::utf8_marked, Encoding::utf16_little, Encoding::utf16_big}) {
    desk.put("a", encoded("before\n", encoding));
    const auto called = desk.call(write_tool(), {{"file_path", "a"}, {"content", "\u00FC\n"}});
    EXPECT_EQ(desk.bytes("a"), encoded("\u00FC\n", encoding));
    EXPECT_EQ(called.detail["originalFile"], "before\n");
  }
}

TEST(Write, RefusesBinaryFilesAndOtherEncodings) {
  Desk desk;
  for (const std::string& bytes :
       {std::string("\0\1\2", 3), encoded("a", Encoding::utf16_little).substr(2),
        std::string("\xFF\xFE\0\0a\0\0\0", 8), std::string("caf\xE9\n")}) {
    desk.put("a", bytes);
    const auto called = desk.call(write_tool(), {{"file_path", "a"}, {"content", "x"}});
    EXPECT_TRUE(called.failed) << bytes;
    EXPECT_NE(called.text().find("nothing was written"), std::string::npos) << called.text();
    EXPECT_EQ(desk.bytes("a"), bytes);
  }
  const auto huge = desk.put("huge", std::string("\0", 1));
  std::filesystem::resize_file(huge, (64 << 20) + 1);
  EXPECT_TRUE(desk.call(write_tool(), {{"file_path", "huge"}, {"content", "x"}}).failed);
}

TEST(Write, RefusesALinkAndNamesItsTarget) {
  Desk desk;
  desk.put("target", "alpha\n");
  std::filesystem::create_symlink("target", desk.file("link"));
  const auto called = desk.call(write_tool(), {{"file_path", "link"}, {"content", "x"}});
  EXPECT_TRUE(called.failed);
  EXPECT_NE(called.text().find(desk.file("target").string()), std::string::npos);
  EXPECT_EQ(desk.bytes("target"), "alpha\n");
}

}  // namespace
}  // namespace ralph::tool
