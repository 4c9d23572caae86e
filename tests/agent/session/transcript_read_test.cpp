#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/session/transcript.h"
#include "core/json/document.h"
#include "support/temp_folder.h"

namespace {

using namespace ralph;
using json::Document;

std::string quoted(const std::string& text) { return json::write(Document(text)); }
std::string text(const std::string& words) {
  return R"({"type":"text","text":)" + quoted(words) + "}";
}
std::string call(const std::string& id) {
  return R"({"type":"tool_use","id":")" + id + R"(","name":"Bash","input":{"a":1}})";
}
std::string result(const std::string& id) {
  return R"({"type":"tool_result","tool_use_id":")" + id + R"(","content":"out"})";
}

std::string line(const std::string& type, const std::string& uuid, const std::string& parent,
                 const std::string& message, const std::string& more = "") {
  return R"({"type":")" + type + R"(","uuid":")" + uuid + R"(","parentUuid":)" +
         (parent.empty() ? "null" : quoted(parent)) + R"(,"message":)" + message + more + "}\n";
}
std::string user(const std::string& uuid, const std::string& parent, const std::string& blocks) {
  return line("user", uuid, parent, R"({"role":"user","content":[)" + blocks + "]}");
}
std::string answer(const std::string& uuid, const std::string& parent, const std::string& id,
                   const std::string& blocks, const std::string& more = "") {
  return line(
      "assistant", uuid, parent,
      R"({"id":")" + id + R"(","role":"assistant","model":"opus","content":[)" + blocks + "]}",
      more);
}
std::string link(const std::string& uuid, const std::string& parent, const std::string& more) {
  return R"({"uuid":")" + uuid + R"(","parentUuid":)" + (parent.empty() ? "null" : quoted(parent)) +
         "," + more + "}\n";
}

/// The messages in short: "user a,b | assistant c", calls as "+id", results as "=id", made up ones as "!id".
std::string brief(const std::string& session) {
  const auto read = session::parse_session(session, "s.jsonl");
  if (!read) return "none";
  std::string out;
  for (const auto& message : read->messages) {
    if (!out.empty()) out += " | ";
    out += to_string(message.role);
    char divider = ' ';
    const auto content = json::parse(message.content);
    if (!content || !content->is_array() || content->empty()) return "bad content";
    for (const auto& block : *content) {
      const std::string type = block["type"];
      out += divider;
      divider = ',';
      if (type == "text") out += block["text"].get<std::string>();
      if (type == "thinking") out += "~" + block["thinking"].get<std::string>();
      if (type == "tool_use") out += "+" + block["id"].get<std::string>();
      if (type == "tool_result") {
        out += (block.contains("is_error") ? "!" : "=") + block["tool_use_id"].get<std::string>();
      }
    }
  }
  return out;
}

const std::string kNote = "[The session ended before this was answered.]";

TEST(TranscriptRead, AMinimalOneByHand) {
  EXPECT_EQ(brief(R"({"type":"user","message":{"role":"user","content":"hi"}})"
                  "\n"
                  R"({"type":"assistant","message":{"role":"assistant","content":"ho"}})"),
            "user hi | assistant ho");
  EXPECT_EQ(brief(""), "");
  EXPECT_EQ(brief("\n\n{}\n[]\n3\n\"x\"\nnull\n"), "none");
  EXPECT_EQ(brief(R"({"type":"user","message":"hi"})"), "none");
  EXPECT_EQ(brief(R"({"type":"user","message":{"content":[3,{},{"type":4},{"type":"text"}]}})"),
            "none");
}

TEST(TranscriptRead, AnswersOfManyLinesBecomeOneMessage) {
  EXPECT_EQ(brief(user("1", "", text("hi")) +
                  answer("2", "1", "m1", R"({"type":"thinking","thinking":"hm","signature":"s"})") +
                  answer("3", "2", "m1", text("a")) + answer("4", "3", "m1", text("b")) +
                  user("5", "4", text("more")) + user("6", "5", text("and more")) +
                  answer("7", "6", "m2", text("c"))),
            "user hi | assistant ~hm,a,b | user more,and more | assistant c");
}

TEST(TranscriptRead, ThinkingStaysAsItIs) {
  const std::string thinking = R"({"type":"thinking","thinking":"","signature":"a/b+c=="})";
  const auto read = session::parse_session(
      user("1", "", text("hi")) + answer("2", "1", "m1", thinking + "," + text("a")), "s.jsonl");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->messages[1].content, "[" + thinking + R"(,{"type":"text","text":"a"}])");
}

