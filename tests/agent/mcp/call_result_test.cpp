#include "agent/mcp/call_result.h"

#include "agent/mcp/harness.h"

namespace ralph::mcp {
namespace {

using json::Document;

/// The blocks that the model gets of so many ones like this.
Document shown(const Document& block, int count) {
  auto content = Document::array();
  for (int i = 0; i < count; ++i) content.push_back(block);
  Session session;
  const auto outcome = outcome_of({{"content", content}}, 25'000, session.workspace, {});
  return *json::parse(outcome.content);
}

TEST(McpCallResult, ManyShortTextsAreCut) {
  for (const auto* const text : {"", "a"}) {
    const auto blocks = shown({{"type", "text"}, {"text", text}}, 60'000);
    EXPECT_LT(blocks.size(), 4'000U);
    EXPECT_TRUE(json::text(blocks.back(), "text").contains("MAX_MCP_OUTPUT_TOKENS"));
  }
  EXPECT_EQ(shown({{"type", "text"}, {"text", ""}}, 100).size(), 100U);
}

TEST(McpCallResult, OnlySoManyPicturesAreShown) {
  constexpr auto kPixel =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+"
      "A8AAQUBAScY42YAAAAASUVORK5CYII=";
  const auto blocks = shown({{"type", "image"}, {"mimeType", "image/png"}, {"data", kPixel}}, 110);
  const auto pictures =
      std::ranges::count_if(blocks, [](const Document& block) { return block["type"] == "image"; });
  EXPECT_EQ(pictures, 100);
  EXPECT_EQ(json::text(blocks.back(), "text"), "[a picture beyond the first 100, not shown]");
}

}  // namespace
}  // namespace ralph::mcp
