#include "agent/web/web_search.h"

#include "agent/web/harness.h"

namespace ralph::web {
namespace {

api::Block other_block(const Document& json) {
  api::Block block;
  block.type = api::BlockType::other;
  block.json = json::write(json);
  return block;
}

class Search {
 public:
  explicit Search(std::vector<api::Block> blocks) {
    oracle.answer.reply = session::reply_of(std::move(blocks));
    oracle.answer.reply.usage.web_search_requests = 2;
  }
  tool::Called call(Document input) { return desk_.call(tool_, input); }

  Oracle oracle;

 private:
  tool::Desk desk_;
  WebSearch tool_{oracle.model()};
};

TEST(WebSearch, ShowsTextsAndLinksInOrder) {
  const Document page{{"type", "web_search_result"},
                      {"url", "https://a.org/"},
                      {"title", "A\nB"},
                      {"encrypted_content", "xyz"}};
  Search search({session::text_block("I search."),
                 other_block({{"type", "server_tool_use"}, {"id", "s1"}, {"name", "web_search"}}),
                 other_block({{"type", "web_search_tool_result"},
                              {"tool_use_id", "s1"},
                              {"content", Document::array({page})}}),
                 session::text_block("Found"), session::text_block(" one.")});
  const auto called = search.call({{"query", "ralph"}, {"allowed_domains", {"a.org"}}});
  EXPECT_TRUE(
      called.text().starts_with("Web search results for query: \"ralph\"\n\nI search.\n\n"
                                "Links: [{\"title\":\"A B\",\"url\":\"https://a.org/\"}]\n\n"
                                "Found one.\n\n"))
      << called.text();
  const Document link{{"title", "A B"}, {"url", "https://a.org/"}};
  EXPECT_EQ(called.detail["results"],
            Document({"I search.",
                      {{"tool_use_id", "s1"}, {"content", Document::array({link})}},
                      "Found one."}));
  EXPECT_EQ(called.detail["query"], "ralph");
  EXPECT_EQ(called.detail["searchCount"], 2);
  const auto request = search.oracle.request();
  EXPECT_EQ(request["tools"], Document::array({{{"type", "web_search_20250305"},
                                                {"name", "web_search"},
                                                {"allowed_domains", {"a.org"}},
                                                {"max_uses", 8}}}));
  EXPECT_TRUE(search.oracle.prompt().ends_with("ralph"));
}

TEST(WebSearch, SearchesArePaidFor) {
  Search search({session::text_block("x")});
  search.call({{"query", "ralph"}});
  EXPECT_GT(search.oracle.ledger.cost_usd(), 0.02);
  EXPECT_LT(search.oracle.ledger.cost_usd(), 0.021);
}

TEST(WebSearch, ReportsFailures) {
  Search failed({other_block(
      {{"type", "web_search_tool_result"},
       {"tool_use_id", "s1"},
       {"content",
        {{"type", "web_search_tool_result_error"}, {"error_code", "max_uses_exceeded"}}}})});
  EXPECT_TRUE(
      failed.call({{"query", "ralph"}}).text().contains("The search failed: max_uses_exceeded"));
  Search empty({});
  EXPECT_TRUE(empty.call({{"query", "ralph"}}).text().contains("Nothing was found."));
  EXPECT_TRUE(empty.call({{"query", "x y"}, {"allowed_domains", {"a"}}, {"blocked_domains", {"b"}}})
                  .failed);
  empty.oracle.answer.failure =
      api::Failure{.type = {}, .message = "web_search is not supported", .request_id = {}};
  EXPECT_TRUE(empty.call({{"query", "ralph"}}).error().contains("web_search is not supported"));
}

}  // namespace
}  // namespace ralph::web
