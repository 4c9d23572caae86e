#include "system/http/exchange.h"

#include <utility>

#include <fmt/core.h>

namespace ralph::http {
namespace {

bool wants_more(const Request& request) {
  return request.version == Version::http_1_1 && !request.headers.has_word("connection", "close");
}

}  // namespace

Exchange::Exchange(const Request& request, Socket& socket)
    : request_(request), socket_(socket), keep_alive_(wants_more(request)) {}

std::string Exchange::head(int status, Headers headers) const {
  if (!keep_alive_) headers.add("connection", "close");
  return head_bytes(status, headers);
}

Peer Exchange::respond(const Response& response) {
  auto headers = response.headers;
  headers.add("content-length", fmt::format("{}", response.body.size()));
  auto bytes = head(response.status, std::move(headers));
  if (request_.method != "HEAD") bytes += response.body;
  state_ = State::whole;
  return socket_.send(bytes);
}

Peer Exchange::begin(int status, Headers headers) {
  if (request_.version == Version::http_1_1) headers.add("transfer-encoding", "chunked");
  state_ = State::streaming;
  return socket_.send(head(status, std::move(headers)));
}

Peer Exchange::send(std::string_view piece) {
  if (piece.empty() || request_.method == "HEAD") return wait(Millis{0});
  if (request_.version == Version::http_1_0) return socket_.send(piece);
  return socket_.send(fmt::format("{:x}\r\n{}\r\n", piece.size(), piece));
}

Peer Exchange::end() {
  state_ = State::whole;
  const bool chunked = request_.version == Version::http_1_1 && request_.method != "HEAD";
  return socket_.send(chunked ? "0\r\n\r\n" : "");
}

Peer Exchange::send_raw(std::string_view bytes) {
  state_ = State::raw;
  return socket_.send(bytes);
}

}  // namespace ralph::http
