#pragma once
#include <optional>
#include <stop_token>
#include <string>

#include "agent/web/url.h"
#include "core/base/result.h"
#include "core/base/time.h"

namespace ralph::web {

struct FetchLimits {
  std::size_t bytes = std::size_t{10} << 20;  // of the body, decompressed
  Millis time{60'000};                        // of the whole transfer
  bool local = false;                         // addresses that are not public are allowed too
};

/// What a server answered.
struct Page {
  int status = 0;
  std::string type;      // "text/html", lower case; empty: not said
  std::string charset;   // lower case; empty: not said
  std::string location;  // of a redirect
  std::string body;      // empty unless the status is 2xx
};

/// One GET request. Redirects are not followed.
Result<Page> fetch_page(const Url& url, const FetchLimits& limits, const std::stop_token& stop);

/// The text of a page as Markdown or as it is; nullopt: it is not text.
std::optional<std::string> text_of(const Page& page);

}  // namespace ralph::web
