#pragma once
#include <optional>
#include <string_view>

#include "core/base/time.h"
#include "system/http/message.h"

namespace ralph::api {

/// "request-id" or "x-request-id"; empty: none.
std::string_view request_id_in(const http::Headers& headers);
/// retry-after-ms, or retry-after in seconds or as an HTTP date; never negative.
std::optional<Millis> retry_after_in(const http::Headers& headers, UtcTime now);
/// x-should-retry.
std::optional<bool> should_retry_in(const http::Headers& headers);

}  // namespace ralph::api
