#include "harness/run/model_proxy.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/unique_fd.h"
#include "support/temp_folder.h"

namespace ralph::run {
namespace {

/// An endpoint that says what it was asked, and a proxy in front of it.
class ModelProxyTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server =
        http::Server::start({}, [this](const http::Request& request, http::Exchange& exchange) {
          const std::scoped_lock lock(mutex_);
          requests_.push_back(request);
          exchange.begin(200, {{"content-type", "text/event-stream"}});
          exchange.send("one ");
          exchange.send("two");
          exchange.end();
        });
    ASSERT_TRUE(server) << describe(server.error());
    endpoint_ = *std::move(server);
    backend::ModelRoute route{
        endpoint_->url(), "x-api-key",          "the-key",
        "the-token",      folder_.path() / "s", backend::find_backend("claude")->access.api};
    auto proxy = ModelProxy::start(route);
    ASSERT_TRUE(proxy) << describe(proxy.error());
    proxy_ = *std::move(proxy);
  }

  /// All that comes back for these bytes.
  std::string ask(std::string_view bytes) const {
    const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto path = (folder_.path() / "s").native();
    path.copy(address.sun_path, path.size());
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::write(fd.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::shutdown(fd.get(), SHUT_WR);
    std::string answer;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(fd.get(), buffer, sizeof buffer)) > 0;) {
      answer.append(buffer, static_cast<std::size_t>(got));
    }
    return answer;
  }
  static std::string post(std::string_view target, std::string_view headers) {
    return fmt::format("POST {} HTTP/1.1\r\n{}content-length: 2\r\nconnection: close\r\n\r\n{{}}",
                       target, headers);
  }

  test::TempFolder folder_;
  std::mutex mutex_;
  std::vector<http::Request> requests_;
  std::unique_ptr<http::Server> endpoint_;
  std::unique_ptr<ModelProxy> proxy_;
};

TEST_F(ModelProxyTest, AddsTheKeyAndStreamsTheAnswer) {
  const auto answer =
      ask(post("/v1/messages?beta=true", "x-api-key: the-token\r\ncookie: a\r\nx-own: 1\r\n"));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
  EXPECT_TRUE(answer.contains("one ")) << answer;
  EXPECT_FALSE(answer.contains("the-key"));
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0].target, "/v1/messages?beta=true");
  EXPECT_EQ(requests_[0].headers.find("x-api-key"), "the-key");
  EXPECT_EQ(requests_[0].headers.find("x-own"), "1");
  EXPECT_FALSE(requests_[0].headers.find("cookie"));
  EXPECT_EQ(requests_[0].body, "{}");
  EXPECT_TRUE(proxy_->refused().empty());
}

TEST_F(ModelProxyTest, TakesTheTokenAsABearerToo) {
  EXPECT_TRUE(ask(post("/v1/messages", "authorization: Bearer the-token\r\n"))
                  .starts_with("HTTP/1.1 200 "));
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_FALSE(requests_[0].headers.find("authorization"));
}

TEST_F(ModelProxyTest, RefusesEverythingElse) {
  const std::string token = "x-api-key: the-token\r\n";
  for (const auto& bytes :
       {post("/v1/messages", ""), post("/v1/messages", "x-api-key: the-toke\r\n"),
        post("/v1/files", token), post("/v1/messages/batches", token),
        post("/v1/messages/../files", token), post("/v1/messages%2f..%2ffiles", token),
        post("//v1/messages", token), post("http://example.org/v1/messages", token),
        std::string("CONNECT example.org:443 HTTP/1.1\r\n\r\n"),
        "GET /v1/messages HTTP/1.1\r\n" + token + "connection: close\r\n\r\n"}) {
    EXPECT_TRUE(ask(bytes).starts_with("HTTP/1.1 403 ")) << bytes;
  }
  EXPECT_TRUE(requests_.empty());
  const auto refused = proxy_->refused();
  EXPECT_EQ(refused.size(), 9u) << "two of them are the same request";
  EXPECT_EQ(refused[0], "CONNECT example.org:443");
}

TEST_F(ModelProxyTest, ALargeBodyIsReadOnlyWithTheToken) {
  // The body never comes: an answer means that nothing waits for it.
  const auto answer = ask("POST /v1/messages HTTP/1.1\r\ncontent-length: 67000000\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 413 ")) << answer;
  EXPECT_EQ(proxy_->refused(), std::vector<std::string>{"POST /v1/messages"});
}

TEST_F(ModelProxyTest, ABodyOfMoreThan64MegabytesIsNeverRead) {
  const auto answer =
      ask("POST /v1/messages HTTP/1.1\r\nx-api-key: the-token\r\ncontent-length: 67108865\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 413 ")) << answer;
  EXPECT_TRUE(requests_.empty());
  EXPECT_TRUE(proxy_->refused().empty()) << "the request itself is allowed";
}

TEST_F(ModelProxyTest, AProbeIsNotPassedOn) {
  EXPECT_TRUE(ask("HEAD / HTTP/1.1\r\nconnection: close\r\n\r\n").starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(requests_.empty());
}

TEST_F(ModelProxyTest, RemembersAFewRefusals) {
  for (int i = 0; i < 30; ++i) ask(post(fmt::format("/{}?secret", i), ""));
  const auto refused = proxy_->refused();
  ASSERT_EQ(refused.size(), 21u);
  EXPECT_EQ(refused.back(), "10 other requests");
  EXPECT_EQ(refused.front(), "POST /0") << "without what was asked";
}

TEST_F(ModelProxyTest, AnUnreachableEndpointIsABadGateway) {
  endpoint_->stop();
  const auto answer = ask(post("/v1/messages", "x-api-key: the-token\r\n"));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 502 ")) << answer;
  EXPECT_FALSE(answer.contains("the-key"));
}

TEST_F(ModelProxyTest, TheSocketIsTheOwnersAndEndsWithIt) {
  struct stat info{};
  ASSERT_EQ(::stat((folder_.path() / "s").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
  proxy_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "s"));
}

}  // namespace
}  // namespace ralph::run
