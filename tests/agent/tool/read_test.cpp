#include <fstream>
#include <map>

#include <sys/socket.h>
#include <sys/un.h>

#include "agent/tool/builtin_tools.h"
#include "agent/tool/harness.h"
#include "agent/tool/image.h"
#include "agent/tool/png_file.h"

namespace ralph::tool {
namespace {

TEST(Read, NumbersLinesAndShowsTheEmptyOneAfterTheLastNewline) {
  Desk desk;
  const auto path = desk.put("a.txt", "alpha\nbeta\ngamma\n").string();
  const auto called = desk.call(read_tool(), {{"file_path", path}});
  EXPECT_EQ(called.text(), "1\talpha\n2\tbeta\n3\tgamma\n4\t");
  const Document expected = {{"type", "text"},
                             {"file",
                              {{"filePath", path},
                               {"content", "alpha\nbeta\ngamma\n"},
                               {"numLines", 4},
                               {"startLine", 1},
                               {"totalLines", 4}}}};
  EXPECT_EQ(called.detail, expected);
  EXPECT_TRUE(desk.workspace().seen(desk.file("a.txt")));
}

TEST(Read, AcceptsRelativePathsAndShowsThemAsGiven) {
  Desk desk;
  desk.put("a.txt", "no newline");
  const auto called = desk.call(read_tool(), {{"file_path", "a.txt"}});
  EXPECT_EQ(called.text(), "1\tno newline");
  EXPECT_EQ(called.detail["file"]["filePath"], "a.txt");
  EXPECT_EQ(called.detail["file"]["totalLines"], 1);
}

TEST(Read, ShowsCrlfAsLfAndDropsTheByteOrderMark) {
  Desk desk;
  desk.put("a.txt", "\xEF\xBB\xBFone\r\ntwo\r\n");
  EXPECT_EQ(desk.call(read_tool(), {{"file_path", "a.txt"}}).text(), "1\tone\n2\ttwo\n3\t");
}

TEST(Read, RepairsInvalidUtf8AndKeepsLateNulBytes) {
  Desk desk;
  desk.put("latin", "gr\xFC\xDF\n");
  const auto latin = desk.call(read_tool(), {{"file_path", "latin"}}).text();
  EXPECT_TRUE(latin.starts_with("1\tgr\uFFFD\uFFFD\n2\t\n\n[This file is not valid UTF-8"))
      << latin;
  desk.put("late", std::string(10000, 'x') + '\0' + "y");
  const auto late = desk.call(read_tool(), {{"file_path", "late"}});
  EXPECT_FALSE(late.failed);
  EXPECT_EQ(late.detail["file"]["content"].get<std::string>().size(), 10002u);
}

TEST(Read, ShowsAWindow) {
  Desk desk;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "line " + std::to_string(i) + std::string(80, 'x') + "\n";
  desk.put("big.txt", text);
  const auto part =
      desk.call(read_tool(), {{"file_path", "big.txt"}, {"offset", 10}, {"limit", 2}});
  EXPECT_TRUE(part.text().starts_with("10\tline 9x"));
  EXPECT_EQ(part.detail["file"]["numLines"], 2);
  EXPECT_EQ(part.detail["file"]["startLine"], 10);
  EXPECT_EQ(part.detail["file"]["totalLines"], 5001);
  const auto whole = desk.call(read_tool(), {{"file_path", "big.txt"}});
  EXPECT_TRUE(whole.failed);
  EXPECT_NE(whole.text().find("allow_large"), std::string::npos);
  EXPECT_FALSE(desk.call(read_tool(), {{"file_path", "big.txt"}, {"allow_large", true}}).failed);
  EXPECT_TRUE(desk.call(read_tool(), {{"file_path", "big.txt"}, {"offset", 1}}).failed)
      << "a window over 256 KB";
}

TEST(Read, RemindsOfEmptyFilesAndOffsetsBeyondTheEnd) {
  Desk desk;
  desk.put("empty", "");
  const auto empty = desk.call(read_tool(), {{"file_path", "empty"}});
  EXPECT_FALSE(empty.failed);
  EXPECT_TRUE(empty.text().starts_with("<system-reminder>"));
  EXPECT_EQ(empty.detail["file"]["numLines"], 1);
  desk.put("a", "1\n2\n3\n");
  const auto beyond = desk.call(read_tool(), {{"file_path", "a"}, {"offset", 100}});
  EXPECT_FALSE(beyond.failed);
  EXPECT_NE(beyond.text().find("has 4 lines"), std::string::npos);
  EXPECT_EQ(beyond.detail["file"]["numLines"], 0);
  EXPECT_EQ(beyond.detail["file"]["startLine"], 100);
}

TEST(Read, ReportsAMissingFileWithASimilarName) {
  Desk desk;
  desk.put("settings.json", "{}");
  const auto called = desk.call(read_tool(), {{"file_path", "setings.json"}});
  EXPECT_TRUE(called.failed);
  EXPECT_NE(called.text().find(desk.root().string()), std::string::npos);
  EXPECT_NE(called.text().find("settings.json"), std::string::npos);
  EXPECT_EQ(called.error(), "Error: " + called.text());
}

TEST(Read, NeverBlocksOnSpecialFiles) {
  Desk desk;
  ASSERT_EQ(::mkfifo(desk.file("pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(desk.file("folder"));
  const int socket_fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  desk.file("socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket_fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  for (const auto* const name : {"pipe", "folder", "socket", "/dev/zero", "/dev/tty", ""}) {
    EXPECT_TRUE(desk.call(read_tool(), {{"file_path", name}}).failed) << name;
  }
  EXPECT_TRUE(desk.call(read_tool(), {{"file_path", "folder"}}).text().starts_with("EISDIR"));
  ::close(socket_fd);
}

TEST(Read, RefusesHostilePaths) {
  Desk desk;
  desk.put("a", "x");
  EXPECT_TRUE(desk.call(read_tool(), {{"file_path", std::string("a\0b", 3)}}).failed);
  EXPECT_TRUE(desk.call(read_tool(), {{"file_path", std::string(100000, 'a')}}).failed);
  std::filesystem::create_symlink("loop", desk.file("loop"));
  EXPECT_TRUE(desk.call(read_tool(), {{"file_path", "loop"}}).failed);
  std::filesystem::create_symlink("a", desk.file("good"));
  EXPECT_EQ(desk.call(read_tool(), {{"file_path", "good"}}).text(), "1\tx");
}

TEST(Read, ReportsMissingPermission) {
  if (is_root()) GTEST_SKIP() << "root may read everything";
  Desk desk;
  desk.put("secret", "x", 0);
  EXPECT_NE(desk.call(read_tool(), {{"file_path", "secret"}}).text().find("ermission"),
            std::string::npos);
}

TEST(Read, RefusesBinaryFilesAndPdf) {
  Desk desk;
  desk.put("a.dat", std::string("ab\0cd", 5));
  const auto binary = desk.call(read_tool(), {{"file_path", "a.dat"}});
  EXPECT_TRUE(binary.text().starts_with("<tool_use_error>"));
  EXPECT_NE(binary.error().find(".dat"), std::string::npos);
  desk.put("a.pdf", "%PDF-1.7\nrest");
  const auto pdf = desk.call(read_tool(), {{"file_path", "a.pdf"}, {"pages", "1-2"}});
  EXPECT_TRUE(pdf.failed);
  EXPECT_NE(pdf.text().find("PDF"), std::string::npos);
}

TEST(Read, ShowsPicturesByTheirContent) {
  Desk desk;
  const auto png = test::png_file(2, 3, [](std::size_t n) { return n; });
  desk.put("picture.txt", png);
  const auto called = desk.call(read_tool(), {{"file_path", "picture.txt"}});
  ASSERT_TRUE(called.content.is_array());
  EXPECT_EQ(called.content[0]["type"], "image");
  EXPECT_EQ(called.content[0]["source"]["media_type"], "image/png");
  EXPECT_EQ(called.content[0]["source"]["data"], called.detail["file"]["base64"]);
  EXPECT_EQ(called.detail["file"]["originalSize"], png.size());
  EXPECT_EQ(called.detail["file"]["dimensions"]["originalWidth"], 2);
  EXPECT_EQ(called.detail["file"]["dimensions"]["displayHeight"], 3);
}

TEST(Read, SaysThatALaterPartOfTheFileIsNotUtf8) {
  Desk desk;
  std::string text = "first\n";
  while (text.size() < 200'000) text += "\u20AC\u20AC\u20AC\n";
  const Document input{{"file_path", "a"}, {"limit", 1}};
  desk.put("a", text);
  EXPECT_EQ(desk.call(read_tool(), input).text(), "1\tfirst");
  for (const auto* const end : {"caf\xE9\n", "\xE2\x82"}) {
    desk.put("a", text + end);
    EXPECT_NE(desk.call(read_tool(), input).text().find("not valid UTF-8"), std::string::npos)
        << end;
  }
}

TEST(Read, TextInAFileNamedLikeAPictureIsAnError) {
  Desk desk;
  for (const auto* const name : {"a.png", "a.JPG", "a.webp"}) {
    desk.put(name, "<html>login</html>\n");
    const auto called = desk.call(read_tool(), {{"file_path", name}});
    EXPECT_TRUE(called.failed) << name;
    EXPECT_NE(called.text().find("first bytes: 3c 68 74"), std::string::npos) << called.text();
  }
  desk.put("empty.png", "");
  EXPECT_NE(desk.call(read_tool(), {{"file_path", "empty.png"}}).text().find("is empty"),
            std::string::npos);
}

/// The API refuses the whole request for a picture it cannot open.
TEST(Read, ABrokenHeaderIsNotAPicture) {
  Desk desk;
  desk.put("short.png", "\x89PNG\r\n\x1a\n");
  desk.put("empty.gif", std::string("GIF89a\0\0\0\0", 10));
  desk.put("short.jpg", "\xFF\xD8\xFF");
  desk.put("no-frame.jpg", std::string("\xFF\xD8\xFF\xE0\0\4xx\xFF\xD9", 10));
  desk.put("cut.jpg", std::string("\xFF\xD8\xFF\xC0\0\x11\x08\0\2\0\3", 11));
  desk.put("flat.jpg", std::string("\xFF\xD8\xFF\xC0\0\x0B\x08\0\0\0\3\1\1\x11\0", 15));
  desk.put("short.webp", "RIFF\4\0\0\0WEBPVP8 xxxx");
  desk.put("no-key.webp", "RIFF1234WEBPVP8 12340000000000000000");
  desk.put("other.webp", "RIFF1234WEBPABCD12340000000000000000");
  for (const auto* const name : {"short.png", "empty.gif", "short.jpg", "no-frame.jpg", "cut.jpg",
                                 "flat.jpg", "short.webp", "no-key.webp", "other.webp"}) {
    EXPECT_FALSE(desk.call(read_tool(), {{"file_path", name}}).content.is_array()) << name;
  }
}

std::string little32(std::size_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

std::string webp(std::string_view kind, std::string_view data) {
  const auto chunk = std::string(kind) + little32(data.size()) + std::string(data) +
                     std::string(data.size() % 2, '\0');
  return "RIFF" + little32(4 + chunk.size()) + "WEBP" + chunk;
}

/// The smallest of each kind, 2 x 3 pixels, by name.
std::map<std::string, std::string> pictures() {
  const std::string frame("\xFF\xC0\0\x0B\x08\0\3\0\2\1\1\x11\0", 13);
  const std::string scan("\xFF\xDA\0\2data\xFF\xD9", 10);
  const std::string preview = std::string("\xFF\xE1\xFF\xFF", 4) + std::string(0xFFFD, 'p');
  return {
      {"a.jpg", "\xFF\xD8" + frame + scan},
      {"preview.jpg", "\xFF\xD8" + preview + preview + preview + preview + preview + frame + scan},
      {"a.gif", std::string("GIF89a\2\0\3\0\x80\0\0rgbrgb", 19) +
                    std::string("\x21\xF9\4data\0", 8) +
                    std::string("\x2C\0\0\0\0\2\0\3\0\0\2\2xx\0;", 16)},
      {"lossless.webp", webp("VP8L", std::string("\x2F\x01\x80\0\0", 5))},
      {"lossy.webp", webp("VP8 ", std::string("\x40\0\0\x9d\x01\x2a\2\0\3\0xx", 12))},
      {"a.png", test::png_file(2, 3, [](std::size_t n) { return n; })},
  };
}

TEST(Read, DetectsTheSizeOfEveryKindOfPicture) {
  Desk desk;
  for (const auto& [name, bytes] : pictures()) {
    desk.put(name, bytes);
    const auto called = desk.call(read_tool(), {{"file_path", name}});
    ASSERT_TRUE(called.content.is_array()) << name << called.text();
    EXPECT_EQ(called.detail["file"]["dimensions"]["originalWidth"], 2) << name;
    EXPECT_EQ(called.detail["file"]["dimensions"]["originalHeight"], 3) << name;
  }
  const auto extended = webp("VP8X", std::string("\0\0\0\0\1\0\0\2\0\0", 10));
  EXPECT_EQ(image_of(extended, false)->height, 3u);
  EXPECT_FALSE(is_whole(extended)) << "it has no image";
}

/// The API refuses the whole request for a picture that is not complete. Of a GIF file only the trailer may be missing.
TEST(Read, AnIncompletePictureIsAnError) {
  Desk desk;
  for (const auto& [name, bytes] : pictures()) {
    for (std::size_t size = bytes.size() - (name == "a.gif" ? 2 : 1); size > 30; size -= 3) {
      if (size > 1000) size = size * 9 / 10;
      desk.put(name, bytes.substr(0, size));
      const auto called = desk.call(read_tool(), {{"file_path", name}});
      EXPECT_TRUE(called.failed) << name << " cut to " << size;
    }
  }
  desk.put("a.gif", std::string("GIF89a\2\0\3\0\0\0\0;", 14));
  EXPECT_NE(
      desk.call(read_tool(), {{"file_path", "a.gif"}}).text().find("some of the file is missing"),
      std::string::npos);
}

TEST(Read, CountsTheLinesOfAHugeFileOnlyInPart) {
  Desk desk;
  const auto path = desk.put("sparse", "one\ntwo\n" + std::string(10000, 'x'));
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  const auto called = desk.call(read_tool(), {{"file_path", "sparse"}, {"limit", 1}});
  EXPECT_TRUE(called.text().starts_with("1\tone\n")) << called.text();
  EXPECT_NE(called.text().find("at least 3 lines"), std::string::npos);
}

TEST(Read, UsesLittleMemoryForAHugeFile) {
  Desk desk;
  const auto path = desk.put("huge", "one\ntwo\nthree\n" + std::string(10000, 'x'));
  std::filesystem::resize_file(path, std::uintmax_t{50} << 20);
  const auto called = desk.call(read_tool(), {{"file_path", "huge"}, {"offset", 2}, {"limit", 2}});
  EXPECT_EQ(called.text(), "2\ttwo\n3\tthree");
  EXPECT_EQ(called.detail["file"]["totalLines"], 4);
  const auto cut = desk.call(read_tool(), {{"file_path", "huge"}, {"offset", 4}});
  EXPECT_EQ(cut.detail["file"]["truncatedByTokenCap"], true);
  EXPECT_LT(cut.text().size(), 120'000u);
  const auto part = desk.call(read_tool(), {{"file_path", "huge"}, {"allow_large", true}});
  EXPECT_EQ(part.detail["file"]["numLines"], 3);
  EXPECT_LT(part.text().size(), 2000u);
}

TEST(Read, StopsOnRequest) {
  Desk desk;
  desk.put("a", "x\n");
  std::stop_source source;
  source.request_stop();
  EXPECT_TRUE(desk.call(read_tool(), {{"file_path", "a"}}, source.get_token()).failed);
}

}  // namespace
}  // namespace ralph::tool