TEST(TranscriptRead, CallsSideBySideHangOnLinesOfTheirOwn) {
  const auto session = user("1", "", text("hi")) + answer("2", "1", "m1", text("a")) +
                       answer("3", "2", "m1", call("A")) + answer("4", "3", "m1", call("B")) +
                       user("5", "4", result("B")) + user("6", "3", result("A"));
  const std::string head = "user hi | assistant a,+A,+B | user =B,=A | assistant ";
  EXPECT_EQ(brief(session + answer("7", "6", "m2", text("done"))), head + "done");
  EXPECT_EQ(brief(session + answer("7", "5", "m2", text("done"))), head + "done");
  EXPECT_EQ(brief(session), head + kNote);
}

TEST(TranscriptRead, ResultsStandDirectlyBehindTheirCalls) {
  EXPECT_EQ(brief(user("1", "", text("hi")) + answer("2", "1", "m1", call("A") + "," + call("B")) +
                  user("3", "2", text("note") + "," + result("A")) + user("4", "3", result("B")) +
                  answer("5", "4", "m2", text("done"))),
            "user hi | assistant +A,+B | user =A,=B,note | assistant done");
  // Block by block with a result in between, and without ids.
  EXPECT_EQ(brief(user("1", "", text("hi")) + answer("2", "1", "m1", call("A")) +
                  user("3", "2", result("A")) + answer("4", "3", "m1", call("B")) +
                  user("5", "4", result("B")) + answer("6", "5", "m2", text("done"))),
            "user hi | assistant +A,+B | user =A,=B | assistant done");
  EXPECT_EQ(
      brief(user("1", "", text("hi")) + answer("2", "1", "", call("A")) +
            answer("3", "2", "", call("B")) + user("4", "3", result("A") + "," + result("B")) +
            answer("5", "4", "", text("done"))),
      "user hi | assistant +A,+B | user =A,=B | assistant done");
}

TEST(TranscriptRead, MissingResultsAreMadeUpAndOrphansDropped) {
  const auto begin = user("1", "", text("hi") + "," + result("none")) +
                     answer("2", "1", "m1", call("A") + "," + call("B"));
  EXPECT_EQ(brief(begin), "user hi | assistant +A,+B | user !A,!B | assistant " + kNote);
  EXPECT_EQ(brief(begin + user("3", "2", result("B") + "," + result("B")) +
                  user("4", "3", text("go on")) + user("5", "4", result("A2")) +
                  answer("6", "5", "m2", text("ok"))),
            "user hi | assistant +A,+B | user =B,!A,go on | assistant ok");
  EXPECT_EQ(brief(begin + answer("3", "2", "m2", text("ok"))),
            "user hi | assistant +A,+B | user !A,!B | assistant ok");
  // The ids of another run of a program that counts from one.
  EXPECT_EQ(brief(begin + user("3", "2", text("again")) + answer("4", "3", "m1", call("A")) +
                  user("5", "4", result("A")) + answer("6", "5", "m3", text("ok"))),
            "user hi | assistant +A,+B | user !A,!B,again | assistant +A | user =A | assistant ok");
}

TEST(TranscriptRead, OnlyTheLastBranchCounts) {
  EXPECT_EQ(brief(user("1", "", text("hi")) + answer("2", "1", "m1", text("old")) +
                  user("3", "2", text("dropped")) + answer("4", "3", "m2", text("dropped")) +
                  user("5", "2", text("instead")) + answer("6", "5", "m3", text("new"))),
            "user hi | assistant old | user instead | assistant new");
}

