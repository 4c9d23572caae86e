#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include <fmt/core.h>
#include <sys/socket.h>

#include "core/base/text.h"
#include "system/http/public_address.h"
#include "system/http/transfer_impl.h"

namespace ralph::http {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kMostThrownAway = std::size_t{1} << 20;

struct Meaning {
  CURLcode code;
  Failure failure;
};

/// Codes that mean the same whenever they come; the rest is told by how far the answer had come.
constexpr auto kMeanings = std::to_array<Meaning>({
    {CURLE_URL_MALFORMAT, Failure::bad_request},
    {CURLE_COULDNT_RESOLVE_HOST, Failure::resolve},
    {CURLE_COULDNT_RESOLVE_PROXY, Failure::resolve},
    {CURLE_COULDNT_CONNECT, Failure::connect},
    {CURLE_PROXY, Failure::connect},
    {CURLE_OPERATION_TIMEDOUT, Failure::connect_timed_out},
    {CURLE_SSL_CONNECT_ERROR, Failure::tls},
    {CURLE_SSL_CIPHER, Failure::tls},
    {CURLE_SSL_CERTPROBLEM, Failure::tls},
    {CURLE_SSL_CLIENTCERT, Failure::tls},
    {CURLE_PEER_FAILED_VERIFICATION, Failure::certificate},
    {CURLE_SSL_ISSUER_ERROR, Failure::certificate},
    {CURLE_SSL_CACERT_BADFILE, Failure::certificate},
    {CURLE_SSL_INVALIDCERTSTATUS, Failure::certificate},
    {CURLE_UNSUPPORTED_PROTOCOL, Failure::not_http},  // bytes without a status line
    {CURLE_WEIRD_SERVER_REPLY, Failure::not_http},
    {CURLE_BAD_CONTENT_ENCODING, Failure::not_http},
});

bool is_hop(const Response& head) {
  constexpr std::array kStatuses{301, 302, 303, 307, 308};
  return std::ranges::find(kStatuses, head.status) != kStatuses.end() &&
         head.headers.find("location");
}

}  // namespace

Transfer::Transfer(const CurlLibrary& curl, CURL* easy, const ClientOptions& options,
                   const ClientRequest& request, const ResponseSink& sink,
                   const std::stop_token& stop)
    : curl_(curl),
      easy_(easy),
      options_(options),
      request_(request),
      sink_(sink),
      stop_(stop),
      headers_(curl) {}

/// libcurl is C: what is thrown becomes a failed transfer.
bool Transfer::without_throwing(const std::function<bool()>& take) noexcept {
  try {
    return take();
  } catch (const std::bad_alloc&) {
    error_ = failed(Failure::too_large, "not enough memory for the response");
  } catch (const std::exception& error) {
    error_ = failed(Failure::sink, error.what());
  }
  return false;
}

std::size_t Transfer::on_header(char* bytes, std::size_t one, std::size_t size,
                                void* self) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  const bool go_on =
      transfer.without_throwing([&] { return transfer.take_header({bytes, one * size}); });
  return go_on ? one * size : 0;
}

std::size_t Transfer::on_body(char* bytes, std::size_t one, std::size_t size, void* self) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  const bool go_on =
      transfer.without_throwing([&] { return transfer.take_body({bytes, one * size}); });
  return go_on ? one * size : CURL_WRITEFUNC_ERROR;
}

