#include "system/http/public_address.h"

#include <cstring>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "system/http/client_harness.h"

namespace ralph::http {
namespace {

bool is_public_text(const char* text) {
  sockaddr_storage storage{};
  auto& four = reinterpret_cast<sockaddr_in&>(storage);
  auto& six = reinterpret_cast<sockaddr_in6&>(storage);
  if (::inet_pton(AF_INET, text, &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
  } else {
    EXPECT_EQ(::inet_pton(AF_INET6, text, &six.sin6_addr), 1) << text;
    six.sin6_family = AF_INET6;
  }
  return is_public(reinterpret_cast<const sockaddr&>(storage));
}

TEST(PublicAddress, IsOutsideOfEverySpecialRange) {
  for (const auto* const text :
       {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "169.253.1.1",
        "172.15.255.255", "172.32.0.0", "192.167.1.1", "198.17.1.1", "198.20.0.0",
        "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8",
        "64:ff9b::808:808"}) {
    EXPECT_TRUE(is_public_text(text)) << text;
  }
  for (const auto* const text :
       {"0.0.0.0",      "10.1.2.3",        "100.64.0.1",       "100.127.255.255", "127.0.0.1",
        "127.255.0.1",  "169.254.169.254", "172.16.0.1",       "172.31.255.255",  "192.0.0.1",
        "192.0.2.1",    "192.168.1.1",     "198.18.0.1",       "198.19.255.255",  "198.51.100.1",
        "203.0.113.7",  "224.0.0.1",       "240.0.0.1",        "255.255.255.255", "::",
        "::1",          "::127.0.0.1",     "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
        "64:ff9b:1::1", "fe80::1",         "fc00::1",          "fd00:ec2::254",   "ff02::1",
        "2001:db8::1",  "2001::1",         "2002:7f00:1::",    "100::1",          "3fff::1"}) {
    EXPECT_FALSE(is_public_text(text)) << text;
  }
  sockaddr other{};
  other.sa_family = AF_UNIX;
  EXPECT_FALSE(is_public(other));
}

TEST(PublicAddress, AHostMayBeLocalByItsSpelling) {
  for (const auto* const host :
       {"localhost", "LOCALHOST.", "a.localhost", "printer", "nas.local",
        "metadata.google.internal", "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1",
        "10.0.0.1.", "[::1]", "[fe80::1%eth0]", "[::ffff:10.1.1.1]", "[nonsense:]", "", "."}) {
    EXPECT_TRUE(is_local_host(host)) << host;
  }
  for (const auto* const host : {"example.org", "a.b.c.", "1.1.1.1", "[2606:4700::1111]",
                                 "localhost.example.org", "10.example.org"}) {
    EXPECT_FALSE(is_local_host(host)) << host;
  }
}

Handler hello() {
  return [](const Request&, Exchange& exchange) { exchange.respond({200, {}, "hello"}); };
}

TEST(PublicOnly, NoSocketIsOpenedToAnAddressThatIsNotPublic) {
  const auto server = serve(hello());
  for (const std::string host : {"127.0.0.1", "localhost", "2130706433"}) {
    Client client({.proxy = ProxyUse::never, .public_only = true});
    ClientRequest request;
    request.url = fmt::format("http://{}:{}/", host, server->port());
    const auto heard = fetch(client, request);
    EXPECT_EQ(heard.outcome(), "address_refused") << host;
    EXPECT_TRUE(heard.sent.error().message.starts_with("not an address of the public internet"));
  }
}

TEST(PublicOnly, AProxyServesEveryHost) {
  const auto proxy = serve(hello());
  const Variable use("http_proxy", proxy->url());
  const Variable except("no_proxy", "*");
  Client client({.proxy = ProxyUse::environment, .public_only = true});
  ClientRequest request;
  request.url = "http://example.invalid/";
  EXPECT_EQ(fetch(client, request).body, "hello");
}

TEST(PublicOnly, WithoutAProxyNoVariableIsUsed) {
  const auto server = serve(hello());
  const Variable use("https_proxy", server->url());  // for the other scheme
  Client client({.proxy = ProxyUse::environment, .public_only = true});
  ClientRequest request;
  request.url = server->url();
  EXPECT_EQ(fetch(client, request).outcome(), "address_refused");
}

}  // namespace
}  // namespace ralph::http
