#pragma once
#include <string>

#include "core/base/result.h"
#include "system/http/curl_library_impl.h"

namespace ralph::http {

/// What a URL points at, without its secrets.
struct Target {
  std::string origin;  // "https://example.org", "http://127.0.0.1:8080"
  bool secure = false;
  bool loopback = false;
};

/// The error never shows the URL.
Result<Target> read_url(const CurlLibrary& curl, const std::string& url);

}  // namespace ralph::http
