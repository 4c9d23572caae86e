#include <csignal>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "agent/session/transcript.h"
#include "core/json/document.h"
#include "support/temp_folder.h"

namespace {

using namespace ralph;
using session::EntryType;
using session::Transcript;
using test::TempFolder;

const session::Stamp kStamp{"s1", "/work", "2.1.325", "main", "default"};

std::vector<json::Document> lines_of(const std::filesystem::path& path) {
  std::vector<json::Document> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    lines.push_back(json::parse(line).value_or(nullptr));
  }
  return lines;
}

TEST(TranscriptWrite, LinesAreAChainWithAllThatOthersRead) {
  const TempFolder folder;
  Transcript transcript(folder / "projects/key/s1.jsonl", kStamp, "");
  ASSERT_TRUE(transcript.append({EntryType::user, "u1", R"({"role":"user","content":"hi"})", ""}));
  ASSERT_TRUE(
      transcript.append({EntryType::assistant, "u2", "{\n\"role\":\"assistant\",\"content\":[]}",
                         R"("requestId":"r1")"}));
  ASSERT_TRUE(transcript.append({EntryType::system, "", "", R"("subtype":"informational")"}));

  const auto lines = lines_of(transcript.path());
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[0]["parentUuid"].is_null());
  EXPECT_EQ(lines[0]["permissionMode"], "default");
  EXPECT_EQ(lines[0]["message"]["content"], "hi");
  EXPECT_EQ(lines[1]["parentUuid"], "u1");
  EXPECT_EQ(lines[1]["requestId"], "r1");
  EXPECT_EQ(lines[2]["parentUuid"], "u2");
  EXPECT_EQ(lines[2]["uuid"].get<std::string>().size(), 36U);
  EXPECT_FALSE(lines[2].contains("message"));
  for (const auto& line : lines) {
    EXPECT_EQ(line["isSidechain"], false);
    EXPECT_EQ(line["userType"], "external");
    EXPECT_EQ(line["entrypoint"], "sdk-cli");
    EXPECT_EQ(line["cwd"], "/work");
    EXPECT_EQ(line["sessionId"], "s1");
    EXPECT_EQ(line["version"], "2.1.325");
    EXPECT_EQ(line["gitBranch"], "main");
    EXPECT_EQ(line["timestamp"].get<std::string>().size(), 24U);
  }
}

TEST(TranscriptWrite, OnlyTheOwnerMayRead) {
  const TempFolder folder;
  const test::Umask nothing_hidden(0);
  Transcript transcript(folder / "projects/key/s1.jsonl", kStamp, "");
  EXPECT_FALSE(std::filesystem::exists(folder / "projects"));
  ASSERT_TRUE(transcript.append_title("t"));
  EXPECT_EQ(test::mode_of(folder / "projects"), 0700U);
  EXPECT_EQ(test::mode_of(folder / "projects/key"), 0700U);
  EXPECT_EQ(test::mode_of(transcript.path()), 0600U);

  const auto open = folder.write("open.jsonl", "", 0644);
  ASSERT_TRUE(Transcript(open, kStamp, "").append_title("t"));
  EXPECT_EQ(test::mode_of(open), 0600U);
}

TEST(TranscriptWrite, ACutLastLineIsEndedFirst) {
  const TempFolder folder;
  const auto path = folder.write("s1.jsonl", "{\"type\":\"us");
  Transcript transcript(path, kStamp, "u0");
  ASSERT_TRUE(transcript.append({EntryType::user, "u1", "{}", ""}));
  ASSERT_TRUE(transcript.append({EntryType::user, "u2", "{}", ""}));
  const auto lines = lines_of(path);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1]["parentUuid"], "u0");
  EXPECT_EQ(lines[2]["parentUuid"], "u1");
}

TEST(TranscriptWrite, ALineThatDoesNotFitLeavesTheFileAsItWas) {
  const TempFolder folder;
  Transcript transcript(folder / "s1.jsonl", kStamp, "");
  ASSERT_TRUE(transcript.append({EntryType::user, "u1", "{}", ""}));
  const auto before = test::text_of(transcript.path());

  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
  const auto usual_signal = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = usual;
  small.rlim_cur = before.size() + 100;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto result =
      transcript.append({EntryType::user, "u2", "\"" + std::string(5000, 'x') + "\"", ""});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &usual), 0);
  std::signal(SIGXFSZ, usual_signal);

  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("s1.jsonl"), std::string::npos);
  EXPECT_EQ(test::text_of(transcript.path()), before);
  ASSERT_TRUE(transcript.append({EntryType::user, "u3", "{}", ""}));
  EXPECT_EQ(lines_of(transcript.path()).back()["parentUuid"], "u1");
}

TEST(TranscriptWrite, AnImpossiblePlaceIsAnError) {
  const TempFolder folder;
  folder.write("file", "");
  Transcript transcript(folder / "file/s1.jsonl", kStamp, "");
  EXPECT_FALSE(transcript.append_title("t"));
}

TEST(TranscriptWrite, WhatIsWrittenIsReadBack) {
  const TempFolder folder;
  Transcript transcript(folder / "s1.jsonl", kStamp, "");
  api::Usage usage;
  usage.input_tokens = 1;
  usage.output_tokens = 2;
  usage.thinking_tokens = 3;
  usage.cache_read_input_tokens = 4;
  usage.cache_creation_input_tokens = 5;
  usage.cache_creation_5m = 6;
  usage.cache_creation_1h = 7;
  usage.web_search_requests = 8;
  ASSERT_TRUE(transcript.append({EntryType::user, "u1", R"({"role":"user","content":"hi"})", ""}));
  ASSERT_TRUE(
      transcript.append({EntryType::attachment, "u2", "",
                         R"("attachment":{"type":"prompt_snapshot","systemPrompt":["a","b"]})"}));
  ASSERT_TRUE(transcript.append(
      {EntryType::assistant, "u3",
       R"({"id":"m1","role":"assistant","model":"opus","content":[{"type":"text","text":"ho"}]})",
       ""}));
  ASSERT_TRUE(transcript.append_title("old"));
  ASSERT_TRUE(transcript.append_title("nön\xff"));
  ASSERT_TRUE(transcript.append_totals({{"x", {}, 9}}));
  ASSERT_TRUE(transcript.append_totals({{"opus", usage, 0.25}, {"haiku", {}, 1}}));

  const auto session = session::read_session(transcript.path());
  ASSERT_TRUE(session);
  EXPECT_EQ(session->path, transcript.path());
  EXPECT_EQ(session->session_id, "s1");
  EXPECT_EQ(session->title, "nön\uFFFD");
  EXPECT_EQ(session->last_uuid, "u3");
  EXPECT_EQ(session->model, "opus");
  EXPECT_EQ(session->system_prompt, "a\n\nb");
  EXPECT_EQ(session->messages, (std::vector<api::Message>{
                                   {api::Role::user, R"([{"type":"text","text":"hi"}])"},
                                   {api::Role::assistant, R"([{"type":"text","text":"ho"}])"}}));
  ASSERT_EQ(session->totals.size(), 2U);
  EXPECT_EQ(session->totals[0].model, "opus");
  EXPECT_EQ(session->totals[0].usage, usage);
  EXPECT_EQ(session->totals[0].cost_usd, 0.25);
  EXPECT_EQ(lines_of(transcript.path()).back()["totalCostUSD"], 1.25);
}

}  // namespace
