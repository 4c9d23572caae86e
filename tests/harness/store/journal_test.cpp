#include "harness/store/journal.h"

#include <csignal>

#include <gtest/gtest.h>
#include <malloc.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "core/base/time.h"
#include "core/base/utf8.h"
#include "core/json/document.h"
#include "harness/store/shorten.h"
#include "harness/stream/decoder.h"
#include "harness/stream/event_json.h"
#include "support/temp_folder.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;
using stream::Event;
using test::mode_of;
using test::TempFolder;
using test::text_of;

constexpr std::string_view kKey = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";

Event event_of(stream::Payload what, std::int64_t seq = 1) {
  return {seq, 10, "claude", "run-1", 7, {}, std::move(what)};
}

class JournalTest : public testing::Test {
 protected:
  Journal open() {
    auto journal = Journal::open(Location(folder_ / "runs" / "r1"), masker_);
    EXPECT_TRUE(journal) << describe(journal.error());
    return *std::move(journal);
  }
  static std::string written(Journal& journal) {
    journal.flush();
    return text_of(journal.path());
  }
  static std::vector<std::string> lines_of(Journal& journal) {
    std::vector<std::string> lines;
    std::istringstream text(written(journal));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  /// The only line, as JSON.
  static json::Document document_in(Journal& journal) {
    const auto lines = lines_of(journal);
    EXPECT_EQ(lines.size(), 1u);
    return lines.empty() ? json::Document() : json::parse(lines[0]).value_or(json::Document());
  }
  Event read(const std::string& line) {
    const auto event = reader_.decode(line);
    EXPECT_TRUE(event) << line.substr(0, 200);
    return event.value_or(Event{});
  }

  TempFolder folder_;
  Masker masker_{{"MY_TOKEN=correct horse battery"}};
  stream::EventReader reader_;
};

TEST_F(JournalTest, IsPrivateAndNeverOverwrites) {
  const test::Umask umask(0777);
  const auto journal = open();
  EXPECT_EQ(journal.path(), folder_ / "runs/r1/journal.ndjson");
  EXPECT_EQ(mode_of(journal.path()), 0600u);
  EXPECT_EQ(mode_of(folder_ / "runs/r1"), 0700u);
  const auto second = Journal::open(Location(folder_ / "runs" / "r1"), masker_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::storage);
  EXPECT_NE(second.error().message.find(journal.path().native()), std::string::npos);
  EXPECT_NE(second.error().hint, "");
}

TEST_F(JournalTest, CannotBeMade) {
  folder_.write("file", "");
  const auto journal = Journal::open(Location(folder_ / "file" / "r1"), masker_);
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, Code::storage);
}

TEST_F(JournalTest, EveryEventOfASessionReadsBack) {
  struct Expected final : stream::Handler {
    std::vector<std::string> lines;
    void on_any(const Event& event) override { lines.push_back(stream::encode(event)); }
  } expected;
  auto journal = open();
  stream::Decoder decoder(stream::make_claude_dialect(), {&journal, &expected}, "run-1");
  decoder.feed(*read_file(RALPH_FIXTURES "/demo/session.ndjson"), 7);
  decoder.finish(7);
  ASSERT_TRUE(journal.finish());
  EXPECT_EQ(lines_of(journal), expected.lines);
  EXPECT_GT(expected.lines.size(), 30u);
  for (const auto& line : lines_of(journal)) EXPECT_EQ(read(line).run_id, "run-1");
}

TEST_F(JournalTest, ALineIsInTheFileAtOnce) {
  auto journal = open();
  stream::dispatch(event_of(stream::TurnStarted{1}), journal);
  EXPECT_EQ(lines_of(journal).size(), 1u);
}

TEST_F(JournalTest, DeltasAreLeftOut) {
  auto journal = open();
  stream::dispatch(event_of(stream::Text{"a", true, false, "m"}), journal);
  stream::dispatch(event_of(stream::Thinking{"b", true}), journal);
  EXPECT_EQ(written(journal), "");
}

