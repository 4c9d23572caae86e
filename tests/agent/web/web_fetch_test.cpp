#include "agent/web/web_fetch.h"

#include <atomic>

#include "agent/permission/decide.h"
#include "agent/web/harness.h"

namespace ralph::web {
namespace {

using permission::Mode;

/// A site, and the tool that reads it.
class Site {
 public:
  explicit Site(http::Handler handler, FetchLimits limits = {.local = true})
      : server_(http::Server::start({},
                                    [this, handler = std::move(handler)](
                                        const http::Request& request, http::Exchange& exchange) {
                                      ++requests;
                                      handler(request, exchange);
                                    })
                    .value()),
        tool_(oracle.model(), limits) {}
  explicit Site(std::string body, std::string type = "text/html",
                FetchLimits limits = {.local = true})
      : Site(
            [=](const http::Request&, http::Exchange& exchange) {
              exchange.respond({200, {{"content-type", type}}, body});
            },
            limits) {}

  std::string url(std::string_view path = "/page") const {
    return server_->url() + std::string(path);
  }
  std::uint16_t port() const { return server_->port(); }
  tool::Called fetch(Document more = Document::object()) {
    Document input{{"url", url()}, {"prompt", "What?"}};
    input.update(more);
    return desk.call(tool_, input);
  }

  Oracle oracle;
  tool::Desk desk;
  std::atomic<int> requests = 0;

