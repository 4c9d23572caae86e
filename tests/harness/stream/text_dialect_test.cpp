#include <string>

#include <gtest/gtest.h>

#include "core/base/utf8.h"
#include "harness/stream/decoder.h"

namespace ralph::stream {
namespace {

/// What a text agent's output became.
class Seen final : public Handler {
 public:
  using Handler::on;
  void on(const Event& event, const Text& said) override {
    texts.emplace_back(said.text);
    lines.push_back(event.line);
    agent = event.agent;
  }
  void on(const Event& event, const TurnEnded& end) override {
    ++ends;
    text = end.text;
    turns = end.turns;
    is_error = end.is_error;
    end_line = event.line;
  }
  std::vector<std::string> texts;
  std::vector<std::int64_t> lines;
  std::string agent, text;
  std::int64_t turns = 0, end_line = 0;
  int ends = 0;
  bool is_error = false;
};

struct Read {
  Seen seen;
  Decoder decoder{make_text_dialect("custom", "mytool"), {&seen}, "run"};

  explicit Read(std::string_view bytes, std::optional<int> exit_code = 0) {
    decoder.feed(bytes, 0);
    decoder.finish(0, exit_code);
  }
};

using Words = std::vector<std::string>;

TEST(TextDialect, EachLineIsAText) {
  const Read read("one\ntwo\r\nthree");
  EXPECT_EQ(read.seen.texts, (Words{"one", "two", "three"}));
  EXPECT_EQ(read.seen.lines, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(read.seen.agent, "custom");
  EXPECT_EQ(read.decoder.dialect().display_name(), "mytool");
}

TEST(TextDialect, ExitCodeZeroEndsItsOneTurn) {
  const Read read("one\n\n \ntwo\n", 0);
  EXPECT_EQ(read.seen.ends, 1);
  EXPECT_EQ(read.seen.text, "one\n\n \ntwo");
  EXPECT_EQ(read.seen.turns, 1);
  EXPECT_FALSE(read.seen.is_error);
  EXPECT_EQ(read.seen.end_line, -1);
}

TEST(TextDialect, BlankLinesGiveNoEvent) {
  EXPECT_EQ(Read("one\n\n \t\ntwo\n").seen.texts, (Words{"one", "two"}));
}

TEST(TextDialect, AnyOtherEndIsNoEndOfATurn) {
  EXPECT_EQ(Read("one\n", 1).seen.ends, 0);
  EXPECT_EQ(Read("one\n", std::nullopt).seen.ends, 0);
}

TEST(TextDialect, ASilentProgramStillEndsItsTurn) {
  const Read read("", 0);
  EXPECT_EQ(read.seen.ends, 1);
  EXPECT_EQ(read.seen.text, "");
}

TEST(TextDialect, NothingIsMalformed) {
  const Read read("{\"broken\": \n\xff\xfe\n\x1b[31mred\x1b[0m\n");
  EXPECT_EQ(read.decoder.malformed(), 0);
  EXPECT_EQ(read.seen.texts.size(), 3u);
  EXPECT_TRUE(utf8::valid(read.seen.text));
}

TEST(TextDialect, KeepsTheEndOfALongText) {
  std::string bytes;
  for (int i = 0; bytes.size() < 6 * kKeptText; ++i) {
    bytes += "ä" + std::to_string(i) + (i % 1000 == 0 ? "\n" : " ");
  }
  bytes += "last\n";
  const Read read(bytes);
  EXPECT_LE(read.seen.text.size(), kKeptText);
  EXPECT_GT(read.seen.text.size(), kKeptText - 4);
  EXPECT_TRUE(utf8::valid(read.seen.text));
  EXPECT_EQ(bytes.substr(bytes.size() - 1 - read.seen.text.size(), read.seen.text.size()),
            read.seen.text);
}

TEST(TextDialect, KeepsTheEndOfOneLongLine) {
  const Read read("a" + std::string(3 * kKeptText, 'b') + "c\n");
  EXPECT_EQ(read.seen.text, std::string(kKeptText - 1, 'b') + "c");
}

TEST(Decoder, AClaudeStreamEndsWithoutAnEndOfOurs) {
  Seen seen;
  Decoder decoder(make_claude_dialect("mytool"), {&seen}, "run");
  decoder.feed("{\"type\":\"system\"}\n", 0);
  decoder.finish(0, 0);
  EXPECT_EQ(seen.ends, 0);
  EXPECT_EQ(decoder.dialect().display_name(), "mytool");
}

}  // namespace
}  // namespace ralph::stream
