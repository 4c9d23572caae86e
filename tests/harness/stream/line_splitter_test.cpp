#include "harness/stream/line_splitter.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ralph::stream {
namespace {

struct Split {
  std::vector<std::string> lines;
  std::int64_t overlong = 0, last_number = 0;
  bool operator==(const Split&) const = default;
};

Split split(std::vector<std::string_view> chunks, std::size_t max_line = 1 << 20) {
  LineSplitter splitter(max_line);
  Split result;
  for (const auto chunk : chunks) {
    splitter.feed(chunk);
    while (const auto line = splitter.next()) result.lines.emplace_back(*line);
  }
  if (const auto line = splitter.rest()) result.lines.emplace_back(*line);
  result.overlong = splitter.overlong();
  result.last_number = splitter.line_number();
  return result;
}

using Lines = std::vector<std::string>;

TEST(LineSplitter, CutsAtNewlinesOfBothKinds) {
  EXPECT_EQ(split({"a\nbb\r\n\nc\n"}).lines, (Lines{"a", "bb", "", "c"}));
}

TEST(LineSplitter, TakesALastLineWithoutNewline) {
  EXPECT_EQ(split({"a\nb"}).lines, (Lines{"a", "b"}));
  EXPECT_EQ(split({"a\nb\r"}).lines, (Lines{"a", "b"}));
  EXPECT_EQ(split({"a\n"}).lines, (Lines{"a"}));
  EXPECT_EQ(split({""}).lines, (Lines{}));
}

TEST(LineSplitter, StripsOneCarriageReturnOnly) {
  EXPECT_EQ(split({"a\r\r\nb\rc\n"}).lines, (Lines{"a\r", "b\rc"}));
}

TEST(LineSplitter, DropsTheCursorSequenceATerminalProgramLeaves) {
  EXPECT_EQ(split({"a\r\n\x1b[?25h"}).lines, (Lines{"a", ""}));
  EXPECT_EQ(split({"{}\x1b[?25h"}).lines, (Lines{"{}"}));
  EXPECT_EQ(split({"\x1b[?25h{}\r\n"}).lines, (Lines{"{}"}));
  EXPECT_EQ(split({"{}\r\x1b[?25h\n"}).lines, (Lines{"{}"}));
}

TEST(LineSplitter, PutsLinesAndCharactersSplitAcrossReadsTogether) {
  EXPECT_EQ(split({"sn\xc3", "\xa4", "ll\n\xe2\x82", "\xac\n"}).lines, (Lines{"snäll", "€"}));
}

TEST(LineSplitter, EveryCutGivesTheSameLines) {
  const std::string text = "one\r\n\ntwo \xe2\x82\xac\nthree\r\nlast\x1b[?25h";
  const auto whole = split({text});
  for (std::size_t a = 0; a <= text.size(); ++a) {
    for (std::size_t b = a; b <= text.size(); ++b) {
      const std::string_view view = text;
      EXPECT_EQ(split({view.substr(0, a), view.substr(a, b - a), view.substr(b)}), whole)
          << a << ' ' << b;
    }
  }
}

TEST(LineSplitter, SkipsAndCountsLinesOverTheLimit) {
  const auto result = split({"short\n", std::string(100, 'x') + "\n", "after\n"}, 10);
  EXPECT_EQ(result.lines, (Lines{"short", "after"}));
  EXPECT_EQ(result.overlong, 1);
  EXPECT_EQ(result.last_number, 3);
}

TEST(LineSplitter, ALineOfExactlyTheLimitIsKept) {
  EXPECT_EQ(split({std::string(10, 'x') + "\n"}, 10).lines, (Lines{std::string(10, 'x')}));
  EXPECT_EQ(split({std::string(11, 'x') + "\n"}, 10).overlong, 1);
}

TEST(LineSplitter, TheLimitIsTheSameForALineInPieces) {
  EXPECT_EQ(split({std::string(10, 'x'), "\n"}, 10).lines, (Lines{std::string(10, 'x')}));
  EXPECT_EQ(split({std::string(10, 'x'), "x", "\nnext\n"}, 10).lines, (Lines{"next"}));
}

TEST(LineSplitter, AnOverlongLineInPiecesIsCountedOnceAndNeverKept) {
  const std::string piece(1000, 'x');
  LineSplitter splitter(4096);
  for (int i = 0; i < 1000; ++i) {
    splitter.feed(piece);
    EXPECT_FALSE(splitter.next());
  }
  splitter.feed("\nnext\n");
  EXPECT_EQ(splitter.next(), "next");
  EXPECT_EQ(splitter.overlong(), 1);
  EXPECT_EQ(splitter.line_number(), 2);
}

TEST(LineSplitter, AnOverlongLastLineIsNotReturned) {
  const auto result = split({"a\n", std::string(50, 'x')}, 10);
  EXPECT_EQ(result.lines, (Lines{"a"}));
  EXPECT_EQ(result.overlong, 1);
}

TEST(LineSplitter, ZeroBytesAreOrdinaryBytes) {
  EXPECT_EQ(split({std::string_view("a\0b\n", 4)}).lines, (Lines{std::string("a\0b", 3)}));
}

TEST(LineSplitter, LargeLinesInSmallReads) {
  const std::string line(3 << 20, 'y');
  std::vector<std::string_view> chunks;
  for (std::size_t at = 0; at < line.size(); at += 4096) {
    chunks.push_back(std::string_view(line).substr(at, 4096));
  }
  chunks.push_back("\nsmall\n");
  EXPECT_EQ(split(chunks, 16 << 20).lines, (Lines{line, "small"}));
}

TEST(LineSplitter, CanBeMoved) {
  LineSplitter first(100);
  first.feed("ab");
  LineSplitter second = std::move(first);
  second.feed("c\n");
  EXPECT_EQ(second.next(), "abc");
}

}  // namespace
}  // namespace ralph::stream
