#include "agent/session/media.h"

#include <fstream>

#include <fmt/format.h>

#include "agent/tool/base64.h"
#include "agent/tool/png_file.h"
#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

constexpr std::string_view kUnprocessable =
    "messages.{}.content.0.tool_result.content.0.image.source.base64.data: Could not process image";

std::string error(std::string_view message) {
  return fmt::format(
      R"({{"error":{{"status":400,"type":"invalid_request_error","message":"{}"}}}})", message);
}
std::string unprocessable(int message) { return error(fmt::format(kUnprocessable, message)); }
std::string read(std::string_view file) {
  return fmt::format(R"({{"tool_use":{{"name":"Read","input":{{"file_path":"{}"}}}}}})", file);
}
std::string scenario(const std::vector<std::string>& steps) {
  return fmt::format(R"({{"steps":[{}]}})", fmt::join(steps, ","));
}

void put_files(const Bench& bench) {
  std::ofstream(bench.work() / "a.png") << test::png_file(2, 2, [](std::size_t n) { return n; });
  std::ofstream(bench.work() / "a.pdf") << "%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n%%EOF\n";
}

/// The types of what the tools gave, over all messages: "image", "text" …
std::string shown(const Document& request) {
  std::string types;
  for (const auto& message : request["messages"]) {
    for (const auto& block : message["content"]) {
      if (block.value("type", "") != "tool_result" || !block["content"].is_array()) continue;
      for (const auto& part : block["content"]) types += part.value("type", "") + " ";
    }
  }
  return types;
}

std::vector<Document> removals(const Ran& ran) {
  std::vector<Document> found;
  for (const auto& event : ran.of_type("assistant")) {
    if (event.value("api_error", "") == "media_removed") found.push_back(event);
  }
  return found;
}

TEST(RefusedMedia, TheNamedPictureIsRemovedAndTheModelAskedAgain) {
  Bench bench(
      scenario({read("a.png"), read("a.png"), unprocessable(2), R"({"text":"Recovered."})"}));
  put_files(bench);
  const auto ran = bench.ask("go");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.result()["result"], "Recovered.");
  EXPECT_EQ(ran.result()["num_turns"], 3);
  ASSERT_EQ(ran.requests.size(), 4U);
  EXPECT_EQ(shown(ran.requests[2]), "image image ");
  EXPECT_EQ(shown(ran.requests[3]), "text image ");
  const auto text = ran.requests[3]["messages"][2]["content"][0]["content"][0]["text"];
  EXPECT_TRUE(text.get<std::string>().contains("(Could not process image)")) << text;
  ASSERT_EQ(removals(ran).size(), 1U);
  EXPECT_EQ(removals(ran)[0]["api_error_params"],
            (Document{{"media", "image"}, {"media_reason", "unprocessable"}}));
}

TEST(RefusedMedia, WithoutAPlaceTheNewestOfItsKindIsRemoved) {
  Bench bench(scenario({read("a.png"), read("a.pdf"), error("Could not process image"),
                        error("The PDF specified was not valid."), R"({"text":"Recovered."})"}));
  put_files(bench);
  const auto ran = bench.ask("go");
  EXPECT_EQ(ran.result()["result"], "Recovered.");
  ASSERT_EQ(ran.requests.size(), 5U);
  EXPECT_EQ(shown(ran.requests[2]), "image text document ");
  EXPECT_EQ(shown(ran.requests[3]), "text text document ");
  EXPECT_EQ(shown(ran.requests[4]), "text text text ");
  ASSERT_EQ(removals(ran).size(), 2U);
  EXPECT_EQ(removals(ran)[1]["api_error_params"]["media"], "document");
}

TEST(RefusedMedia, WhatIsRefusedAgainAndAgainEndsTheTurn) {
  std::vector<std::string> steps(5, read("a.png"));
  steps.push_back(error("Could not process image"));
  auto text = scenario(steps);
  text.insert(text.size() - 1, R"(,"then":"repeat_last")");
  Bench bench(text);
  put_files(bench);
  const auto ran = bench.ask("go");
  EXPECT_EQ(ran.code, 1);
  ASSERT_EQ(ran.requests.size(), 9U) << "one, one, all, none left";
  EXPECT_EQ(shown(ran.requests[7]), "image image image text text ");
  EXPECT_EQ(shown(ran.requests[8]), "text text text text text ");
  EXPECT_EQ(ran.result()["terminal_reason"], "image_error");
}

