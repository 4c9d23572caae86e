#include "harness/loop/answer.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/loop/prompt.h"

namespace ralph::loop {
namespace {

Answer structured_answer(std::string_view structured) {
  return loop::structured_answer(structured, "StructuredOutput");
}

std::string summary_in(std::string_view text) { return text_answer(text, "LOOP_DONE").summary; }

TEST(StructuredAnswer, IsTheSummary) {
  const auto answer = structured_answer(R"({"summary":" did it\n","more":1})");
  EXPECT_EQ(answer.summary, "did it");
  EXPECT_EQ(answer.correction, "");
  EXPECT_FALSE(answer.done);
  EXPECT_TRUE(structured_answer(R"({"summary":"DONE"})").done);
  EXPECT_TRUE(structured_answer(R"({"summary":"DONE\n"})").done);
  EXPECT_FALSE(structured_answer(R"({"summary":"DONE, nearly"})").done);
}

TEST(StructuredAnswer, DoneIsSaidByItsOwnMember) {
  const auto answer = structured_answer(R"({"summary":"All of it works.","done":true})");
  EXPECT_TRUE(answer.done);
  EXPECT_EQ(answer.summary, "All of it works.");
  EXPECT_TRUE(structured_answer(R"({"summary":"x","done":"true"})").done);
  EXPECT_FALSE(structured_answer(R"({"summary":"x","done":false})").done);
  EXPECT_FALSE(structured_answer(R"({"summary":"x","done":null})").done);
  EXPECT_FALSE(structured_answer(R"({"summary":"x"})").done);
}

TEST(StructuredAnswer, ABareDoneCountsInAnyCaseAndWithPunctuation) {
  for (const std::string_view word :
       {"DONE", "done", "Done.", "DONE!", "**DONE**", "`DONE`.", "DONE\n"}) {
    const auto answer = structured_answer(nlohmann::json{{"summary", word}}.dump());
    EXPECT_TRUE(answer.done) << word;
  }
  for (const std::string_view word : {"DONE, nearly", "not done", "DONER", "D.O.N.E", "."}) {
    EXPECT_FALSE(structured_answer(nlohmann::json{{"summary", word}}.dump()).done) << word;
  }
}

TEST(StructuredAnswer, EveryLackHasItsWords) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"", "Your answer is missing."},
      {"null", "Your answer is missing."},
      {"[1]", "Your answer is not a JSON object."},
      {"{", "Your answer is not valid JSON."},
      {R"({"status":"x"})", "Your answer has no \"summary\"."},
      {R"({"summary":7})", "The \"summary\" of your answer is not a text."},
      {R"({"summary":null})", "The \"summary\" of your answer is not a text."},
      {R"({"summary":" \n"})", "The \"summary\" of your answer is empty."},
      {R"({"summary":"x","done":"soon"})", "The \"done\" of your answer is neither"},
      {R"({"summary":"DONE","done":false})", "Your answer says DONE and \"done\": false."},
  };
  for (const auto& [structured, words] : rows) {
    const auto answer = structured_answer(structured);
    EXPECT_EQ(answer.summary, "") << structured;
    EXPECT_TRUE(answer.correction.starts_with(words)) << structured << ": " << answer.correction;
    EXPECT_NE(answer.correction.find("StructuredOutput"), std::string::npos);
  }
}

TEST(TextAnswer, TheLastObjectCounts) {
  EXPECT_EQ(summary_in(R"({"summary":"one"} then {"summary":"two"} bye)"), "two");
  EXPECT_EQ(summary_in(R"({"summary":"one"} {"other":1})"), "one");
  EXPECT_EQ(summary_in("I did it.\n```json\n{\n  \"summary\": \"three\"\n}\n```\n"), "three");
}

TEST(TextAnswer, BracesInStringsAndNestedObjects) {
  EXPECT_EQ(summary_in(R"({"summary":"a } b { c \" } d"})"), R"(a } b { c " } d)");
  EXPECT_EQ(summary_in(R"({"summary":"outer","x":{"summary":"inner"}})"), "outer");
  EXPECT_EQ(summary_in(R"({"x":[{"summary":"inner"}]})"), "") << "not at the top";
  EXPECT_EQ(summary_in(R"({"a":[1,-2.5e3,true,null,[],{}],"summary":"ok"})"), "ok");
}

