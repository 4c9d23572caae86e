#include <array>

#include <fmt/core.h>

#include "bench/bench.h"
#include "core/json/writer.h"

namespace ralph::bench {
namespace {

constexpr std::string_view kSession = "00000000-0000-4000-8000-000000000001";

/// The same numbers in every run.
class Dice {
 public:
  std::size_t below(std::size_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>(state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_ = 42;
};

std::string prose(Dice& dice, std::size_t bytes) {
  constexpr std::array<std::string_view, 12> kPieces{
      "the build failed ",        "in module ",   "\n",
      "    return x;\n",          "\"quoted\" ",  "path/to/file.cpp:42 ",
      "for (auto& e : list) {\n", "\t",           "naïve café ",
      "expected 3, got 4 ",       "// comment\n", "0123456789 "};
  std::string text;
  while (text.size() < bytes) text += kPieces[dice.below(kPieces.size())];
  return text;
}

std::string json_text(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

std::string tail(std::size_t n) {
  return fmt::format(
      R"("parent_tool_use_id":null,"session_id":"{}","uuid":"00000000-0000-4000-8000-{:012}",)"
      R"("timestamp":"2026-01-01T00:00:00.001Z")",
      kSession, n);
}

std::string delta(std::size_t n) {
  return fmt::format(
      R"({{"type":"stream_event","event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta",)"
      R"("text":"a few more words of the answer, {:08}"}}}},{},"api_message_id":"msg_{:020}","note":"{}"}})"
      "\n",
      n, tail(n), n / 50, std::string(60, 'x'));
}

std::string assistant(std::size_t n, std::string_view block) {
  return fmt::format(
      R"({{"type":"assistant","message":{{"id":"msg_{}","type":"message","role":"assistant","model":"claude-opus-5-5",)"
      R"("content":[{}],"stop_reason":null,"stop_sequence":null,"usage":{{"input_tokens":10,)"
      R"("cache_creation_input_tokens":0,"cache_read_input_tokens":1000,"output_tokens":1}}}},{}}})"
      "\n",
      n, block, tail(n));
}

std::string tool_result(std::size_t n, std::string_view output) {
  const auto text = json_text(output);
  return fmt::format(
      R"({{"type":"user","message":{{"role":"user","content":[{{"tool_use_id":"toolu_{}","type":"tool_result",)"
      R"("content":{},"is_error":false}}]}},{},"tool_use_result":{{"stdout":{},"stderr":"","interrupted":false}}}})"
      "\n",
      n, text, tail(n), text);
}

}  // namespace

std::string small_lines(std::size_t bytes) {
  std::string out;
  for (std::size_t n = 0; out.size() < bytes; ++n) out += delta(n);
  return out;
}

std::string mixed_lines(std::size_t bytes) {
  constexpr std::array<std::size_t, 5> kSizes{50, 300, 1000, 5000, 20000};
  Dice dice;
  std::string out;
  for (std::size_t n = 0; out.size() < bytes; ++n) {
    for (std::size_t i = 0; i < 4; ++i) out += delta(4 * n + i);
    const auto text = json_text(prose(dice, kSizes[dice.below(3)]));
    out += assistant(n, fmt::format(R"({{"type":"text","text":{}}})", text));
    const auto content = json_text(prose(dice, kSizes[dice.below(4)]));
    out += assistant(n, fmt::format(R"({{"type":"tool_use","id":"toolu_{}","name":"Write","input":)"
                                    R"({{"file_path":"/src/a.cpp","content":{}}}}})",
                                    n, content));
    out += tool_result(n, prose(dice, kSizes[dice.below(5)]));
  }
  return out;
}

std::string megabyte_lines(std::size_t bytes) {
  Dice dice;
  std::string out;
  for (std::size_t n = 0; out.size() < bytes; ++n) out += tool_result(n, prose(dice, 480'000));
  return out;
}

}  // namespace ralph::bench