/// The session's file keeps the picture, which is not the newest any more.
TEST(RefusedMedia, AResumedSessionRecoversToo) {
  Bench bench(scenario({read("a.png"), R"({"text":"Seen."})", read("a.png"), unprocessable(2),
                        R"({"text":"Recovered."})"}));
  put_files(bench);
  bench.ask("go");
  const auto ran = bench.ask("again", {"--continue"});
  EXPECT_EQ(ran.result()["result"], "Recovered.");
  ASSERT_EQ(ran.requests.size(), 5U);
  EXPECT_EQ(shown(ran.requests[3]), "image image ");
  EXPECT_EQ(shown(ran.requests[4]), "text image ");
}

TEST(RefusedMedia, TheRequestForASummaryGoesWithoutPictures) {
  Bench bench(scenario({read("a.png"), R"({"text":"Seen."})", error("Could not process image"),
                        R"({"text":"<summary>A picture.</summary>"})"}));
  put_files(bench);
  bench.ask("go");
  const auto ran = bench.ask("/compact", {"--continue"});
  EXPECT_EQ(ran.code, 0);
  ASSERT_EQ(ran.requests.size(), 4U);
  EXPECT_EQ(shown(ran.requests[2]), "image ");
  EXPECT_EQ(shown(ran.requests[3]), "text ");
}

TEST(RefusedMedia, AnotherErrorEndsTheTurn) {
  Bench bench(scenario({read("a.png"), error("bad request here"), R"({"text":"No."})"}));
  put_files(bench);
  EXPECT_EQ(bench.ask("go").result()["terminal_reason"], "api_error");
}

std::string many_reads(int count) {
  return fmt::format(
      R"({{"content":[{}]}})",
      fmt::join(std::vector<std::string>(static_cast<std::size_t>(count), read("a.png")), ","));
}

int count(const std::string& types, std::string_view type) {
  int found = 0;
  for (auto at = types.find(type); at != types.npos; at = types.find(type, at + 1)) ++found;
  return found;
}

/// The API takes 100 where the window has 200,000 tokens; the oldest give way to those not seen yet.
TEST(MediaLimit, OlderPicturesMakeRoomForNewerOnes) {
  Bench bench(scenario({many_reads(60), many_reads(60), R"({"text":"Done."})"}));
  put_files(bench);
  const auto ran = bench.ask("go", {"--model", "claude-haiku-4-5"});
  EXPECT_EQ(ran.result()["result"], "Done.");
  ASSERT_EQ(ran.requests.size(), 3U);
  EXPECT_EQ(count(shown(ran.requests[1]), "image"), 60);
  const auto last = shown(ran.requests[2]);
  EXPECT_EQ(count(last, "image"), 75);
  EXPECT_TRUE(last.starts_with("text ") && last.ends_with("image "));
}

TEST(MediaLimit, OneMessageGetsNoMoreThanTheApiTakes) {
  Bench bench(scenario({many_reads(110), R"({"text":"Done."})"}));
  put_files(bench);
  const auto ran = bench.ask("go", {"--model", "claude-haiku-4-5"});
  ASSERT_EQ(ran.requests.size(), 2U);
  EXPECT_EQ(count(shown(ran.requests[1]), "image"), 100);
  int refused = 0;
  for (const auto& block : ran.requests[1]["messages"].back()["content"]) {
    if (block.value("is_error", false)) ++refused;
  }
  EXPECT_EQ(refused, 10);
}

TEST(MediaLimit, PagesOfDocumentsCount) {
  std::string pdf = "%PDF-1.4\n";
  for (int i = 0; i < 80; ++i) pdf += "<< /Type /Page >>\n";
  const auto document = fmt::format(
      R"([{{"type":"document","source":{{"type":"base64","media_type":"application/pdf","data":"{}"}}}}])",
      tool::base64(pdf));
  EXPECT_EQ(media_items(document), 80);
  const auto text = R"([{"type":"document","source":{"type":"text","data":"x"}}])";
  EXPECT_EQ(media_items(text), 0);
  std::vector<api::Message> messages{{api::Role::user, document},
                                     {api::Role::assistant, "[]"},
                                     {api::Role::user, text},
                                     {api::Role::user, document}};
  limit_media(messages, most_media(1'000'000));
  EXPECT_EQ(messages[0].content, document);
  limit_media(messages, most_media(200'000));
  EXPECT_TRUE(messages[0].content.contains("[Document removed")) << messages[0].content;
  EXPECT_EQ(messages[2].content, text);
  EXPECT_EQ(messages[3].content, document);
}

}  // namespace
}  // namespace ralph::wire
