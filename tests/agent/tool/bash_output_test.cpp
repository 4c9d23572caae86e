#include "agent/tool/bash_output.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "agent/tool/bash_harness.h"

namespace ralph::tool {
namespace {

TEST(BashOutput, BytesCountNotCharacters) {
  Session session;
  session.setup.variables = {"BASH_MAX_OUTPUT_LENGTH=10"};
  EXPECT_EQ(session.run("printf 'äääää'").content, "äääää");
  const auto answer = session.run("printf 'äääääb'");
  EXPECT_TRUE(answer.content.starts_with("<persisted-output>")) << answer.content;
  EXPECT_TRUE(answer.content.contains("ä\n...\n")) << answer.content;
}

TEST(BashOutput, LongOutputGoesToAFileAndItsEndsAreShown) {
  Session session;
  const auto answer = session.run("seq 1 150000");
  EXPECT_EQ(answer.is_error, false);
  const std::filesystem::path path = answer.detail["persistedOutputPath"].get<std::string>();
  EXPECT_EQ(path.parent_path(), session.setup.output_folder);
  EXPECT_EQ(answer.detail["persistedOutputSize"], 938895);
  const auto text = test::text_of(path);
  EXPECT_EQ(text.size(), 938895u);
  EXPECT_TRUE(text.starts_with("1\n2\n") && text.ends_with("\n149999\n150000\n"));
  EXPECT_EQ(test::mode_of(path), 0600u);
  EXPECT_EQ(test::mode_of(path.parent_path()), 0700u);
  const auto start =
      "<persisted-output>\nOutput too large (916.9KB). Full output saved to: " + path.string() +
      "\n\nPreview (first ";
  EXPECT_TRUE(answer.content.starts_with(start + "and last 1KB):\n1\n2\n")) << answer.content;
  EXPECT_TRUE(answer.content.contains("\n...\n149")) << "whole lines of both ends";
  EXPECT_TRUE(answer.content.ends_with("\n149999\n150000\n</persisted-output>"));
  const auto original = start + "2KB):\n" + text.substr(0, text.rfind('\n', 2000)) +
                        "\n...\n</persisted-output>";  // what Claude Code shows
  EXPECT_LE(answer.content.size(), original.size());
  EXPECT_GE(answer.content.size() + 100, original.size());
  EXPECT_EQ(answer.detail["stdout"].get<std::string>(), text.substr(0, 30000));
}

TEST(BashOutput, OutputAtTheLimitIsShownInFull) {
  Session session;
  const auto answer = session.run("head -c 30000 /dev/zero | tr '\\0' x");
  EXPECT_EQ(answer.content, std::string(30000, 'x'));
  EXPECT_FALSE(std::filesystem::exists(session.setup.output_folder));
  EXPECT_TRUE(
      session.run("head -c 30001 /dev/zero | tr '\\0' x").detail.contains("persistedOutputPath"));
}

TEST(BashOutput, AFailureShowsLessAndSavesEverything) {
  Session session;
  const auto shown = session.run("head -c 11000 /dev/zero | tr '\\0' x; exit 3");
  EXPECT_EQ(shown.content, "Exit code 3\n" + std::string(11'000, 'x'));
  const auto cut = session.run("head -c 11001 /dev/zero | tr '\\0' x; exit 3");
  EXPECT_LE(cut.content.size(), 10'039u);
  constexpr std::string_view kSaved = "Full output saved to: ";
  const auto at = cut.content.find(kSaved) + kSaved.size();
  const auto path = cut.content.substr(at, cut.content.find(']', at) - at);
  EXPECT_EQ(test::text_of(path), std::string(11'001, 'x'));
}

TEST(BashOutput, AFailureShowsBothEndsToo) {
  Session session;
  const auto answer = session.run("seq 1 150000; echo the reason; exit 9");
  EXPECT_EQ(answer.is_error, true);
  EXPECT_TRUE(answer.content.starts_with("Exit code 9\n1\n2\n"));
  EXPECT_TRUE(answer.content.ends_with("\n150000\nthe reason"));
  EXPECT_NE(answer.content.find("bytes left out. Full output saved to: " +
                                session.setup.output_folder.string()),
            std::string::npos);
  EXPECT_LE(answer.content.size(), 10'040u) << "as much as Claude Code shows of a failure";
}

TEST(BashOutput, WithoutADirectoryShowsBothEndsAndTheReason) {
  Session session;
  session.folder.write("out", "a file where the folder should be");
  const auto answer = session.run("seq 1 150000");
  EXPECT_NE(answer.content.find("could not be saved"), std::string::npos);
  EXPECT_TRUE(answer.content.ends_with("\n150000\n</persisted-output>"));
}

TEST(BashOutput, TenThousandTinyWritesKeepTheirOrder) {
  Session session;
  std::string expected;
  for (int i = 0; i < 5000; ++i) expected += std::to_string(i % 10) + (i % 10 == 9 ? "\n" : "");
  expected.pop_back();
  EXPECT_EQ(session
                .run("for ((i = 0; i < 5000; i++)); do printf $((i % 10)) >&$((i % 2 + 1)); "
                     "[ $((i % 10)) = 9 ] && echo; done; true")
                .content,
            expected);
}

TEST(BashOutput, TwoHundredMegabytesCostBoundedMemoryAndDisk) {
  Session session;
  session.run("true");
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  const auto answer = session.run("echo first; yes 123456789 | head -c 200000000; echo; echo last");
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 16 << 10);
  const std::filesystem::path path = answer.detail["persistedOutputPath"].get<std::string>();
  EXPECT_LE(std::filesystem::file_size(path), (std::uint64_t{64} << 20) + 100);
  EXPECT_EQ(std::filesystem::file_size(path), answer.detail["persistedOutputSize"]);
  EXPECT_NE(answer.content.find("bytes between them were dropped"), std::string::npos);
  EXPECT_TRUE(answer.content.ends_with("\nlast\n</persisted-output>"));
  const auto text = test::text_of(path);
  EXPECT_TRUE(text.starts_with("first\n123456789\n"));
  EXPECT_TRUE(text.ends_with("123456789\n\nlast\n"));
  const auto note = text.find("bytes dropped here");
  ASSERT_NE(note, std::string::npos);
  const auto number = text.rfind('[', note) + 1;
  const auto dropped = std::stoull(text.substr(number, note - number));
  const auto marker = fmt::format("\n\n... [{} bytes dropped here] ...\n\n", dropped);
  EXPECT_EQ(text.size() - marker.size() + dropped, 200000012u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path.parent_path()), {}), 1);
}

TEST(BashOutput, EndlessOutputEndsAtTheTimeout) {
  Session session;
  session.setup.background = false;
  const auto answer = session.call({{"command", "yes"}, {"timeout", 1000}});
  EXPECT_TRUE(answer.content.starts_with("Exit code 143\nCommand timed out after 1s\ny\ny\n"));
  EXPECT_TRUE(session.nothing_alive());
}

TEST(BashOutput, PiecesNeverChangeTheText) {
  const std::string bytes = "a\xe2\x82\xac\xff\xf0\x9f\x98\x80" + std::string(1, '\0') + "b\xc3\n";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    BashOutput output("/nonexistent/file", 100);
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      output.append(std::string_view(bytes).substr(at, piece));
    output.finish();
    EXPECT_EQ(output.whole(),
              "a\xe2\x82\xac\xef\xbf\xbd\xf0\x9f\x98\x80\xef\xbf\xbd"
              "b\xef\xbf\xbd");
    EXPECT_EQ(output.beginning(2), "a\xe2\x82\xac");
    EXPECT_EQ(output.end(5),
              "\xef\xbf\xbd"
              "b\xef\xbf\xbd");
  }
}

}  // namespace
}  // namespace ralph::tool