TEST_F(JournalTest, AFullJournalStillHasCostsAndResults) {
  auto journal = *Journal::open(Location(folder_ / "runs" / "r1"), masker_, 100);
  journal.on_any(event_of(stream::Text{.text = std::string(200, 'a')}));
  journal.on_any(event_of(stream::Text{.text = "left out"}));
  journal.on_any(event_of(stream::Usage{}));
  journal.on_any(event_of(stream::RunResult{}));
  const auto lines = lines_of(journal);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(lines[1].contains("events_left_out")) << lines[1];
  EXPECT_TRUE(lines[2].contains("\"usage\"")) << lines[2];
  EXPECT_TRUE(lines[3].contains("\"result\"")) << lines[3];
}

TEST_F(JournalTest, SecretsAreMaskedInValuesOnly) {
  auto journal = open();
  const std::string text = "my key is " + std::string(kKey) + " and correct horse battery.";
  stream::dispatch(event_of(stream::Text{text}), journal);
  stream::dispatch(
      event_of(stream::ToolCall{"c1",
                                "Bash",
                                stream::ToolKind::shell,
                                "x",
                                {R"({"correct horse battery":"echo \"correct horse battery\""})"}}),
      journal);
  const auto lines = lines_of(journal);
  ASSERT_EQ(lines.size(), 2u);
  const auto first = read(lines[0]);
  EXPECT_EQ(std::get<stream::Text>(first.what).text, "my key is sk-ant-*** and ***.");
  EXPECT_EQ((*json::parse(lines[1]))["input"].dump(),
            R"({"correct horse battery":"echo \"***\""})");
}

TEST_F(JournalTest, LongTextIsCutBetweenCodePointsAndMarked) {
  auto journal = open();
  std::string text;
  while (text.size() < 3 * Journal::kLongestText) text += "aé€😀\"\n";
  stream::dispatch(event_of(stream::Text{text, false, true, "m1"}), journal);
  stream::dispatch(event_of(stream::ToolResult{"c", "Bash", true, 3, text}), journal);
  const auto lines = lines_of(journal);
  ASSERT_EQ(lines.size(), 2u);

  const auto event = read(lines[0]);
  const auto& cut = std::get<stream::Text>(event.what);
  EXPECT_LE(cut.text.size(), Journal::kLongestText);
  EXPECT_GT(cut.text.size(), Journal::kLongestText - 4);
  EXPECT_TRUE(text.starts_with(cut.text));
  EXPECT_TRUE(utf8::valid(cut.text));
  EXPECT_EQ(cut.message_id, "m1");
  EXPECT_EQ(event.line, 7);
  EXPECT_EQ((*json::parse(lines[0]))["cut"].dump(), R"(["text"])");

  const auto result = std::get<stream::ToolResult>(read(lines[1]).what);
  EXPECT_TRUE(text.starts_with(result.output));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ((*json::parse(lines[1]))["cut"].dump(), R"(["output"])");
}

TEST_F(JournalTest, TextAtTheBorderIsWhole) {
  auto journal = open();
  const std::string text(Journal::kLongestText, 'x');
  stream::dispatch(event_of(stream::Text{text}), journal);
  stream::dispatch(event_of(stream::Text{text + "x"}), journal);
  const auto lines = lines_of(journal);
  EXPECT_EQ(std::get<stream::Text>(read(lines[0]).what).text, text);
  EXPECT_FALSE(json::parse(lines[0])->contains("cut"));
  EXPECT_EQ(std::get<stream::Text>(read(lines[1]).what).text, text);
  EXPECT_TRUE(json::parse(lines[1])->contains("cut"));
}

/// Wherever the cut falls, no piece of a secret is left in front of it.
TEST_F(JournalTest, ASecretAtTheCutDoesNotLeak) {
  auto journal = open();
  const std::string secrets[] = {std::string(kKey), "correct horse battery"};
  for (const auto& secret : secrets) {
    for (std::size_t inside = 0; inside <= secret.size(); ++inside) {
      const auto text = std::string(Journal::kLongestText - inside - 1, ' ') + " " + secret +
                        std::string(1000, ' ');
      stream::dispatch(event_of(stream::Text{text}), journal);
    }
  }
  const auto text = written(journal);
  EXPECT_EQ(text.find("sk-ant-a"), std::string::npos);
  EXPECT_EQ(text.find("correct"), std::string::npos);
  EXPECT_EQ(lines_of(journal).size(), secrets[0].size() + secrets[1].size() + 2);
}

