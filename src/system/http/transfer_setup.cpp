#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <fmt/core.h>

#include "system/http/transfer_impl.h"

namespace ralph::http {
namespace {

constexpr long kReceiveBuffer = 128L << 10;
constexpr long kSendBuffer = 512L << 10;
constexpr Millis kAsGoodAsForever{24LL * 3600 * 1000};
constexpr const char* kTrustFolder = "/etc/ssl/certs";

bool is_written_by_us(std::string_view name) {
  return equal_ignoring_case(name, "content-length") ||
         equal_ignoring_case(name, "transfer-encoding");
}

/// "5ed36f99.0": a name by which OpenSSL finds one certificate among many.
bool is_hash_name(std::string_view name) {
  return name.size() >= 10 && name[8] == '.' &&
         name.substr(0, 8).find_first_not_of("0123456789abcdef") == name.npos;
}

/// Whether certificates can be found one by one: quicker than reading a bundle of all of them.
bool has_hashes(const char* folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (is_hash_name(it->path().filename().native())) return true;
  }
  return false;
}

/// As libcurl reads it; nullptr: none.
const char* proxy_of_environment(bool secure) {
  constexpr std::array kSecure{"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
  constexpr std::array kPlain{"http_proxy", "all_proxy", "ALL_PROXY"};
  const auto first = [](const auto& names) -> const char* {
    for (const auto* const name : names) {
      const char* const value = std::getenv(name);
      if (value != nullptr && *value != '\0') return value;
    }
    return nullptr;
  };
  return secure ? first(kSecure) : first(kPlain);
}

}  // namespace

template <typename Value>
void Transfer::set(CURLoption option, Value value) {
  static_assert(!std::is_same_v<Value, int> && !std::is_same_v<Value, bool>, "libcurl reads long");
  const auto code = curl_.easy_setopt(easy_, option, value);
  if (setup_ == CURLE_OK) setup_ = code;
}

std::optional<SendError> Transfer::prepare(Redirects redirects) {
  redirects_ = redirects;
  auto target = read_url(curl_, request_.url);
  if (!target) return SendError{std::move(target).error(), Failure::bad_request};
  target_ = *std::move(target);
  if (!is_token(request_.method)) return failed(Failure::bad_request, "its method is not a word");
  if (auto error = set_headers()) return error;
  curl_.easy_reset(easy_);
  set_connection();
  set_method();
  set_callbacks();
  if (target_.secure) set_trust();
  if (setup_ == CURLE_OK) return std::nullopt;
  return failed(Failure::no_library, curl_.easy_strerror(setup_));
}

std::optional<SendError> Transfer::set_headers() {
  for (const auto& [name, value] : request_.headers) {
    if (!is_token(name)) return failed(Failure::bad_request, "the name of a header is not a word");
    if (is_written_by_us(name)) {
      return failed(Failure::bad_request, "it sets '" + name + "', which the body decides");
    }
    if (value.find_first_of(std::string_view("\r\n\0", 3)) != value.npos) {
      return failed(Failure::bad_request, "the value of '" + name + "' has a line end");
    }
    const bool blank = value.find_first_not_of(" \t") == value.npos;
    headers_.append(blank ? name + ";" : fmt::format("{}: {}", name, value));
  }
  for (const auto* ours : {"Expect", "Accept", "Content-Type"}) {  // libcurl would add its own
    if (!request_.headers.find(ours)) headers_.append(std::string(ours) + ":");
  }
  return std::nullopt;
}

void Transfer::set_connection() {
  set(CURLOPT_URL, request_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION,
      static_cast<long>(target_.secure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  set_proxy();
  const auto patience =
      request_.connect_timeout > Millis{0} ? request_.connect_timeout : kAsGoodAsForever;
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(patience.count()));
  set(CURLOPT_NOSIGNAL, 1L);
  if (request_.connect_only) set(CURLOPT_CONNECT_ONLY, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  // Refused by a handle whose last name look-up failed; the sizes of its first use stay.
  static_cast<void>(curl_.easy_setopt(easy_, CURLOPT_BUFFERSIZE, kReceiveBuffer));
  static_cast<void>(curl_.easy_setopt(easy_, CURLOPT_UPLOAD_BUFFERSIZE, kSendBuffer));
  // Since 7.87: a stop request does not wait for the name server.
  static_cast<void>(curl_.easy_setopt(easy_, CURLOPT_QUICK_EXIT, 1L));
}

void Transfer::set_proxy() {
  const bool direct = options_.proxy == ProxyUse::never ||
                      (options_.proxy == ProxyUse::environment_but_loopback && target_.loopback);
  const auto* const proxy = direct ? nullptr : proxy_of_environment(target_.secure);
  if (direct || (options_.public_only && proxy == nullptr)) set(CURLOPT_PROXY, "");
  if (!options_.public_only) return;
  if (proxy != nullptr) {
    set(CURLOPT_PROXY, proxy);
    set(CURLOPT_NOPROXY, "");
    return;
  }
  set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_socket);
  set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
}

void Transfer::set_method() {
  const auto& method = request_.method;
  const bool expects_body = method == "POST" || method == "PUT" || method == "PATCH";
  if (method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else if (expects_body || !request_.body.empty()) {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDS, request_.body.c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
  }
  if (method != "HEAD") set(CURLOPT_CUSTOMREQUEST, method.c_str());
  set(CURLOPT_HTTPHEADER, headers_.get());
  if (request_.form == BodyForm::decoded) set(CURLOPT_ACCEPT_ENCODING, "");
}

void Transfer::set_trust() {
  if (!options_.ca_file.empty()) {
    set(CURLOPT_CAINFO, options_.ca_file.c_str());
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  } else if (has_hashes(kTrustFolder)) {
    set(CURLOPT_CAPATH, kTrustFolder);
    set(CURLOPT_CAINFO, static_cast<const char*>(nullptr));
  }
}

void Transfer::set_callbacks() {
  set(CURLOPT_ERRORBUFFER, error_text_.data());
  set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_PREREQFUNCTION, &Transfer::on_connected);
  set(CURLOPT_PREREQDATA, static_cast<void*>(this));
}

}  // namespace ralph::http
