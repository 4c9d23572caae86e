#include "mock/prompt_cache.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ralph::mock {
namespace {

using json::Document;
using std::chrono::minutes;

const Document kMark{{"type", "ephemeral"}};
const Document kHourMark{{"type", "ephemeral"}, {"ttl", "1h"}};
constexpr std::size_t kLong = 8000;  // bytes, above every minimum but those of 4096 tokens

Document text_block(const std::string& text) { return {{"type", "text"}, {"text", text}}; }
Document marked(Document block, const Document& mark = kMark) {
  block["cache_control"] = mark;
  return block;
}
Document user(Document content) { return {{"role", "user"}, {"content", std::move(content)}}; }

/// Tools and system of about 2,000 tokens each.
Document request_with(Document messages) {
  return {{"model", "claude-sonnet-5-5"},
          {"tools", {{{"name", "Bash"}, {"description", std::string(kLong, 't')}}}},
          {"system", Document::array({marked(text_block(std::string(kLong, 's')))})},
          {"messages", std::move(messages)}};
}

class Cache : public testing::Test {
 protected:
  model::Tokens charge(const Document& request) { return cache_.charge(request); }

  UtcTime now_{};
  PromptCache cache_{[this] { return now_; }};
};

TEST_F(Cache, TheFirstRequestWritesAndTheNextReads) {
  const auto request = request_with(Document::array({user("hi")}));
  const auto first = charge(request);
  EXPECT_EQ(first.cache_read, 0);
  EXPECT_GT(first.cache_write_5m, 4000);
  EXPECT_EQ(first.cache_write_1h, 0);
  EXPECT_GT(first.input, 0);
  const auto second = charge(request);
  EXPECT_EQ(second.cache_read, first.cache_write_5m);
  EXPECT_EQ(second.cache_write_5m, 0);
  EXPECT_EQ(second.input, first.input);
}

TEST_F(Cache, AGrowingConversationWritesOnlyWhatIsNew) {
  auto messages = Document::array({user(Document::array({marked(text_block("one"))}))});
  const auto first = charge(request_with(messages));
  messages[0]["content"][0].erase("cache_control");  // the mark moves on
  messages.push_back({{"role", "assistant"}, {"content", "two"}});
  messages.push_back(user(Document::array({marked(text_block("three"))})));
  const auto second = charge(request_with(messages));
  EXPECT_EQ(second.cache_read, first.cache_write_5m);
  EXPECT_GT(second.cache_write_5m, 0);
  EXPECT_LT(second.cache_write_5m, 100);
  EXPECT_EQ(second.input, 0);
}

TEST_F(Cache, ATextIsTheSameAsABlockWithIt) {
  const Document result{{"type", "tool_result"}, {"content", "found"}};
  const Document blocks{{"type", "tool_result"},
                        {"content", Document::array({text_block("found")})}};
  const auto written = charge(request_with(Document::array(
      {user(Document::array({text_block("hi")})), user(Document::array({marked(result)}))})));
  const auto read =
      charge(request_with(Document::array({user("hi"), user(Document::array({marked(blocks)}))})));
  EXPECT_EQ(read.cache_read, written.cache_write_5m);
  EXPECT_EQ(read.cache_write_5m, 0);
}

TEST_F(Cache, APictureIsNotCountedByItsBytes) {
  const Document picture{{"type", "image"}, {"source", {{"data", std::string(1'000'000, 'A')}}}};
  const auto without = charge(request_with(Document::array({user("hi")})));
  const auto with = charge(request_with(Document::array({user(Document::array({picture}))})));
  EXPECT_NEAR(static_cast<double>(with.input - without.input), 1'600, 20);
  const Document result{{"type", "tool_result"}, {"content", Document::array({picture, picture})}};
  const auto two = charge(request_with(Document::array({user(Document::array({result}))})));
  EXPECT_NEAR(static_cast<double>(two.input - without.input), 3'200, 40);
}

TEST_F(Cache, LooksAtTwentyPositionsOfAMark) {
  const auto conversation = [](std::size_t blocks_behind) {
    auto content = Document::array({text_block("start")});
    for (std::size_t n = 0; n < blocks_behind; ++n) {
      content.push_back(text_block(fmt::format("block {}", n)));
    }
    content.back() = marked(content.back());
    return request_with(Document::array({user(std::move(content))}));
  };
  const auto written = charge(conversation(0)).cache_write_5m;
  EXPECT_EQ(charge(conversation(19)).cache_read, written);
  PromptCache other([this] { return now_; });
  other.charge(conversation(0));
  const auto far = other.charge(conversation(20));
  EXPECT_LT(far.cache_read, written) << "only the system's mark is left";
  EXPECT_GT(far.cache_read, 0);
}

TEST_F(Cache, ForgetsAfterFiveMinutesWithoutUse) {
  const auto request = request_with(Document::array({user("hi")}));
  charge(request);
  now_ += minutes(4);
  EXPECT_GT(charge(request).cache_read, 0);
  now_ += minutes(4);
  EXPECT_GT(charge(request).cache_read, 0) << "the last use counts";
  now_ += minutes(5);
  EXPECT_EQ(charge(request).cache_read, 0);
}

TEST_F(Cache, AMarkOfAnHourLivesAnHourAndIsCountedApart) {
  auto request = request_with(Document::array({user(Document::array({marked(text_block("x"))}))}));
  request["system"][0]["cache_control"] = kHourMark;
  const auto first = charge(request);
  EXPECT_GT(first.cache_write_1h, 4000);
  EXPECT_GT(first.cache_write_5m, 0);
  EXPECT_LT(first.cache_write_5m, 100);
  now_ += minutes(59);
  const auto second = charge(request);
  EXPECT_EQ(second.cache_read, first.cache_write_1h);
  EXPECT_EQ(second.cache_write_5m, first.cache_write_5m);
}

TEST_F(Cache, NothingShorterThanTheModelsMinimumIsCached) {
  auto request = request_with(Document::array({user("hi")}));
  request["model"] = "claude-haiku-5-5";  // 4096
  request.erase("tools");
  const auto tokens = charge(request);
  EXPECT_EQ(tokens.cache_write_5m, 0);
  EXPECT_GT(tokens.input, 1500);
  EXPECT_EQ(charge(request).cache_read, 0);
}

TEST_F(Cache, AChangeInTheMiddleLosesWhatFollows) {
  const auto request = request_with(Document::array({user("hi")}));
  charge(request);
  auto other_tool = request, other_model = request, other_thinking = request;
  other_tool["tools"][0]["name"] = "Read";
  EXPECT_EQ(charge(other_tool).cache_read, 0);
  other_model["model"] = "claude-sonnet-5";
  EXPECT_EQ(charge(other_model).cache_read, 0);
  other_thinking["thinking"] = {{"type", "adaptive"}};
  EXPECT_GT(charge(other_thinking).cache_read, 0) << "tools and system stay";
}

TEST_F(Cache, AMarkInsideAToolResultCountsForTheResult) {
  Document result{{"type", "tool_result"},
                  {"tool_use_id", "t"},
                  {"content", Document::array({marked(text_block(std::string(kLong, 'r')))})}};
  auto request = request_with(Document::array({user(Document::array({result}))}));
  request["system"][0].erase("cache_control");
  EXPECT_GT(charge(request).cache_write_5m, 6000);
  EXPECT_EQ(cache_marks(request), 1u);
}

TEST_F(Cache, AMarkOfTheRequestIsThatOfItsLastBlock) {
  auto request = request_with(Document::array({user("hi")}));
  request["system"][0].erase("cache_control");
  request["cache_control"] = kMark;
  const auto tokens = charge(request);
  EXPECT_EQ(tokens.input, 0);
  EXPECT_GT(tokens.cache_write_5m, 4000);
}

TEST_F(Cache, OddRequestsAreCounted) {
  for (const auto* const text :
       {"{}", "[]", "null", R"({"messages":[1,"x",null,{"content":{}}],"system":7,"tools":{}})",
        R"({"cache_control":{"type":"ephemeral"}})"}) {
    const auto request = json::parse(text).value();
    EXPECT_GE(charge(request).input, 0) << text;
    EXPECT_LE(cache_marks(request), 1u) << text;
  }
}

}  // namespace
}  // namespace ralph::mock