TEST(TranscriptRead, SubagentsErrorsAndEmptyMessagesAreLeftOut) {
  EXPECT_EQ(
      brief(user("1", "", text("hi")) +
            answer("2", "1", "m1", text("API Error"), R"(,"isApiErrorMessage":true)") +
            user("3", "2", text("again")) +
            answer("s", "3", "m5", text("sub"), R"(,"isSidechain":true)") +
            answer("4", "3", "m2", text(" \n")) + user("5", "4", text("")) +
            answer("6", "5", "m3", text("ok")) +
            answer("7", "6", "m4", R"({"type":"thinking","thinking":"cut","signature":"s"})")),
      "user hi,again | assistant ok");
  EXPECT_EQ(brief(user("1", "", text("hi") + "," + call("A")) +
                  answer("2", "1", "m1", result("A") + "," + text("ok"))),
            "user hi | assistant ok");
  EXPECT_EQ(brief(answer("1", "", "m1", call("A")) + user("2", "1", result("A")) +
                  user("3", "2", text("hi")) + answer("4", "3", "m2", text("ok"))),
            "user hi | assistant ok");
}

TEST(TranscriptRead, AnErrorIsAnAnswerToo) {
  EXPECT_EQ(brief(user("1", "", text("hi")) +
                  answer("2", "1", "m1", text("API Error"), R"(,"isApiErrorMessage":true)")),
            "user hi");
}

TEST(TranscriptRead, AfterACompactionOnlyWhatFollowsCounts) {
  const auto old = user("1", "", text("old")) + answer("2", "1", "m1", text("kept"));
  const std::string kept =
      R"(,"compactMetadata":{"preservedMessages":{"anchorUuid":"4","uuids":["2","4","none"]}})";
  const auto boundary = [](const std::string& more) {
    return link("3", "",
                R"("type":"system","subtype":"compact_boundary","logicalParentUuid":"2")" + more);
  };
  const auto after = user("4", "3", text("summary")) + user("5", "4", text("more")) +
                     answer("6", "5", "m2", text("ok"));
  EXPECT_EQ(brief(old + boundary("") + after), "user summary,more | assistant ok");
  EXPECT_EQ(brief(old + boundary(kept) + after),
            "user summary | assistant kept | user more | assistant ok");
}

TEST(TranscriptRead, AttachmentsLinkAndQueuedPromptsCount) {
  const auto session =
      user("1", "", text("hi")) +
      link("2", "1",
           R"("type":"attachment","attachment":{"type":"date"},"rendered":[{"content":"x"}])") +
      link(
          "3", "2",
          R"("type":"attachment","attachment":{"type":"prompt_snapshot","systemPrompt":["A","B"]})") +
      answer("4", "3", "m1", call("A")) + user("5", "4", result("A")) +
      link("6", "5",
           R"("type":"attachment","attachment":{"type":"queued_command","prompt":"wait"})") +
      link("p", "6", R"("type":"progress","data":{})") + answer("7", "p", "m2", text("ok")) +
      link("8", "7",
           R"("type":"attachment","attachment":{"type":"prompt_snapshot","systemPrompt":3})") +
      link("9", "", R"("type":"system","subtype":"informational")");
  EXPECT_EQ(brief(session), "user hi | assistant +A | user =A,wait | assistant ok");
  const auto read = session::parse_session(session, "s.jsonl");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->last_uuid, "8");
  EXPECT_EQ(read->system_prompt, "A\n\nB");
}

TEST(TranscriptRead, BrokenLinesAreLeftOutAndBridged) {
  const auto whole = answer("2", "1", "m1", text("lost"));
  EXPECT_EQ(brief(user("1", "", text("hi")) + whole.substr(0, whole.size() / 2) + "\n" +
                  user("3", "2", text("more")) + answer("4", "3", "m2", text("ok")) +
                  whole.substr(0, 20)),
            "user hi,more | assistant ok");
  EXPECT_EQ(brief(user("1", "", R"({"type":"text","text":"lone \ud83d"})") +
                  answer("2", "1", "m1", text("ok"))),
            "user lone \uFFFD | assistant ok");
}

TEST(TranscriptRead, CirclesAndDoublesEnd) {
  EXPECT_EQ(brief(user("1", "2", text("a")) + answer("2", "1", "m1", text("b"))),
            "user a | assistant b");
  EXPECT_EQ(brief(user("1", "1", text("a"))), "user a | assistant " + kNote);
  EXPECT_EQ(brief(user("1", "", text("a")) + answer("2", "1", "m1", text("b")) +
                  user("1", "2", text("a")) + answer("2", "1", "m1", text("b"))),
            "user a | assistant b");
}

