#include <cstdint>
#include <cstdlib>

#include "agent/tool/base64.h"
#include "agent/tool/builtin_tools.h"
#include "agent/tool/harness.h"
#include "agent/tool/image.h"
#include "agent/tool/image_scaler.h"
#include "agent/tool/png_file.h"

namespace ralph::tool {
namespace {

Called read_media(Desk& desk, std::string_view name) {
  return desk.call(read_tool(), {{"file_path", name}});
}

/// Random pixels, which no encoder can compress.
std::uint8_t noise(std::size_t n) {
  auto value = static_cast<std::uint32_t>(n) * 2654435761u;
  value ^= value >> 15;
  return static_cast<std::uint8_t>((value * 2246822519u) >> 24);
}

Image shown_image(const Called& called) {
  static std::string bytes;
  bytes = base64_decoded(called.content[0]["source"]["data"].get<std::string>()).value_or("");
  return image_of(bytes, false).value_or(Image{});
}

TEST(ReadPicture, SmallPicturesAreNotChanged) {
  Desk desk;
  const auto file = test::png_file(30, 20, noise);
  desk.put("a.png", file);
  const auto called = read_media(desk, "a.png");
  EXPECT_EQ(base64_decoded(called.content[0]["source"]["data"].get<std::string>()), file);
  EXPECT_EQ(called.follow_up, "");
}

TEST(ReadPicture, ALargeFileBecomesAJpegOfTheSameSize) {
  Desk desk;
  desk.put("noise.png", test::png_file(1000, 800, noise));
  const auto called = read_media(desk, "noise.png");
  ASSERT_TRUE(called.content.is_array()) << called.text();
  EXPECT_EQ(called.content[0]["source"]["media_type"], "image/jpeg");
  EXPECT_LE(called.content[0]["source"]["data"].get<std::string>().size(), 512'000u * 4 / 3 + 4);
  const auto image = shown_image(called);
  EXPECT_EQ(image.width, 1000u);
  EXPECT_EQ(image.height, 800u);
  EXPECT_EQ(called.follow_up, "");
}

TEST(ReadPicture, AWidePictureIsScaledAndStaysSharp) {
  Desk desk;
  desk.put("wide.png", test::png_file(4000, 100, [](std::size_t n) { return n / 12000; }));
  const auto called = read_media(desk, "wide.png");
  ASSERT_TRUE(called.content.is_array()) << called.text();
  EXPECT_EQ(called.content[0]["source"]["media_type"], "image/png");
  const auto image = shown_image(called);
  EXPECT_EQ(image.width, 2000u);
  EXPECT_EQ(image.height, 50u);
  EXPECT_EQ(called.detail["file"]["dimensions"]["originalWidth"], 4000);
  EXPECT_EQ(called.detail["file"]["dimensions"]["displayWidth"], 2000);
  EXPECT_NE(called.follow_up.find("Multiply coordinates by 2.00"), std::string::npos);
}

TEST(ReadPicture, AJpegIsScaledToo) {
  const auto scaler = find_image_scaler();
  const auto first =
      scale_image(scaler, test::png_file(600, 400, noise), {.edge = 600, .bytes = 200'000}, {});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->media_type, "image/jpeg");
  const auto second = scale_image(scaler, first->bytes, {.edge = 100}, {});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->width, 100u);
  EXPECT_EQ(second->height, 66u);
  const auto image = image_of(second->bytes, false);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->media_type, "image/jpeg");
  EXPECT_EQ(image->width, 100u);
}

/// 1932 pixels are 69 patches of 28; 70 x 70 are over the limit.
TEST(ReadPicture, ASquareIsScaledToWholePatches) {
  Desk desk;
  desk.put("square.png", test::png_file(2100, 2100, [](std::size_t n) { return n / 63000; }));
  const auto image = shown_image(read_media(desk, "square.png"));
  EXPECT_EQ(image.width, 1932u);
  EXPECT_EQ(image.height, 1932u);
}

/// A few bytes that claim to be ten billion pixels, and an incomplete file.
TEST(ReadPicture, HostilePicturesFailWithAReason) {
  Desk desk;
  desk.put("bomb.png", test::png_header(100'000, 100'000) + test::png_chunk("IDAT", "x"));
  const auto bomb = read_media(desk, "bomb.png");
  EXPECT_TRUE(bomb.failed);
  EXPECT_NE(bomb.text().find("100000x100000 pixels are more than can be decoded"),
            std::string::npos)
      << bomb.text();
  const auto whole = test::png_file(9000, 100, noise);
  desk.put("cut.png", whole.substr(0, whole.size() / 2));
  EXPECT_NE(read_media(desk, "cut.png").text().find("cannot be decoded"), std::string::npos);
  desk.put("wide.jpg", std::string("\xFF\xD8\xFF\xC0\0\x0B\x08\xFF\xFF\xFF\xFF\1\1\x11\0", 15));
  EXPECT_TRUE(read_media(desk, "wide.jpg").failed);
}

/// Within the limits of the API, which would still refuse it.
TEST(ReadPicture, ADamagedPictureIsNotSent) {
  Desk desk;
  const auto whole = test::png_file(3000, 1000, [](std::size_t n) { return n / 9000; });
  desk.put("cut.png", whole.substr(0, whole.size() / 2));
  const auto called = read_media(desk, "cut.png");
  EXPECT_TRUE(called.failed);
  EXPECT_NE(called.text().find("cannot be decoded"), std::string::npos) << called.text();
}

/// Complete, but no decoder accepts it.
TEST(ReadPicture, ASmallPictureWithDamagedDataIsNotSent) {
  Desk desk;
  const auto rows = test::stored(std::string(3 * 100 * 10, 'x'));
  desk.put("cut.png", test::png_header(100, 100) + test::png_chunk("IDAT", rows) +
                          test::png_chunk("IEND", ""));
  const auto called = read_media(desk, "cut.png");
  EXPECT_TRUE(called.failed);
  EXPECT_NE(called.text().find("The picture is damaged"), std::string::npos) << called.text();
}

TEST(ReadPicture, APictureOnePixelWideIsReportedAsScaled) {
  Desk desk;
  desk.put("tall.png", test::png_file(1, 4000, [](std::size_t n) { return n / 20; }));
  const auto called = read_media(desk, "tall.png");
  EXPECT_NE(
      called.follow_up.find("original 1x4000, displayed at 1x2000. Multiply coordinates by 2.00"),
      std::string::npos)
      << called.follow_up;
}

TEST(ReadPicture, TheScalerCanWriteToFiles) {
  test::TempFolder folder;
  const auto error = (folder / "error").string();
  const auto run = find_image_scaler().string() + " 1 1 1 </dev/null 2>" + error;
  EXPECT_EQ(WEXITSTATUS(std::system(run.c_str())), 1);
  EXPECT_EQ(test::text_of(error), "only PNG and JPEG files are scaled\n");
}

TEST(ReadPicture, WithoutTheScalerShowsOnlyWhatTheApiAccepts) {
  Desk desk({.image_scaler = "/nowhere/ralph-image"});
  desk.put("small.png", test::png_file(30, 20, noise));
  EXPECT_EQ(read_media(desk, "small.png").detail["file"]["type"], "image/png");
  desk.put("noise.png", test::png_file(1000, 800, noise));
  EXPECT_EQ(read_media(desk, "noise.png").detail["file"]["type"], "image/png");
  desk.put("wide.png", test::png_file(9000, 10, noise));
  EXPECT_TRUE(read_media(desk, "wide.png").failed);
}

std::string pdf(int pages) {
  std::string text = "%PDF-1.4\n2 0 obj << /Type /Pages /Count 1 >> endobj\n";
  for (int i = 0; i < pages; ++i) text += "3 0 obj << /Type /Page /Parent 2 0 R >> endobj\n";
  return text + "trailer << /Root 1 0 R >>\n%%EOF\n";
}

TEST(ReadPdf, IsADocumentBlock) {
  Desk desk;
  desk.put("a.pdf", pdf(100));
  const auto called = read_media(desk, "a.pdf");
  ASSERT_TRUE(called.content.is_array()) << called.text();
  EXPECT_EQ(called.content[0]["type"], "text");
  EXPECT_EQ(called.content[1]["type"], "document");
  EXPECT_EQ(called.content[1]["source"]["media_type"], "application/pdf");
  EXPECT_EQ(base64_decoded(called.content[1]["source"]["data"].get<std::string>()), pdf(100));
  EXPECT_EQ(called.detail["type"], "pdf");
  EXPECT_EQ(called.detail["file"]["originalSize"], pdf(100).size());
}

/// The API would refuse the whole conversation.
TEST(ReadPdf, RefusesWhatTheApiRefuses) {
  Desk desk;
  desk.put("pages.pdf", pdf(101));
  EXPECT_NE(read_media(desk, "pages.pdf").text().find("101 pages"), std::string::npos);
  desk.put("locked.pdf", pdf(1) + "trailer << /Encrypt 9 0 R >>\n");
  EXPECT_NE(read_media(desk, "locked.pdf").text().find("encrypted"), std::string::npos);
  desk.put("open.pdf", pdf(1) + "% << /EncryptMetadata false >>\n");
  EXPECT_TRUE(read_media(desk, "open.pdf").content.is_array());
  desk.put("fake.pdf", "text\n");
  EXPECT_NE(read_media(desk, "fake.pdf").text().find("not a valid PDF"), std::string::npos);
  desk.put("empty.pdf", "");
  EXPECT_TRUE(read_media(desk, "empty.pdf").failed);
  const auto large = desk.put("large.pdf", pdf(1));
  std::filesystem::resize_file(large, 21 << 20);
  EXPECT_NE(read_media(desk, "large.pdf").text().find("20 MB"), std::string::npos);
  EXPECT_TRUE(desk.call(read_tool(), {{"file_path", "pages.pdf"}, {"pages", "1-2"}}).failed);
}

/// The API would refuse all of them in one request.
TEST(ReadPdf, DocumentsOfOneMessageShareTheRoom) {
  Desk desk;
  const auto file = desk.put("a.pdf", pdf(1));
  std::filesystem::resize_file(file, 15 << 20);
  EXPECT_TRUE(read_media(desk, "a.pdf").content.is_array());
  const auto second = read_media(desk, "a.pdf");
  EXPECT_TRUE(second.failed);
  EXPECT_NE(second.text().find("one by one"), std::string::npos) << second.text();
  desk.workspace().set_media_room({100, 100});
  desk.put("a.png", test::png_file(30, 20, noise));
  EXPECT_TRUE(read_media(desk, "a.png").failed);
  desk.workspace().set_media_room({30 << 20, 100});
  EXPECT_TRUE(read_media(desk, "a.pdf").content.is_array());
}

constexpr std::string_view kDot =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg==";

std::string notebook(const Document& cells, const Document& metadata = Document::object()) {
  return json::write({{"cells", cells}, {"metadata", metadata}, {"nbformat", 4}});
}

Document code(std::string_view id, std::string_view source, const Document& outputs) {
  return {{"cell_type", "code"}, {"id", id}, {"source", source}, {"outputs", outputs}};
}

TEST(ReadNotebook, ShowsCellsOutputsAndPictures) {
  Desk desk;
  const Document outputs = Document::array(
      {{{"output_type", "stream"}, {"name", "stdout"}, {"text", {"hi\n", "there\n"}}},
       {{"output_type", "display_data"},
        {"data", {{"image/png", std::string(kDot) + "\n"}, {"text/plain", {"<Figure>"}}}}},
       {{"output_type", "error"}, {"ename", "E"}, {"evalue", "bad"}, {"traceback", {"1", "2"}}}});
  desk.put("a.ipynb",
           notebook(Document::array(
               {{{"cell_type", "markdown"}, {"id", "m"}, {"source", {"# Title\n", "text"}}},
                code("c", "print()", outputs),
                {{"cell_type", "raw"}, {"source", "raw"}}})));
  const auto called = read_media(desk, "a.ipynb");
  ASSERT_EQ(called.content.size(), 3u) << called.content;
  EXPECT_EQ(called.content[0]["text"],
            "<cell id=\"m\"><cell_type>markdown</cell_type># Title\ntext</cell id=\"m\">\n"
            "<cell id=\"c\">print()</cell id=\"c\">\n\nhi\nthere\n\n\n<Figure>");
  EXPECT_EQ(called.content[1]["source"]["data"], kDot);
  EXPECT_EQ(
      called.content[2]["text"],
      "\nE: bad\n1\n2\n<cell id=\"cell-2\"><cell_type>raw</cell_type>raw</cell id=\"cell-2\">");
  EXPECT_EQ(called.detail["file"]["cells"][1]["language"], "python");
}

TEST(ReadNotebook, NamesOtherLanguagesAndLeavesLargeOutputsOut) {
  Desk desk;
  const Document large =
      Document::array({{{"output_type", "stream"}, {"text", std::string(10'001, 'x')}}});
  desk.put("a.ipynb", notebook(Document::array({code("c", "f()", large)}),
                               {{"language_info", {{"name", "julia"}}}}));
  const auto text = read_media(desk, "a.ipynb").content[0]["text"].get<std::string>();
  EXPECT_TRUE(text.starts_with("<cell id=\"c\"><language>julia</language>f()</cell id=\"c\">"));
  EXPECT_NE(text.find("too large to be shown"), std::string::npos);
  EXPECT_LT(text.size(), 400u);
}

/// The API refuses the whole request for a picture it cannot open.
TEST(ReadNotebook, DamagedPicturesAreLeftOut) {
  Desk desk;
  const Document outputs = Document::array(
      {{{"output_type", "display_data"}, {"data", {{"image/png", "/9j/4AAQ"}}}},
       {{"output_type", "display_data"}, {"data", {{"image/jpeg", "no base64!"}}}},
       {{"output_type", 7}, {"data", "x"}},
       {{"output_type", "display_data"}, {"data", {{"image/png", kDot.substr(0, 80)}}}}});
  desk.put("a.ipynb", notebook(Document::array({code("c", "f()", outputs)})));
  EXPECT_EQ(read_media(desk, "a.ipynb").content.size(), 1u);
}

/// A thousand small pictures make one large request.
TEST(ReadNotebook, PicturesCountAgainstTheCap) {
  Desk desk;
  const auto picture = base64(test::png_file(48, 48, noise));
  ASSERT_LT(picture.size(), 10'000u);
  auto cells = Document::array();
  for (int i = 0; i < 100; ++i) {
    cells.push_back(code(
        "c", "f()",
        Document::array({{{"output_type", "display_data"}, {"data", {{"image/png", picture}}}}})));
  }
  desk.put("a.ipynb", notebook(cells));
  const auto called = read_media(desk, "a.ipynb");
  EXPECT_TRUE(called.failed);
  EXPECT_NE(called.text().find("larger than the 256 KB"), std::string::npos) << called.text();
}

/// The API limits the pictures and pages of one request.
TEST(ReadNotebook, PicturesCountAgainstTheLimitOfTheApi) {
  Desk desk;
  auto cells = Document::array();
  for (int i = 0; i < 60; ++i) {
    cells.push_back(code(
        "c", "f()",
        Document::array({{{"output_type", "display_data"}, {"data", {{"image/png", kDot}}}}})));
  }
  desk.put("a.ipynb", notebook(cells));
  EXPECT_TRUE(read_media(desk, "a.ipynb").content.is_array());
  const auto second = read_media(desk, "a.ipynb");
  EXPECT_TRUE(second.failed);
  EXPECT_NE(second.text().find("The notebook (60 pictures) was not sent"), std::string::npos)
      << second.text();
  desk.put("a.pdf", pdf(41));
  EXPECT_TRUE(read_media(desk, "a.pdf").failed);
  desk.put("b.pdf", pdf(40));
  EXPECT_TRUE(read_media(desk, "b.pdf").content.is_array());
  desk.put("a.png", test::png_file(30, 20, noise));
  EXPECT_TRUE(read_media(desk, "a.png").failed);
  desk.workspace().set_media_room({30 << 20, 600});
  desk.put("b.pdf", pdf(600));
  EXPECT_TRUE(read_media(desk, "b.pdf").content.is_array());
}

TEST(ReadNotebook, ReportsErrors) {
  Desk desk;
  for (const auto* const text :
       {"", "{\"cells\": [", "{}", "[]", "{\"cells\": [1]}", "{\"cells\": [{\"source\": [1]}]}"}) {
    desk.put("bad.ipynb", text);
    EXPECT_TRUE(read_media(desk, "bad.ipynb").failed) << text;
  }
  desk.put("large.ipynb", notebook(Document::array({code("c", std::string(120'000, 'x'), {})})));
  EXPECT_NE(read_media(desk, "large.ipynb").text().find("25000 tokens"), std::string::npos);
}

TEST(ReadNotebook, EditRefusesNotebooks) {
  Desk desk;
  desk.put("a.ipynb", "{\"cells\": []}");
  const auto called = desk.call(
      edit_tool(), {{"file_path", "a.ipynb"}, {"old_string", "[]"}, {"new_string", "[1]"}});
  EXPECT_TRUE(called.failed);
  EXPECT_NE(called.text().find("NotebookEdit"), std::string::npos);
  EXPECT_EQ(desk.bytes("a.ipynb"), "{\"cells\": []}");
}

}  // namespace
}  // namespace ralph::tool
