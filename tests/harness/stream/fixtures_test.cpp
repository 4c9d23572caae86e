// Every recorded stream of the real Claude Code, through the whole decoder.
#include "support/fixtures.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "harness/stream/dialect.h"
#include "harness/stream/line_splitter.h"
#include "support/collect.h"

namespace ralph::stream {
namespace {

class CountPerLine final : public Handler {
 public:
  void on_any(const Event& event) override { ++events[event.line]; }
  void on(const Event&, const Unknown& unknown) override {
    unknown_types.insert(std::string(unknown.type));
  }
  std::map<std::int64_t, int> events;
  std::set<std::string> unknown_types;
};

TEST(ClaudeFixtures, AreThere) { EXPECT_GE(test::claude_fixtures().size(), 70u); }

TEST(ClaudeFixtures, NoLineIsLostAndEveryKnownTypeBecomesItsEvent) {
  for (const auto& path : test::claude_fixtures()) {
    const auto bytes = read_file(path).value();
    CountPerLine count;
    Decoder decoder(make_claude_dialect(), {&count}, "run");
    decoder.feed(bytes, 0);
    decoder.finish(0);
    EXPECT_EQ(decoder.skipped(), 0) << path;
    EXPECT_TRUE(count.unknown_types.empty()) << path << ": " << *count.unknown_types.begin();
    const auto newlines = std::ranges::count(bytes, '\n');
    EXPECT_EQ(static_cast<std::ptrdiff_t>(count.events.size()), newlines) << path;
  }
}

class RoundTrip final : public Handler {
 public:
  void on_any(const Event& event) override {
    const auto text = encode(event);
    const auto back = reader.decode(text);
    ASSERT_TRUE(back) << describe(back.error()) << text;
    EXPECT_EQ(*back, event) << text;
    EXPECT_EQ(encode(*back), text);
    ++events;
  }
  EventReader reader;
  int events = 0;
};

TEST(ClaudeFixtures, DecodeOfEncodeIsTheSameEvent) {
  RoundTrip round_trip;
  for (const auto& path : test::claude_fixtures()) {
    Decoder decoder(make_claude_dialect(), {&round_trip}, "run-1");
    decoder.feed(read_file(path).value(), 12);
    decoder.finish(34);
  }
  EXPECT_GT(round_trip.events, 500);
}

std::vector<std::string> lines_cut_at(std::string_view bytes, std::size_t cut) {
  LineSplitter splitter(1 << 26);
  std::vector<std::string> lines;
  for (const auto part : {bytes.substr(0, cut), bytes.substr(cut)}) {
    splitter.feed(part);
    while (const auto line = splitter.next()) lines.emplace_back(*line);
  }
  if (const auto line = splitter.rest()) lines.emplace_back(*line);
  return lines;
}

TEST(ClaudeFixtures, CuttingTheBytesAnywhereGivesTheSameLines) {
  for (const auto& path : test::claude_fixtures()) {
    const auto bytes = read_file(path).value();
    const auto whole = lines_cut_at(bytes, 0);
    for (std::size_t cut = 1; cut <= bytes.size(); ++cut) {
      ASSERT_EQ(lines_cut_at(bytes, cut), whole) << path << " at " << cut;
    }
  }
}

TEST(ClaudeFixtures, CuttingTheBytesAnywhereGivesTheSameEvents) {
  for (const auto& path : test::claude_fixtures()) {
    const auto bytes = read_file(path).value();
    const auto whole = test::claude_events(bytes);
    for (const std::size_t chunk : {1, 2, 3, 7, 61, 4096}) {
      ASSERT_EQ(test::claude_events(bytes, chunk), whole) << path << " in pieces of " << chunk;
    }
    if (bytes.size() > 4000) continue;
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
      test::Collector collector;
      Decoder decoder(make_claude_dialect(), {&collector}, "run");
      decoder.feed(std::string_view(bytes).substr(0, cut), 0);
      decoder.feed(std::string_view(bytes).substr(cut), 0);
      decoder.finish(0);
      ASSERT_EQ(collector.events, whole) << path << " at " << cut;
    }
  }
}

TEST(ClaudeFixtures, ATerminalCaptureGivesTheSameEventsAsThePipe) {
  auto bytes = test::fixture("claude/pty_streamjson.raw");
  const auto from_terminal = test::claude_events(bytes);
  std::string plain;
  for (const char c : bytes) {
    if (c != '\r') plain += c;
  }
  plain.erase(plain.find("\x1b[?25h"));
  EXPECT_EQ(from_terminal, test::claude_events(plain));
  EXPECT_GT(from_terminal.size(), 3u);
}

}  // namespace
}  // namespace ralph::stream
