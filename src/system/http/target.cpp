#include <memory>
#include <string_view>

#include <fmt/core.h>

#include "system/http/target_impl.h"

namespace ralph::http {
namespace {

class Url {
 public:
  explicit Url(const CurlLibrary& curl) : curl_(curl), url_(curl.url()) {}
  ~Url() { curl_.url_cleanup(url_); }
  Url(const Url&) = delete;
  Url& operator=(const Url&) = delete;

  CURLUcode parse(const std::string& text) {
    return curl_.url_set(url_, CURLUPART_URL, text.c_str(), 0);
  }
  std::string part(CURLUPart which) const {
    char* text = nullptr;
    if (curl_.url_get(url_, which, &text, 0) != CURLUE_OK) return {};
    std::string copy(text);
    curl_.free(text);
    return copy;
  }

 private:
  const CurlLibrary& curl_;
  CURLU* url_;
};

}  // namespace

Result<Target> read_url(const CurlLibrary& curl, const std::string& text) {
  Url url(curl);
  if (text.find('\0') != text.npos) return fail(Code::usage, "a URL has a zero byte");
  if (const auto code = url.parse(text); code != CURLUE_OK) {
    return fail(Code::usage, fmt::format("not a URL: {}", curl.url_strerror(code)),
                "an example of a URL: https://example.org/path");
  }
  const auto scheme = url.part(CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    return fail(Code::usage, fmt::format("cannot send a request to a '{}' URL", scheme),
                "use http:// or https://");
  }
  const auto host = url.part(CURLUPART_HOST);
  const auto port = url.part(CURLUPART_PORT);
  const auto* const colon = port.empty() ? "" : ":";
  return Target{fmt::format("{}://{}{}{}", scheme, host, colon, port), scheme == "https",
                is_loopback(host)};
}

}  // namespace ralph::http