TEST_F(JournalTest, LongJsonStaysJson) {
  auto journal = open();
  std::string list = "[0";
  for (int i = 1; i < 50'000; ++i) list += "," + std::to_string(i);
  const std::string input =
      R"({"file_path":"/a","content":")" + std::string(100'000, 'x') + R"(","list":)" + list + "]}";
  stream::dispatch(event_of(stream::ToolCall{"c", "Write", stream::ToolKind::write, "/a", {input}}),
                   journal);
  stream::dispatch(event_of(stream::Unknown{"odd", {list + "]"}}), journal);
  const auto lines = lines_of(journal);
  ASSERT_EQ(lines.size(), 2u);
  const auto event = read(lines[0]);
  const auto call = std::get<stream::ToolCall>(event.what);
  const auto document = json::parse(call.input.text);
  ASSERT_TRUE(document);
  EXPECT_EQ((*document)["file_path"], "/a");
  EXPECT_GT((*document)["content"].get<std::string>().size(), 10'000u);
  EXPECT_LT(lines[0].size(), Journal::kLongestText + 1000);
  EXPECT_EQ((*json::parse(lines[0]))["cut"].dump(), R"(["input"])");

  const auto unknown = std::get<stream::Unknown>(read(lines[1]).what);
  EXPECT_EQ(unknown.type, "odd");
  EXPECT_TRUE(unknown.raw.text.starts_with("[0,1,2")) << unknown.raw.text.substr(0, 50);
  EXPECT_LT(lines[1].size(), Journal::kLongestText + 1000);
}

TEST_F(JournalTest, DeeplyNestedJsonIsLeftOutAndNamed) {
  auto journal = open();
  const std::string deep = std::string(1024, '[') + std::string(1024, ']');
  const std::string long_text(20'000, 'x');
  stream::dispatch(event_of(stream::Unknown{"odd", {deep}}), journal);
  stream::dispatch(event_of(stream::ToolCall{"c", "X", stream::ToolKind::other, long_text, {deep}}),
                   journal);
  const auto lines = lines_of(journal);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(std::get<stream::Unknown>(read(lines[0]).what).type, "odd");
  EXPECT_EQ((*json::parse(lines[0]))["cut"].dump(), R"(["raw_line"])");
  EXPECT_EQ(std::get<stream::ToolCall>(read(lines[1]).what).name, "X");
  EXPECT_EQ((*json::parse(lines[1]))["cut"].dump(), R"(["input","detail"])");
}

TEST_F(JournalTest, JsonOnSeveralLinesBecomesOne) {
  auto journal = open();
  stream::dispatch(event_of(stream::Unknown{"odd", {"{\n \"a\":\n 1}"}}), journal);
  EXPECT_EQ(document_in(journal)["raw_line"].dump(), R"({"a":1})");
}

TEST_F(JournalTest, RecordsOfOurOwn) {
  auto journal = open();
  journal.record("attempt", R"({ "n": 2,
     "record":"not this", "at":5, "argv":["claude","--key","sk-ant-api03-abcdefghijklmnop012345"],
     "correct horse battery": {"x":"correct horse battery"}})");
  const auto record = document_in(journal);
  EXPECT_EQ(record["record"], "attempt");
  EXPECT_TRUE(parse_iso(record["at"].get<std::string>()));
  EXPECT_EQ(record["n"], 2);
  EXPECT_EQ(record["argv"][2], "sk-ant-***");
  EXPECT_EQ(record["correct horse battery"]["x"], "***") << "values, never keys";
}

TEST_F(JournalTest, MarksThatTheRunIsAlive) {
  auto journal = open();
  const auto before = now_utc();
  journal.mark_alive();
  const auto lines = lines_of(journal);
  ASSERT_EQ(lines.size(), 1u);
  const auto at = Journal::time_of(lines[0], "alive");
  ASSERT_TRUE(at);
  EXPECT_LE(before, *at);
  EXPECT_FALSE(Journal::time_of(lines[0], "started"));
  EXPECT_FALSE(Journal::time_of("{\"record\":\"alive\",\"at\":", "alive")) << "cut by a kill";
}

TEST_F(JournalTest, AnAttemptNamesItsLog) {
  auto journal = open();
  journal.record("attempt", R"({"attempt":1,"raw_log":"/w/a.ndjson"})");
  journal.record("attempt_ended", R"({"attempt":1,"raw_log":"/w/b.ndjson"})");
  const auto lines = lines_of(journal);
  EXPECT_EQ(Journal::raw_log_of(lines.at(0)), "/w/a.ndjson");
  EXPECT_FALSE(Journal::raw_log_of(lines.at(1)));
}

TEST_F(JournalTest, LongRecordsAreCut) {
  auto journal = open();
  journal.record("ended", R"({"why":")" + std::string(100'000, 'y') + R"(","n":1})");
  const auto record = document_in(journal);
  EXPECT_EQ(record["why"].get<std::string>().size(), Journal::kLongestText);
  EXPECT_EQ(record["n"], 1);
  EXPECT_EQ(record["cut"].dump(), R"(["why"])");
}

TEST_F(JournalTest, RecordsThatAreNoObjectAreKeptAsText) {
  auto journal = open();
  const std::string deep = std::string(2000, '[') + std::string(2000, ']');
  for (const std::string_view text : {"", "[1]", "{\"a\":\"correct horse battery\"", "\xff\n"}) {
    journal.record("odd", text);
  }
  journal.record("odd", deep);
  const auto lines = lines_of(journal);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ((*json::parse(lines[1]))["malformed"], "[1]");
  EXPECT_EQ((*json::parse(lines[2]))["malformed"], "{\"a\":\"***\"");
  EXPECT_EQ((*json::parse(lines[4]))["malformed"], deep);
}

TEST_F(JournalTest, AFullDiskIsTheLastWord) {
  auto journal = open();
  journal.record("started", "{}");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  ::getrlimit(RLIMIT_FSIZE, &usual);
  const rlimit small{4096, usual.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_EQ(journal.failure(), std::nullopt);
  for (int i = 0; i < 100; ++i) stream::dispatch(event_of(stream::TurnStarted{i}), journal);
  journal.flush();
  ::setrlimit(RLIMIT_FSIZE, &usual);
  ASSERT_TRUE(journal.failure());
  EXPECT_EQ(journal.failure()->code, Code::storage);
  EXPECT_NE(journal.failure()->message.find(journal.path().native()), std::string::npos);
  EXPECT_NE(journal.failure()->hint, "");

  const auto size = fs::file_size(journal.path());
  stream::dispatch(event_of(stream::TurnStarted{101}), journal);
  journal.record("ended", "{}");
  EXPECT_EQ(fs::file_size(journal.path()), size) << "everything after it is dropped";
  const auto finished = journal.finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error(), *journal.failure());
}

std::size_t allocated_bytes() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST_F(JournalTest, ManyEventsAreWrittenAndNotKept) {
  auto journal = open();
  const std::string text(500, 'x');
  const auto before = allocated_bytes();
  for (int i = 1; i <= 100'000; ++i) stream::dispatch(event_of(stream::Text{text}, i), journal);
  EXPECT_LT(allocated_bytes(), before + 1'000'000);
  ASSERT_TRUE(journal.finish());
  EXPECT_GT(fs::file_size(journal.path()), 50'000'000u);
}

TEST(ShortenMembers, CutsWhatComesLast) {
  EXPECT_EQ(shorten_members(R"({"a":"abc","b":[1,2],"c":{"d":"e"}})", 20),
            R"({"a":"abc","b":[1,2],"c":{"d":"e"}})");
  EXPECT_EQ(shorten_members(R"({"a":"12345678901","n":1})", 10),
            R"({"a":"1234567890","n":1,"cut":["a"]})");
  EXPECT_EQ(shorten_members(R"({"a":"€€","b":[1,2,3,4]})", 5),
            R"({"a":"€","b":[],"cut":["a","b"]})");
  EXPECT_EQ(shorten_members(R"({"a":{"b":"0123456789","c":"0123456789","d":1}})", 30),
            R"({"a":{"b":"0123456789","c":"01"},"cut":["a"]})");
  EXPECT_EQ(shorten_members(R"({"a":1})", 10, {"gone"}), R"({"a":1,"cut":["gone"]})");
  EXPECT_EQ(shorten_members("[]", 10), std::nullopt);
  EXPECT_EQ(shorten_members("{", 10), std::nullopt);
}

}  // namespace
}  // namespace ralph::store
