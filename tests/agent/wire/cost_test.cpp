#include <fmt/core.h>

#include "agent/wire/harness.h"
#include "mock/prompt_cache.h"

namespace ralph::wire {
namespace {

/// What the requests of a session would be charged; `make conformance` compares it with Claude Code's.
struct Bill {
  std::vector<model::Tokens> requests;
  model::Tokens sum;

  explicit Bill(const std::vector<Document>& bodies) {
    mock::PromptCache cache([] { return UtcTime{}; });
    for (const auto& body : bodies) {
      requests.push_back(cache.charge(body));
      const auto& last = requests.back();
      sum.input += last.input;
      sum.cache_read += last.cache_read;
      sum.cache_write_5m += last.cache_write_5m;
      sum.cache_write_1h += last.cache_write_1h;
    }
  }
  static std::int64_t written(const model::Tokens& tokens) {
    return tokens.cache_write_5m + tokens.cache_write_1h;
  }
  /// Each request reads all that was in the cache after the one before it.
  void expect_no_prefix_written_twice() const {
    for (std::size_t i = 1; i < requests.size(); ++i) {
      EXPECT_EQ(requests[i].cache_read, requests[i - 1].cache_read + written(requests[i - 1]))
          << "request " << i + 1;
      EXPECT_EQ(requests[i].input, 0) << "request " << i + 1;
    }
  }
};

std::string call(std::string_view command) {
  return fmt::format(R"({{"tool_use":{{"name":"Bash","input":{{"command":"{}"}}}}}})", command);
}

std::string small_turns(int from, int to) {
  std::string steps;
  for (int i = from; i < to; ++i) steps += call(fmt::format("echo {}", i)) + ",";
  return steps;
}

std::string scenario(const std::string& steps) { return R"({"steps":[)" + steps + "]}"; }

constexpr std::string_view kDone = R"({"text":"Done."})";
const std::vector<std::string> kAllowed{"--dangerously-skip-permissions"};

TEST(Cost, SmallTurnsReadWhatTheyHaveSent) {
  Bench bench(scenario(small_turns(0, 20) + std::string(kDone)));
  const auto ran = bench.ask("Count", kAllowed);
  ASSERT_EQ(ran.requests.size(), 21U) << ran.err;
  const Bill bill(ran.requests);
  bill.expect_no_prefix_written_twice();
  EXPECT_LT(Bill::written(bill.sum), 4'000) << "prompt, tools and twenty small turns";
  EXPECT_GT(bill.sum.cache_read, 10 * Bill::written(bill.sum));
}

TEST(Cost, ManyParallelCallsStayWithinReachOfTheCache) {
  std::string many;
  for (int i = 0; i < 60; ++i) many += (i > 0 ? "," : "") + call(fmt::format("echo {}", i));
  many = R"({"content":[)" + many + "]},";
  Bench bench(scenario(small_turns(0, 2) + many + small_turns(2, 4) + many + std::string(kDone)));
  const auto ran = bench.ask("Do many things at once", kAllowed);
  ASSERT_EQ(ran.requests.size(), 7U) << ran.err;
  Bill(ran.requests).expect_no_prefix_written_twice();
}

TEST(Cost, AResumedSessionReadsWhatTheFirstRunWrote) {
  const auto part = small_turns(0, 3) + std::string(kDone) + ",";
  Bench bench(scenario(part + part + std::string(kDone)));
  bench.ask("First", kAllowed);
  const auto ran = bench.ask("Second", {"--continue", "--dangerously-skip-permissions"});
  ASSERT_EQ(ran.requests.size(), 8U) << ran.err;
  Bill(ran.requests).expect_no_prefix_written_twice();
}

TEST(Cost, CorrectionsWithTheWorkersToolsForAnHour) {
  const auto answer =
      std::string(R"({"tool_use":{"name":"StructuredOutput","input":{"summary":"Done"}}},)");
  Bench bench(
      scenario(small_turns(0, 3) + answer + small_turns(3, 6) + answer + std::string(kDone)));
  bench.set("ENABLE_PROMPT_CACHING_1H=1");
  bench.say("The task");
  bench.when("\"type\":\"result\"", [](Bench& it) {
    it.say("A correction");
    it.hang_up();
  });
  const auto ran =
      bench.converse({"--dangerously-skip-permissions", "--tools",
                      "Read,Write,Edit,Glob,Grep,Bash,Skill,StructuredOutput", "--json-schema",
                      R"({"type":"object","properties":{"summary":{"type":"string"}}})"});
  ASSERT_GE(ran.requests.size(), 8U) << ran.err;
  const Bill bill(ran.requests);
  bill.expect_no_prefix_written_twice();
  EXPECT_EQ(bill.sum.cache_write_5m, 0);
  EXPECT_GT(bill.sum.cache_write_1h, 0);
}

TEST(Cost, ASummaryIsAskedForWithThePrefixThatIsInTheCache) {
  Bench bench(R"({"steps":[
    {"tool_use":{"name":"Bash","input":{"command":"seq 2000"}},"usage":{"input_tokens":100,"output_tokens":5}},
    {"tool_use":{"name":"Bash","input":{"command":"echo one"}},"usage":{"input_tokens":985000,"output_tokens":5}},
    {"text":"<summary>It was one.</summary>","usage":{"input_tokens":40,"output_tokens":6}},
    {"text":"Done.","usage":{"input_tokens":30,"output_tokens":5}}]})");
  const auto ran = bench.ask("Say one", kAllowed);
  ASSERT_EQ(ran.requests.size(), 4U) << ran.err;
  const auto requests = Bill({ran.requests.begin(), ran.requests.begin() + 3}).requests;
  EXPECT_EQ(requests[2].cache_read, requests[1].cache_read + Bill::written(requests[1]));
  EXPECT_EQ(Bill::written(requests[2]), 0) << "nothing goes on from it";
}

}  // namespace
}  // namespace ralph::wire
