#include "agent/web/html_text.h"

#include <gtest/gtest.h>

namespace ralph::web {
namespace {

TEST(HtmlText, ShowsTheStructureOfAPage) {
  EXPECT_EQ(html_text("<!DOCTYPE html><html><head><title>My page</title><style>p{}</style></head>"
                      "<body><h1> Head </h1>\n<p>One\n  <b>bold</b> word.<p>Two<br>lines</body>"),
            "My page\n\n# Head\n\nOne bold word.\n\nTwo\nlines");
}

TEST(HtmlText, ShowsListsAndTables) {
  EXPECT_EQ(html_text("<ul><li>one<li><p>two</p><ol><li>a</li><li>b</li></ol></li></ul><p>end"),
            "- one\n- two\n\n  1. a\n  2. b\n\nend");
  EXPECT_EQ(html_text("<table><tr><th>a</th><th> b </th></tr><tr><td></td><td>2</td></tr></table>"),
            "a | b\n| 2");
}

TEST(HtmlText, ShowsLinksAndImages) {
  EXPECT_EQ(html_text(R"(See <a class="x" href="/a?b=1&amp;c=2"> this <i>page</i> </a>, ok)"),
            "See [this page](/a?b=1&c=2), ok");
  EXPECT_EQ(html_text("<a href='#top'>up</a> <a href='javascript:x()'>js</a> <a name=n>n</a>"),
            "up js n");
  EXPECT_EQ(html_text("<a href=x></a>a<a href=y>b<a href=z>c"), "a[b](y)[c](z)");
  EXPECT_EQ(html_text("<img src=x alt='A cat'><img src=y>"), "[image: A cat]");
}

TEST(HtmlText, KeepsCodeAsItIs) {
  EXPECT_EQ(html_text("<p>Run <code>a  b</code>:<pre>x &lt;\n  <span>y</span>\n</pre>done"),
            "Run `a b`:\n\n```\nx <\n  y\n```\n\ndone");
}

TEST(HtmlText, LeavesOutWhatIsNotShown) {
  EXPECT_EQ(html_text("a<script>if (a<b) '</p>'</SCRIPT >b<!-- <p>c -->d<svg><text>e</text></svg>f"
                      "<noscript>g</noscript>"),
            "abdf");
  EXPECT_EQ(html_text("a<script>never closed"), "a");
  EXPECT_EQ(html_text("a<!-- never closed"), "a");
}

TEST(HtmlText, TakesBrokenMarkup) {
  EXPECT_EQ(html_text("1 < 2 && 3 > 2 <3"), "1 < 2 && 3 > 2 <3");
  EXPECT_EQ(html_text("<p title='a>b'>x</p"), "x");
  EXPECT_EQ(html_text("<p title='a>b"), "b");
  EXPECT_EQ(html_text("</ul></pre></a>x</"), "x</");
  EXPECT_EQ(html_text("<"), "<");
  EXPECT_EQ(html_text(""), "");
}

TEST(HtmlText, IsLinear) {
  for (const std::string_view piece : {"<a \"", "<a '\"", "</", "<!-", "&", "<pre>", "<ul><li>",
                                       "<a href=x>", "<script></", "<p a=b"}) {
    std::string page;
    while (page.size() < (2U << 20)) page += piece;
    EXPECT_LE(html_text(page).size(), 20 * page.size()) << piece;
  }
}

TEST(References, BecomeCharacters) {
  EXPECT_EQ(decode_references("&lt;b&gt; &amp;amp; &#233;&#xE9; &rarr; &nbsp;."),
            "<b> &amp; \u00e9\u00e9 \u2192  .");
  EXPECT_EQ(decode_references("&unknown; &; &# &#x; &#xZ; AT&T &#0;&#xD800;&#99999999;&amp"),
            "&unknown; &; &# &#x; &#xZ; AT&T \uFFFD\uFFFD&#99999999;&amp");
}

}  // namespace
}  // namespace ralph::web
