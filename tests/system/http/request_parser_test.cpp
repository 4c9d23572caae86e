#include "system/http/request_parser.h"

#include <gtest/gtest.h>

namespace ralph::http {
namespace {

struct Parsed {
  std::vector<Request> requests;
  std::optional<Refusal> refusal;

  bool operator==(const Parsed&) const = default;
};

Parsed parse_pieces(std::initializer_list<std::string_view> pieces, Limits limits = {}) {
  RequestParser parser(limits);
  Parsed parsed;
  for (const auto piece : pieces) {
    parser.feed(piece);
    while (auto request = parser.next()) parsed.requests.push_back(*std::move(request));
  }
  parsed.refusal = parser.refusal();
  return parsed;
}

Parsed parse(std::string_view bytes, Limits limits = {}) { return parse_pieces({bytes}, limits); }

int status_of(std::string_view bytes, Limits limits = {}) {
  const auto parsed = parse(bytes, limits);
  return parsed.refusal ? parsed.refusal->status : 0;
}

constexpr std::string_view kThree =
    "POST /v1/messages?beta=true HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"
    "\r\nPOST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"
    "GET / HTTP/1.0\n\n";

TEST(RequestParser, ReadsLengthBodiesChunksAndNone) {
  const auto [requests, refusal] = parse(kThree);
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_FALSE(refusal);
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].target, "/v1/messages?beta=true");
  EXPECT_EQ(requests[0].path, "/v1/messages");
  EXPECT_EQ(requests[0].query, "beta=true");
  EXPECT_EQ(requests[0].headers.find("HOST"), "x");
  EXPECT_EQ(requests[0].body, "body");
  EXPECT_EQ(requests[1].body, "abc0123456789");
  EXPECT_FALSE(requests[1].headers.find("trailer"));
  EXPECT_EQ(requests[2].version, Version::http_1_0);
  EXPECT_EQ(requests[2].body, "");
}

TEST(RequestParser, CuttingTheBytesAnywhereGivesTheSameRequests) {
  const auto whole = parse(kThree);
  for (std::size_t at = 0; at <= kThree.size(); ++at) {
    EXPECT_EQ(parse_pieces({kThree.substr(0, at), kThree.substr(at)}), whole) << at;
  }
  RequestParser parser;
  Parsed bytewise;
  for (const char byte : kThree) {
    parser.feed({&byte, 1});
    while (auto request = parser.next()) bytewise.requests.push_back(*std::move(request));
  }
  EXPECT_EQ(bytewise, whole);
}

TEST(RequestParser, ATargetForAProxyLosesItsOrigin) {
  EXPECT_EQ(parse("GET http://h:1/p?q HTTP/1.1\r\n\r\n").requests.at(0).path, "/p");
  EXPECT_EQ(parse("GET http://h HTTP/1.1\r\n\r\n").requests.at(0).path, "/");
  EXPECT_EQ(parse("GET /?u=http://h/x HTTP/1.1\r\n\r\n").requests.at(0).query, "u=http://h/x");
}

TEST(RequestParser, RefusesWhatTwoReadersCouldReadDifferently) {
  const std::string_view bad[] = {
      "nonsense\r\n\r\n",
      "GET /\r\n\r\n",
      "GET  HTTP/1.1\r\n\r\n",
      "GET /a b HTTP/1.1\r\n\r\n",
      "G(T / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nno colon\r\n\r\n",
      "GET / HTTP/1.1\r\nname : value\r\n\r\n",
      "GET / HTTP/1.1\r\na: b\r\n folded\r\n\r\n",
      "GET / HTTP/1.1\r\na: b\rc\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: \r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
  };
  for (const auto bytes : bad) EXPECT_EQ(status_of(bytes), 400) << bytes;
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"), 501);
  EXPECT_EQ(status_of("PRI * HTTP/2.0\r\n\r\n"), 505);
  EXPECT_EQ(status_of(std::string_view("GET /\0 HTTP/1.1\r\n\r\n", 20)), 400);
}

TEST(RequestParser, EqualLengthsTwiceAreFine) {
  const auto parsed = parse("POST / HTTP/1.1\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\nab");
  EXPECT_EQ(parsed.requests.at(0).body, "ab");
}

TEST(RequestParser, TheHeadHasALimit) {
  const Limits limits{.head = 100, .body = 10};
  const std::string start = "GET / HTTP/1.1\r\n";
  EXPECT_EQ(status_of(start + "a: " + std::string(60, 'x') + "\r\n\r\n", limits), 0);
  EXPECT_EQ(status_of(start + "a: " + std::string(90, 'x') + "\r\n\r\n", limits), 431);
  EXPECT_EQ(status_of(start + "a: " + std::string(90, 'x'), limits), 431) << "without a line end";
  std::string many = start;
  for (int i = 0; i < 50; ++i) many += "a: b\r\n";
  EXPECT_EQ(status_of(many, limits), 431);
}

TEST(RequestParser, TheBodyHasALimit) {
  const Limits limits{.head = 1000, .body = 10};
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n", limits), 0);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n", limits), 413);
  const std::string chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(status_of(chunked + "8\r\n12345678\r\n2\r\n", limits), 0);
  EXPECT_EQ(status_of(chunked + "8\r\n12345678\r\n3\r\n", limits), 413);
  EXPECT_EQ(status_of(chunked + "7fffffffffffffff\r\n", limits), 413);
  EXPECT_EQ(status_of(chunked + "ffffffffffffffff\r\n", limits), 400);
}

TEST(RequestParser, RequestsBeforeABrokenOneAreKept) {
  const auto parsed = parse("GET /a HTTP/1.1\r\n\r\nbroken\r\n\r\nGET /b HTTP/1.1\r\n\r\n");
  ASSERT_EQ(parsed.requests.size(), 1u);
  EXPECT_EQ(parsed.requests[0].path, "/a");
  EXPECT_TRUE(parsed.refusal);
}

TEST(RequestParser, KnowsWhenTheClientWaitsForAContinue) {
  RequestParser parser;
  parser.feed("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n");
  EXPECT_FALSE(parser.next());
  EXPECT_FALSE(parser.wants_continue());
  parser.feed("\r\n");
  EXPECT_FALSE(parser.next());
  EXPECT_TRUE(parser.wants_continue());
  parser.feed("a");
  EXPECT_FALSE(parser.next());
  EXPECT_FALSE(parser.wants_continue());
  parser.feed("b");
  EXPECT_EQ(parser.next()->body, "ab");
}

}  // namespace
}  // namespace ralph::http
