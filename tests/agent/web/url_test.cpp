#include "agent/web/url.h"

#include <gtest/gtest.h>

namespace ralph::web {
namespace {

std::string normal(std::string_view text) {
  const auto url = parse_url(text);
  return url ? url->text() : "refused: " + url.error().message;
}

TEST(Url, HasOneForm) {
  EXPECT_EQ(normal("https://Example.ORG"), "https://example.org/");
  EXPECT_EQ(normal(" HTTP://example.org.:80/a/b?q=1#part "), "http://example.org/a/b?q=1");
  EXPECT_EQ(normal("https://example.org:443?q"), "https://example.org/?q");
  EXPECT_EQ(normal("https://example.org:8443/"), "https://example.org:8443/");
  EXPECT_EQ(normal("https://[2606:4700::1]:1/x"), "https://[2606:4700::1]:1/x");
  EXPECT_EQ(normal("https://example.org/a b\u00e9\"<>"),
            "https://example.org/a%20b%C3%A9%22%3C%3E");
}

TEST(Url, IsRefusedIfItsHostCouldBeMisread) {
  for (const std::string_view text :
       {"example.org", "ftp://example.org/", "https://", "https:///x", "https://a@example.org/",
        "https://example.org\\@other/", "https://ex%61mple.org/", "https://exa mple.org/",
        "https://m\u00fcller.de/", "https://example.org:x/", "https://example.org:123456/",
        "https://[::1/", "https://[x]/", "https://exam\nple.org/", "file:///etc/passwd",
        "javascript://example.org/", "https://a,b/"}) {
    EXPECT_TRUE(normal(text).starts_with("refused: invalid URL: ")) << text << " " << normal(text);
  }
  EXPECT_TRUE(normal("https://a.b/" + std::string(2000, 'x')).contains("over 2000"));
}

TEST(Url, ARedirectLeadsSomewhere) {
  const auto base = parse_url("https://example.org/a/b?q=1").value();
  const auto to = [&](std::string_view location) {
    const auto url = resolve(base, location);
    return url ? url->text() : "refused";
  };
  EXPECT_EQ(to("/x"), "https://example.org/x");
  EXPECT_EQ(to("x?y"), "https://example.org/a/x?y");
  EXPECT_EQ(to("?y"), "https://example.org/a/b?y");
  EXPECT_EQ(to("//other.org/x"), "https://other.org/x");
  EXPECT_EQ(to("http://other.org"), "http://other.org/");
  EXPECT_EQ(to("x?u=http://y"), "https://example.org/a/x?u=http://y");
  EXPECT_EQ(to(""), "refused");
  EXPECT_EQ(to("file:///etc/passwd"), "refused");
  EXPECT_EQ(to("https://u:p@example.org/"), "refused");
}

TEST(Url, WwwIsTheSameSite) {
  const auto same = [](std::string_view a, std::string_view b) {
    return is_same_site(parse_url(a).value(), parse_url(b).value());
  };
  EXPECT_TRUE(same("https://example.org/a", "https://www.example.org/b"));
  EXPECT_TRUE(same("https://www.example.org/", "https://example.org/"));
  EXPECT_FALSE(same("https://example.org/", "http://example.org/"));
  EXPECT_FALSE(same("https://example.org/", "https://example.org:8443/"));
  EXPECT_FALSE(same("https://example.org/", "https://api.example.org/"));
}

}  // namespace
}  // namespace ralph::web