curl_socket_t Transfer::on_socket(void* self, curlsocktype, curl_sockaddr* address) noexcept {
  if (!is_public(address->addr)) {
    static_cast<Transfer*>(self)->address_refused_ = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int Transfer::on_connected(void* self, char*, char*, int, int) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.connected_ = true;
  transfer.last_sent_ = steady_clock::now();
  return CURL_PREREQFUNC_OK;
}

/// One line as it came: a status line, a header, or the empty line; after the head, a trailer.
bool Transfer::take_header(std::string_view line) {
  if (stop_.stop_requested()) return false;
  last_received_ = steady_clock::now();
  const bool status_line = !head_whole_ && line.starts_with("HTTP/");
  const auto text = trim(line);
  if (!within_limits(line.size(), text.empty() || status_line ? 0 : 1)) return false;
  if (head_whole_) return true;
  if (text.empty()) return end_head();
  const auto colon = text.find(':');
  if (status_line) {
    response_ = {};
  } else if (colon != text.npos && text.front() == line.front()) {  // no folded line
    response_.headers.add(std::string(trim(text.substr(0, colon))),
                          std::string(trim(text.substr(colon + 1))));
  }
  return true;
}

bool Transfer::within_limits(std::size_t bytes, std::size_t headers) {
  head_bytes_ += bytes;
  header_count_ += headers;
  if (head_bytes_ <= options_.max_head && header_count_ <= options_.max_headers) return true;
  error_ = failed(Failure::too_large, fmt::format("over {} bytes or {} headers", options_.max_head,
                                                  options_.max_headers));
  return false;
}

bool Transfer::end_head() {
  long status = 0;
  curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  if (status < 200) return true;  // "100 Continue": the answer is still to come
  response_.status = static_cast<int>(status);
  head_whole_ = true;
  hop_ = redirects_ == Redirects::are_hops && is_hop(response_);
  return hop_ || !sink_.head || accepted(sink_.head(response_));
}

bool Transfer::take_body(std::string_view bytes) {
  if (stop_.stop_requested()) return false;
  last_received_ = steady_clock::now();
  if (!hop_) return !sink_.body || accepted(sink_.body(bytes));
  thrown_away_ += bytes.size();
  if (thrown_away_ > kMostThrownAway) {
    error_ = failed(Failure::not_http, "its redirect has an endless body");
  }
  return !error_;
}

bool Transfer::accepted(Result<> result) {
  last_received_ = steady_clock::now();  // the time the sink took is not the peer's silence
  if (!result) error_ = SendError{std::move(result).error(), Failure::sink};
  return !error_;
}

std::optional<Millis> Transfer::time_left() {
  if (!connected_) return std::nullopt;  // libcurl minds connect_timeout
  curl_off_t sent = 0;
  curl_.easy_getinfo(easy_, CURLINFO_SIZE_UPLOAD_T, &sent);
  if (std::exchange(sent_bytes_, sent) != sent) last_sent_ = steady_clock::now();
  const auto limit = head_whole_ ? request_.stall_timeout : request_.head_timeout;
  if (limit <= Millis{0}) return std::nullopt;
  const auto since = head_whole_ ? std::max(last_sent_, last_received_) : last_sent_;
  return std::chrono::ceil<Millis>(since + limit - steady_clock::now());
}

SendError Transfer::timed_out() const {
  const auto limit = head_whole_ ? request_.stall_timeout : request_.head_timeout;
  return failed(head_whole_ ? Failure::body_stalled : Failure::head_timed_out,
                "waited " + format_duration(limit));
}

SendError Transfer::out_of_time() const {
  auto failure = head_whole_ ? Failure::body_stalled : Failure::head_timed_out;
  if (!connected_) failure = Failure::connect_timed_out;
  return failed(failure, "the limit is " + format_duration(request_.total_timeout));
}

SendError Transfer::failed(Failure failure, std::string_view detail) const {
  return make_error(failure, target_.origin, detail);
}

Sent Transfer::finish(CURLcode code) {
  if (error_) return std::unexpected(*std::move(error_));
  if (code == CURLE_OK && hop_ && redirected_to().empty()) {
    return std::unexpected(failed(Failure::not_http, "its redirect has no valid location"));
  }
  if (code == CURLE_OK && (head_whole_ || request_.connect_only)) return std::move(response_);
  const bool stopped = code == CURLE_WRITE_ERROR || code == CURLE_ABORTED_BY_CALLBACK;
  if (stopped && stop_.stop_requested()) return std::unexpected(failed(Failure::cancelled));
  const auto failure = classify(code);
  return std::unexpected(failed(failure, detail(failure, code)));
}

Failure Transfer::classify(CURLcode code) const {
  if (!connected_ && address_refused_) return Failure::address_refused;
  const auto* known = std::ranges::find(kMeanings, code, &Meaning::code);
  if (known != kMeanings.end()) return known->failure;
  if (!connected_) return Failure::connect;
  if (head_whole_) return Failure::cut_in_body;
  if (code == CURLE_OUT_OF_MEMORY) return Failure::too_large;  // a line over libcurl's own limit
  return head_bytes_ > 0 ? Failure::cut_in_head : Failure::reset;
}

/// libcurl's longer text may quote a proxy's password, so it is used where it is about TLS only.
std::string Transfer::detail(Failure failure, CURLcode code) const {
  if (failure == Failure::connect_timed_out) {
    return "waited " + format_duration(request_.connect_timeout);
  }
  if (code == CURLE_COULDNT_RESOLVE_PROXY) return "the name of its proxy has no address";
  if (failure == Failure::resolve || failure == Failure::address_refused) return {};
  const bool about_tls = failure == Failure::tls || failure == Failure::certificate;
  if (about_tls && error_text_.front() != '\0') return error_text_.data();
  long error_number = 0;
  curl_.easy_getinfo(easy_, CURLINFO_OS_ERRNO, &error_number);
  if (failure == Failure::connect && error_number != 0) {
    return std::strerror(static_cast<int>(error_number));
  }
  return code == CURLE_OK ? "" : curl_.easy_strerror(code);
}

std::string Transfer::redirected_to() const {
  const char* url = nullptr;
  if (hop_) curl_.easy_getinfo(easy_, CURLINFO_REDIRECT_URL, &url);
  return url == nullptr ? "" : url;
}

}  // namespace ralph::http