TEST(TranscriptRead, CacheMarksAreTakenOff) {
  const auto read = session::parse_session(
      user("1", "", R"({"type":"text","text":"hi","cache_control":{"type":"ephemeral"}})") +
          answer(
              "2", "1", "m1",
              R"({"type":"tool_use","id":"A","name":"B","input":{"cache_control":1},"cache_control":{}})") +
          user(
              "3", "2",
              R"({"type":"tool_result","tool_use_id":"A","content":[{"type":"text","text":"o","cache_control":{}}]})"),
      "s.jsonl");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->messages.size(), 4U);
  EXPECT_EQ(read->messages[0].content, R"([{"type":"text","text":"hi"}])");
  EXPECT_EQ(read->messages[1].content,
            R"([{"type":"tool_use","id":"A","name":"B","input":{"cache_control":1}}])");
  EXPECT_EQ(read->messages[2].content,
            R"([{"type":"tool_result","tool_use_id":"A","content":[{"type":"text","text":"o"}]}])");
}

TEST(TranscriptRead, WhatElseASessionSays) {
  const auto session =
      R"({"type":"summary","summary":"about","leafUuid":"2"})"
      "\n" +
      line("user", "1", "", R"({"role":"user","content":"hi"})", R"(,"sessionId":"from-a-line")") +
      answer("2", "1", "m1", text("ok")) +
      line("assistant", "3", "2", R"({"model":"<synthetic>","content":"made up"})") +
      R"({"type":"cost-state","modelUsage":{"opus":{"inputTokens":3,"outputTokens":2.0,"costUSD":1},"odd":4}})";
  const auto read = session::parse_session(session, "/x/by-hand.jsonl");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->session_id, "from-a-line");
  EXPECT_EQ(read->title, "about");
  EXPECT_EQ(read->model, "opus");
  EXPECT_EQ(read->system_prompt, std::nullopt);
  ASSERT_EQ(read->totals.size(), 2U);
  EXPECT_EQ(read->totals[0].usage.input_tokens, 3);
  EXPECT_EQ(read->totals[0].usage.output_tokens, 2);
  EXPECT_EQ(read->totals[0].cost_usd, 1);
  const std::string id = "11111111-1111-4111-8111-111111111111";
  EXPECT_EQ(session::parse_session(session, id + ".jsonl")->session_id, id);
}

TEST(TranscriptRead, ContinuesAfterALineWithoutAUuid) {
  const test::TempFolder folder;
  const auto path = folder.write("s.jsonl", R"({"type":"user","message":{"content":"hi"}})"
                                            "\n"
                                            R"({"type":"assistant","message":{"content":"ho"}})");
  const auto first = session::read_session(path);
  ASSERT_TRUE(first);
  session::Transcript transcript(path, {}, first->last_uuid);
  ASSERT_TRUE(transcript.append({session::EntryType::user, "u", R"({"content":"more"})", ""}));
  EXPECT_EQ(brief(test::text_of(path)), "user hi | assistant ho | user more | assistant " + kNote);
}

TEST(TranscriptRead, ManyLinesTakeNoLongerThanTheyShould) {
  std::string session;
  std::string parent;
  for (int i = 0; i < 20000; ++i) {
    const auto uuid = std::to_string(i);
    session +=
        i % 2 == 0 ? user(uuid, parent, text("q")) : answer(uuid, parent, "m" + uuid, text("a"));
    parent = uuid;
  }
  const auto read = session::parse_session(session, "s.jsonl");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->messages.size(), 20000U);
}

TEST(TranscriptRead, ASessionKilledBeforeItBeganIsEmpty) {
  const auto line = user("u1", "", text("q"));
  const std::string only_about_it = R"({"type":"mode","mode":"normal","sessionId":"s"})"
                                    "\n";
  for (const auto& session :
       {std::string(), line.substr(0, line.size() / 2), only_about_it, only_about_it + "{\"ty"}) {
    const auto read = session::parse_session(session, "s.jsonl");
    ASSERT_TRUE(read) << session;
    EXPECT_TRUE(read->messages.empty());
  }
  EXPECT_FALSE(session::parse_session("no session\n", "s.jsonl"));
}

TEST(TranscriptRead, AFileThatIsNotThereIsAnError) {
  EXPECT_FALSE(session::read_session("/no/such/file.jsonl"));
  EXPECT_FALSE(session::read_session("/"));
}

}  // namespace
