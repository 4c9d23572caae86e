#include "system/http/failure.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include <fmt/core.h>

namespace ralph::http {
namespace {

enum class Lasting { yes, no };

struct Row {
  Failure failure;
  std::string_view name;
  Lasting lasting;
  Code code;
  std::string_view sentence;  // goes on with the address
  std::string_view hint;
};

using enum Failure;
constexpr std::string_view kOnline = "is this machine online, and is a proxy needed or wrong?";
constexpr std::string_view kListening = "is a server listening there?";

constexpr auto kRows = std::to_array<Row>({
    {cancelled, "cancelled", Lasting::yes, Code::unavailable, "cancelled: the request to", ""},
    {sink, "sink", Lasting::yes, Code::internal, "given up: the answer from", ""},
    {bad_request, "bad_request", Lasting::yes, Code::usage, "cannot send this request to", ""},
    {no_library, "no_library", Lasting::yes, Code::unavailable, "cannot use libcurl for",
     "install the package libcurl4"},
    {resolve, "resolve", Lasting::no, Code::unavailable, "host not found:", kOnline},
    {connect, "connect", Lasting::no, Code::unavailable, "cannot connect to", kOnline},
    {address_refused, "address_refused", Lasting::yes, Code::permission,
     "not an address of the public internet:", ""},
    {connect_timed_out, "connect_timed_out", Lasting::no, Code::unavailable,
     "connection timed out to", kOnline},
    {tls, "tls", Lasting::no, Code::unavailable, "TLS handshake failed with",
     "does that port speak TLS?"},
    {certificate, "certificate", Lasting::yes, Code::unavailable, "certificate not trusted:",
     "is the package ca-certificates installed, and this machine's clock right?"},
    {reset, "reset", Lasting::no, Code::unavailable, "the connection ended: no answer from", ""},
    {head_timed_out, "head_timed_out", Lasting::no, Code::unavailable, "no answer in time from",
     ""},
    {cut_in_head, "cut_in_head", Lasting::no, Code::unavailable,
     "the connection ended inside the headers of", ""},
    {cut_in_body, "cut_in_body", Lasting::no, Code::unavailable,
     "the connection ended inside the answer of", ""},
    {body_stalled, "body_stalled", Lasting::no, Code::unavailable, "the answer stalled from", ""},
    {not_http, "not_http", Lasting::yes, Code::malformed, "not an HTTP answer from",
     "is it the right port?"},
    {too_large, "too_large", Lasting::yes, Code::limit, "the head is too large in the answer of",
     ""},
});

const Row& row_of(Failure failure) { return *std::ranges::find(kRows, failure, &Row::failure); }

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].failure) != i) return false;
  }
  return kRows.back().failure == too_large;
}
static_assert(is_in_order(), "every failure has its row");

/// "example.org:443" of "https://example.org".
std::string address_of(std::string_view origin) {
  const auto scheme = origin.find("://");
  if (scheme == origin.npos) return std::string(origin);
  const auto host = origin.substr(scheme + 3);
  const auto after = host.find(']');  // [::1]:80
  const bool has_port = host.find(':', after == host.npos ? 0 : after) != host.npos;
  if (has_port) return std::string(host);
  return fmt::format("{}:{}", host, origin.starts_with("https") ? 443 : 80);
}

/// "[::1]" of "http://[::1]:80".
std::string_view host_of(std::string_view origin) {
  const auto scheme = origin.find("://");
  const auto host = scheme == origin.npos ? origin : origin.substr(scheme + 3);
  const auto bracket = host.find(']');
  return host.substr(0, host.find(':', bracket == host.npos ? 0 : bracket));
}

}  // namespace

bool is_loopback(std::string_view host) {
  return host == "localhost" || host.ends_with(".localhost") || host == "[::1]" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos);
}

std::string_view to_string(Failure failure) { return row_of(failure).name; }

bool is_transient(Failure failure) { return row_of(failure).lasting == Lasting::no; }

SendError make_error(Failure failure, std::string_view origin, std::string_view detail) {
  const auto& row = row_of(failure);
  const bool refused = failure == connect && detail == std::strerror(ECONNREFUSED);
  auto message =
      fmt::format("{} {}", refused ? "connection refused to" : row.sentence, address_of(origin));
  if (!detail.empty() && !refused) message += fmt::format(": {}", detail);
  const auto hint = row.hint == kOnline && is_loopback(host_of(origin)) ? kListening : row.hint;
  return {{row.code, std::move(message), std::string(hint)}, failure};
}

}  // namespace ralph::http