TEST(TextAnswer, WhatLooksLikeAnObjectIsPassedOver) {
  EXPECT_EQ(summary_in(R"(if (x) { y(); } {"a": 1, and {"summary":"ok"} })"), "ok");
  EXPECT_EQ(summary_in(R"({"quoted {"summary":"ok"})"), "ok");
  EXPECT_EQ(summary_in("{\"open\n{\"summary\":\"ok\"}"), "ok");
  EXPECT_EQ(summary_in("{\"open\\\n{\"summary\":\"ok\"}"), "ok");
  EXPECT_EQ(summary_in(R"({"summary":"whole"} {"summary":"cut)"), "whole");
}

TEST(TextAnswer, TheMarkerIsALineOfItsOwn) {
  EXPECT_TRUE(text_answer("All is there.\n  LOOP_DONE \r\n", "LOOP_DONE").done);
  EXPECT_TRUE(text_answer("LOOP_DONE", "LOOP_DONE").done);
  EXPECT_FALSE(text_answer("not yet LOOP_DONE", "LOOP_DONE").done);
  EXPECT_FALSE(text_answer("LOOP_DONE!", "LOOP_DONE").done);
  EXPECT_FALSE(text_answer("\n\n", "").done);
  EXPECT_TRUE(text_answer(R"({"summary":"DONE"})", "LOOP_DONE").done);
}

TEST(TextAnswer, TheWordsBeforeTheMarkerAreTheSummary) {
  EXPECT_EQ(summary_in("All is there.\nTests pass.\nLOOP_DONE\n"), "All is there.\nTests pass.");
  EXPECT_EQ(summary_in("LOOP_DONE"), "DONE");
}

TEST(TextAnswer, TheMarkerCountsOnlyAsTheLastLine) {
  EXPECT_TRUE(text_answer("LOOP_DONE\nLOOP_DONE\n\n \n", "LOOP_DONE").done);
  EXPECT_FALSE(text_answer("I will say\nLOOP_DONE\nwhen it is.", "LOOP_DONE").done);
  EXPECT_EQ(summary_in("LOOP_DONE\n{\"summary\":\"x\"}"), "x");
}

TEST(TextAnswer, AnObjectIsDoneOnlyAtTheEnd) {
  const std::string done = R"({"summary": "DONE"})";
  EXPECT_EQ(summary_in("All is there.\n```json\n" + done + "\n```\n\n"), "DONE");
  EXPECT_EQ(summary_in("~~~\n" + done + "\n~~~"), "DONE");
  EXPECT_EQ(summary_in(done + " \n"), "DONE");
  for (const std::string_view more : {" bye", "\n```\nError: no network", "\n{\"other\":1}", "."}) {
    const auto answer = text_answer(done + std::string(more), "LOOP_DONE");
    EXPECT_EQ(answer.summary, "") << more;
    EXPECT_TRUE(answer.correction.starts_with("Your answer DONE is not the end")) << more;
  }
  EXPECT_EQ(summary_in(R"({"summary":"half of it"} bye)"), "half of it");
}

TEST(TextAnswer, AnEchoOfThePromptIsNoAnswer) {
  PromptParts parts;
  parts.goal = "Write a parser.";
  parts.answer_in_text = true;
  parts.done_marker = "LOOP_DONE";
  std::vector<std::string> cuts;
  const auto prompt = make_prompt(Template::builtin(), parts, PromptCaps{}, cuts);
  ASSERT_NE(prompt.find("\n    LOOP_DONE"), std::string::npos);
  EXPECT_FALSE(text_answer(prompt + "\nError: cannot reach the model\n", "LOOP_DONE").done);
  EXPECT_FALSE(text_answer(prompt, "LOOP_DONE").done);
}

TEST(TextAnswer, WithoutOneTheCorrectionSaysHow) {
  for (const std::string_view text : {"", "I did something.", "{\"summary\":", "[]"}) {
    const auto answer = text_answer(text, "LOOP_DONE");
    EXPECT_EQ(answer.summary, "");
    EXPECT_NE(answer.correction.find("End your message with one JSON object"), std::string::npos);
    EXPECT_EQ(answer.correction.find("StructuredOutput"), std::string::npos);
  }
  EXPECT_TRUE(text_answer(R"({"summary":3})", "M").correction.starts_with("The \"summary\""));
}

TEST(TextAnswer, GarbageTakesNoLonger) {
  // Quadratic work on these would take hours.
  for (const std::string_view piece : {"{", "{\"a\":", "{\"", "{\"a\":[", "{\"a\":[{},", "{ ",
                                       "{\"a {", "{}", "[{", "{\"a\":{}, "}) {
    std::string text;
    while (text.size() < 1'000'000) text += piece;
    EXPECT_EQ(summary_in(text), "") << piece;
    EXPECT_EQ(summary_in(text + "\n!{\"summary\":\"ok\"}"), "ok") << piece;
  }
}

TEST(TextAnswer, DoneAndNothingElseIsDone) {
  for (const std::string_view text : {"DONE", "done.\n", "\n**Done!**\n\n"}) {
    EXPECT_TRUE(text_answer(text, "LOOP_DONE").done) << text;
    EXPECT_EQ(summary_in(std::string(text)), "DONE");
  }
  EXPECT_FALSE(text_answer("The first part is done.", "LOOP_DONE").done);
  EXPECT_FALSE(text_answer("Copied 3 files\nDone.\nNext: the tests.", "LOOP_DONE").done);
}

TEST(TextAnswer, WhatWasMeantAsDoneIsNamed) {
  EXPECT_EQ(done_not_taken("All is there.\nLOOP_DONE\nThanks for using me\n", "LOOP_DONE"),
            "LOOP_DONE");
  EXPECT_EQ(done_not_taken("All is there.\nDone.\n", "LOOP_DONE"), "Done.");
  EXPECT_EQ(done_not_taken("Done.\nNext: the tests.", "LOOP_DONE"), "");
  EXPECT_EQ(done_not_taken("", ""), "");
}

}  // namespace
}  // namespace ralph::loop
