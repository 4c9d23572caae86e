#include "system/http/sse_decoder.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace ralph::http {
namespace {

using Events = std::vector<SseEvent>;

struct Decoded {
  Events events;
  Result<> result;
  std::size_t unfinished = 0;
  std::optional<Millis> retry;
};

Decoded decode(std::string_view bytes, std::size_t chunk = std::string_view::npos,
               SseLimits limits = {}) {
  Decoded decoded;
  SseDecoder decoder(
      [&](const SseEvent& event) -> Result<> {
        decoded.events.push_back(event);
        return {};
      },
      limits);
  for (std::size_t at = 0; at < bytes.size() && decoded.result;) {
    const auto piece = bytes.substr(at, chunk);
    decoded.result = decoder.feed(piece);
    at += piece.size();
  }
  decoded.unfinished = decoder.unfinished();
  decoded.retry = decoder.retry();
  return decoded;
}

SseEvent message(std::string data, std::string id = "") {
  return {"message", std::move(data), std::move(id)};
}

TEST(SseDecoder, AnEventOfTheMessagesApi) {
  const auto decoded = decode("event: ping\ndata: {\"type\": \"ping\"}\n\n");
  EXPECT_EQ(decoded.events, (Events{{"ping", R"({"type": "ping"})", ""}}));
  EXPECT_EQ(decoded.unfinished, 0u);
}

TEST(SseDecoder, LinesEndInThreeWays) {
  for (const std::string end : {"\n", "\r", "\r\n"}) {
    const auto text = "data: a" + end + "data: b" + end + end + "data: c" + end + end;
    for (const std::size_t chunk : {1, 2, 3, 100}) {
      EXPECT_EQ(decode(text, chunk).events, (Events{message("a\nb"), message("c")}));
    }
  }
}

TEST(SseDecoder, LineEndsMayBeMixed) {
  EXPECT_EQ(decode("data: a\r\r\ndata: b\n\rdata: c\r\n\r").events,
            (Events{message("a"), message("b"), message("c")}));
}

TEST(SseDecoder, AnEventEndsAtTheReturnWithoutWaitingForTheNewline) {
  Events events;
  SseDecoder decoder([&](const SseEvent& event) -> Result<> {
    events.push_back(event);
    return {};
  });
  ASSERT_TRUE(decoder.feed("data: a\r\n\r"));
  EXPECT_EQ(events.size(), 1u);
  ASSERT_TRUE(decoder.feed("\ndata: b\r\n\r\n"));
  EXPECT_EQ(events, (Events{message("a"), message("b")}));
}

TEST(SseDecoder, OneByteOrderMarkAtTheStart) {
  const std::string mark = "\xef\xbb\xbf";
  for (const std::size_t chunk : {1, 2, 100}) {
    EXPECT_EQ(decode(mark + "data: a\n\n", chunk).events, (Events{message("a")}));
    EXPECT_EQ(decode(mark + mark + "data: a\n\n", chunk).events, Events{});
    EXPECT_EQ(decode("data: a\n\n" + mark + "data: b\n\n", chunk).events, (Events{message("a")}));
  }
  EXPECT_EQ(decode("\xef\xbb"
                   "data: a\n\n")
                .events,
            Events{});
}

TEST(SseDecoder, OneSpaceAfterTheColonIsNotPartOfTheValue) {
  EXPECT_EQ(decode("data:a\ndata: b\ndata:  c\ndata:\td\ndata: \n\n").events,
            (Events{message("a\nb\n c\n\td\n")}));
}

TEST(SseDecoder, EmptyDataIsData) {
  EXPECT_EQ(decode("data\n\n").events, (Events{message("")}));
  EXPECT_EQ(decode("data:\n\n").events, (Events{message("")}));
  EXPECT_EQ(decode("data\ndata\n\n").events, (Events{message("\n")}));
}

TEST(SseDecoder, AnEventWithoutDataIsNone) {
  EXPECT_EQ(decode("event: x\nid: 1\n\n\n\ndata: a\n\n").events, (Events{message("a", "1")}));
}

TEST(SseDecoder, TheTypeIsForOneEventOnlyAndTheIdForAllThatFollow) {
  EXPECT_EQ(decode("event: a\nevent: x\nid: 7\ndata: 1\n\ndata: 2\n\nid\ndata: 3\n\n").events,
            (Events{{"x", "1", "7"}, {"message", "2", "7"}, {"message", "3", ""}}));
}

TEST(SseDecoder, AnIdWithAZeroByteIsIgnored) {
  EXPECT_EQ(decode(std::string_view("id: 1\nid: a\0b\ndata: x\n\n", 24)).events,
            (Events{message("x", "1")}));
}

TEST(SseDecoder, CommentsAndUnknownFieldsAreSkipped) {
  EXPECT_EQ(
      decode(": hello\n:\nfoo: bar\nDATA: no\n data: no\ndata : no\ndata: yes\nfoo\n\n").events,
      (Events{message("yes")}));
}

TEST(SseDecoder, RetryIsANumberOfMilliseconds) {
  EXPECT_EQ(decode("retry: 1500\n").retry, Millis{1500});
  EXPECT_EQ(
      decode("retry: 1500\nretry: 2x\nretry: -1\nretry:\nretry: 99999999999999999999\n").retry,
      Millis{1500});
  EXPECT_EQ(decode("data: a\n\n").retry, std::nullopt);
}

TEST(SseDecoder, BytesAreNotTouched) {
  const std::string odd("a\0b\xff\xed\xa0\xbd\x7f", 8);
  EXPECT_EQ(decode("data: " + odd + "\n\n").events, (Events{message(odd)}));
}

TEST(SseDecoder, WhatHasNoEmptyLineIsUnfinished) {
  EXPECT_EQ(decode("data: a\n\n").unfinished, 0u);
  EXPECT_EQ(decode("data: a\n\ndata: bc").unfinished, 8u);
  EXPECT_EQ(decode("data: a\n\ndata: bc\r\n", 1).unfinished, 8u);
  EXPECT_EQ(decode("event: x\ndata: bc\nda").unfinished, 18u);
  EXPECT_EQ(decode("data: a\n\n: comment\n: more").unfinished, 0u);
  EXPECT_EQ(decode("event: x\ndata: bc\n").events, Events{});
}

TEST(SseDecoder, ALineOverTheLimitIsAnErrorThatStays) {
  const SseLimits limits{.line = 10, .event = 100};
  for (const std::size_t chunk : {1, 4, 100}) {
    EXPECT_TRUE(decode("data: 1234\n\n", chunk, limits).result);
    const auto decoded = decode("data: a\n\ndata: 12345\n\n", chunk, limits);
    ASSERT_FALSE(decoded.result);
    EXPECT_EQ(decoded.result.error().code, Code::limit);
    EXPECT_EQ(decoded.events, (Events{message("a")}));
  }
  SseDecoder decoder([](const SseEvent&) { return Result<>{}; }, limits);
  EXPECT_FALSE(decoder.feed("12345678901"));
  EXPECT_FALSE(decoder.feed("\n"));
}

TEST(SseDecoder, AnEventOverTheLimitIsAnError) {
  const SseLimits limits{.line = 100, .event = 5};
  EXPECT_EQ(decode("data: 12\ndata: 45\n\n", 1, limits).events, (Events{message("12\n45")}));
  const auto decoded = decode("data: 12\ndata: 456\n\n", 1, limits);
  ASSERT_FALSE(decoded.result);
  EXPECT_EQ(decoded.result.error().code, Code::limit);
}

TEST(SseDecoder, ASinkThatRefusesEndsIt) {
  int calls = 0;
  SseDecoder decoder([&](const SseEvent&) -> Result<> {
    ++calls;
    return fail(Code::storage, "full");
  });
  EXPECT_EQ(decoder.feed("data: a\n\ndata: b\n\n").error().message, "full");
  EXPECT_FALSE(decoder.feed("data: c\n\n"));
  EXPECT_EQ(calls, 1);
}

/// Every way of writing a stream of these pieces, cut in two at every place and byte by byte.
TEST(SseDecoder, CuttingNeverChangesTheEvents) {
  const std::string text =
      "\xef\xbb\xbf"
      "event: a\r\ndata: 1\rdata\n\r\n: c\r\r\nid: \xc3\xa4\ndata:x\n\n\r\rretry: 5\r\n"
      "data: tail";
  const auto whole = decode(text);
  EXPECT_EQ(whole.events, (Events{{"a", "1\n", ""}, {"message", "x", "\xc3\xa4"}}));
  for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
    const auto cut = decode(text, chunk);
    EXPECT_EQ(cut.events, whole.events) << chunk;
    EXPECT_EQ(cut.unfinished, whole.unfinished) << chunk;
    EXPECT_EQ(cut.retry, whole.retry) << chunk;
  }
}

/// Quadratic work would take hours here.
TEST(SseDecoder, AHugeLineInSmallPieces) {
  constexpr std::size_t kSize = std::size_t{64} << 20;
  const std::string piece(4096, 'x');
  std::size_t seen = 0;
  SseDecoder decoder(
      [&](const SseEvent& event) -> Result<> {
        seen = event.data.size();
        return {};
      },
      {.line = kSize + 6, .event = kSize});
  ASSERT_TRUE(decoder.feed("data: "));
  for (std::size_t i = 0; i < kSize / piece.size(); ++i) ASSERT_TRUE(decoder.feed(piece));
  ASSERT_TRUE(decoder.feed("\n\n"));
  EXPECT_EQ(seen, kSize);
}

TEST(SseDecoder, ManySmallLinesInOnePiece) {
  for (const std::string end : {"\n", "\r"}) {
    std::string text;
    while (text.size() < (std::size_t{8} << 20)) text += "data: x" + end;
    EXPECT_EQ(decode(text + end).events.size(), 1u);
  }
}

}  // namespace
}  // namespace ralph::http