 private:
  std::unique_ptr<http::Server> server_;
  WebFetch tool_;
};

http::Handler redirect_to(std::string location) {
  return [=](const http::Request& request, http::Exchange& exchange) {
    if (request.path == "/end") {
      exchange.respond({200, {{"content-type", "text/plain"}}, "the end"});
    } else {
      exchange.respond({302, {{"location", location}}, ""});
    }
  };
}

TEST(WebFetch, AModelAnswersFromTheTextOfThePage) {
  Site site("<h1>Head</h1><script>evil()</script><p>Text");
  const auto called = site.fetch();
  EXPECT_EQ(called.text(), "The answer.");
  EXPECT_EQ(called.detail["code"], 200);
  EXPECT_EQ(called.detail["codeText"], "OK");
  EXPECT_EQ(called.detail["bytes"], 43);
  EXPECT_EQ(called.detail["url"], site.url());
  EXPECT_EQ(called.detail["result"], "The answer.");
  const auto prompt = site.oracle.prompt();
  EXPECT_TRUE(prompt.contains("\n# Head\n\nText\n")) << prompt;
  EXPECT_TRUE(prompt.ends_with("What?")) << prompt;
  const auto request = site.oracle.request();
  EXPECT_EQ(request["model"], site.oracle.choice.id());
  EXPECT_FALSE(request.contains("tools"));
  EXPECT_FALSE(request.contains("thinking"));
  EXPECT_GT(site.oracle.ledger.cost_usd(), 0);
}

TEST(WebFetch, OtherTextsAreReadAsTheyAre) {
  for (const auto* const type : {"application/json", "text/markdown; charset=utf-8", ""}) {
    Site site("{\"a\": \"<b>\"}", type);
    site.fetch();
    EXPECT_TRUE(site.oracle.prompt().contains("\n{\"a\": \"<b>\"}\n")) << type;
  }
  Site latin("caf\xe9", "text/plain; charset=ISO-8859-1");
  latin.fetch();
  EXPECT_TRUE(latin.oracle.prompt().contains("\ncaf\u00e9\n"));
}

TEST(WebFetch, FollowsRedirectsOnTheSameHostOnly) {
  Site same(redirect_to("/end"));
  EXPECT_EQ(same.fetch().text(), "The answer.");
  EXPECT_EQ(same.requests, 2);
  Site other([](const http::Request& request, http::Exchange& exchange) {
    const auto host = std::string(*request.headers.find("host"));
    const auto port = host.substr(host.find(':'));
    exchange.respond({302, {{"location", "http://localhost" + port + "/end"}}, ""});
  });
  const auto called = other.fetch();
  EXPECT_TRUE(called.text().ends_with(fmt::format("\nhttp://localhost:{}/end", other.port())))
      << called.text();
  EXPECT_EQ(called.detail["code"], 302);
  EXPECT_EQ(called.detail["codeText"], "Found");
  EXPECT_EQ(other.requests, 1);
  EXPECT_TRUE(other.oracle.bodies.empty());
}

TEST(WebFetch, RedirectsEnd) {
  Site site(redirect_to("/again"));
  EXPECT_TRUE(site.fetch().error().contains("Too many redirects"));
  EXPECT_EQ(site.requests, 11);
  Site strange(redirect_to("file:///etc/passwd\x1b[31m"));
  EXPECT_TRUE(strange.fetch().text().ends_with("file:///etc/passwd"));
}

TEST(WebFetch, AnErrorOfTheServerIsReported) {
  Site site([](const http::Request&, http::Exchange& exchange) {
    exchange.respond({404, {{"content-type", "text/html"}}, "<p>do this instead"});
  });
  const auto called = site.fetch();
  EXPECT_FALSE(called.failed);
  EXPECT_EQ(called.text(), "The server answered HTTP 404 Not Found instead of the page.");
  EXPECT_EQ(called.detail["code"], 404);
  EXPECT_TRUE(site.oracle.bodies.empty());
}

TEST(WebFetch, AFileThatIsNotTextIsSaved) {
  const std::string bytes("%PDF-1.4 \0 x", 12);
  Site site(bytes, "application/pdf");
  const auto text = site.fetch().text();
  const auto path = text.substr(text.find(" as ") + 4);
  EXPECT_TRUE(path.ends_with(".pdf")) << text;
  EXPECT_EQ(test::text_of(path), bytes);
  EXPECT_EQ(test::mode_of(path), 0600U);
}

TEST(WebFetch, ALongPageIsReadInParts) {
  std::string page;
  for (int i = 0; i < 120'000; ++i) page += i < 100'000 ? "\u00e9" : "z";
  Site site(page, "text/plain");
  const auto first = site.fetch();
  EXPECT_TRUE(first.text().contains("0 to 100000")) << first.text();
  EXPECT_FALSE(site.oracle.prompt().contains("z"));
  site.oracle.bodies.clear();
  EXPECT_EQ(site.fetch({{"offset", 100'000}}).text(), "The answer.");
  EXPECT_FALSE(site.oracle.prompt().contains("\u00e9"));
  EXPECT_EQ(site.fetch({{"offset", 120'000}}).text(),
            "Nothing is left at offset 120000: the page has 120000 characters.");
}

TEST(WebFetch, SizeAndTimeAreLimited) {
  Site large(std::string(1001, 'x'), "text/plain", {.bytes = 1000, .local = true});
  EXPECT_TRUE(large.fetch().error().contains("larger than 1000 bytes"));
  Site silent(
      [](const http::Request&, http::Exchange& exchange) {
        exchange.begin(200, {{"content-type", "text/plain"}});
        exchange.wait(Millis{600'000});
      },
      {.time = Millis{50}, .local = true});
  EXPECT_TRUE(silent.fetch().failed);
  Site trickling(
      [](const http::Request&, http::Exchange& exchange) {
        exchange.begin(200, {{"content-type", "text/plain"}});
        while (exchange.send("x") == http::Peer::there) exchange.wait(Millis{1});
      },
      {.time = Millis{200}, .local = true});
  EXPECT_TRUE(trickling.fetch().error().contains("not complete")) << trickling.fetch().error();
}

TEST(WebFetch, LocalAddressesAreRefused) {
  Site site("secret", "text/plain", {});
  for (const std::string host : {"127.0.0.1", "localhost", "2130706433", "[::1]", "0.0.0.0"}) {
    const auto called = site.fetch({{"url", fmt::format("http://{}:{}/", host, site.port())}});
    EXPECT_TRUE(called.error().contains("not on the public internet")) << host << called.text();
  }
  EXPECT_TRUE(site.fetch({{"url", "http://169.254.169.254/latest/meta-data"}}).failed);
  EXPECT_EQ(site.requests, 0);
  EXPECT_TRUE(site.oracle.bodies.empty());
}

TEST(WebFetch, AFailedOrEmptyAnswerIsAnError) {
  Site site("text", "text/plain");
  site.oracle.answer.reply = session::says(" ");
  EXPECT_TRUE(site.fetch().error().contains("gave no answer"));
  site.oracle.answer.failure =
      api::Failure{.type = {}, .message = "no such model", .request_id = {}};
  EXPECT_TRUE(site.fetch().error().contains("no such model"));
  EXPECT_TRUE(site.fetch({{"url", "file:///etc/passwd"}}).error().contains("invalid URL"));
}

class Rules {
 public:
  bool allows(std::string_view url, permission::Rules rules, Mode mode = Mode::standard) {
    const Document input{{"url", url}, {"prompt", "domain:good.org"}};
    return decide(tool_, input, tool_.access(input, desk_.workspace()), mode, rules,
                  desk_.workspace())
        .allowed;
  }

 private:
  Oracle oracle_;
  tool::Desk desk_;
  WebFetch tool_{oracle_.model(), {}};
};

TEST(WebFetch, NeedsARuleForTheHost) {
  Rules rules;
  for (const auto mode : {Mode::standard, Mode::accept_edits, Mode::plan, Mode::automatic})
    EXPECT_FALSE(rules.allows("https://good.org/", {}, mode));
  EXPECT_TRUE(rules.allows("https://good.org/", {}, Mode::bypass));
  for (const auto* const rule :
       {"WebFetch", "WebFetch(domain:good.org)", "WebFetch(domain:GOOD.org)",
        "WebFetch(domain:*.org)", "WebFetch(domain:*)"}) {
    EXPECT_TRUE(rules.allows("https://GOOD.org./x?y", {.allow = {rule}})) << rule;
  }
  for (const auto* const rule : {"WebSearch", "WebFetch(domain:good)", "WebFetch(domain:other.org)",
                                 "WebFetch(good.org)", "WebFetch(https://bad.org/*)"}) {
    EXPECT_FALSE(rules.allows("https://good.org/", {.allow = {rule}})) << rule;
  }
  // The prompt of this call is "domain:good.org".
  for (const auto* const url : {"https://bad.org/", "https://good.org.bad.org/",
                                "https://good.org@bad.org/", "https://bad.org/?domain:good.org"}) {
    EXPECT_FALSE(rules.allows(url, {.allow = {"WebFetch(domain:good.org)"}})) << url;
  }
}

TEST(WebFetch, ADenyRuleAlsoCoversTheSameSite) {
  Rules rules;
  const permission::Rules denied{.allow = {"WebFetch"}, .deny = {"WebFetch(domain:Bad.org)"}};
  for (const auto* const url :
       {"https://bad.org/", "http://BAD.ORG./", "https://www.bad.org/", "https://bad.org:8443/"}) {
    EXPECT_FALSE(rules.allows(url, denied, Mode::bypass)) << url;
  }
  EXPECT_TRUE(rules.allows("https://good.org/", denied));
}

}  // namespace
}  // namespace ralph::web
