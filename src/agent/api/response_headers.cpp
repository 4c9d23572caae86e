#include <algorithm>
#include <array>
#include <chrono>

#include "agent/api/response_headers_impl.h"
#include "core/base/number.h"

namespace ralph::api {
namespace {

constexpr double kLongestMillis = 1e12;

std::optional<double> number_in(std::optional<std::string_view> text) {
  const auto number = text ? parse_number<double>(*text) : std::nullopt;
  return number && *number >= 0 ? number : std::nullopt;
}

Millis millis(double count) {
  return Millis{static_cast<Millis::rep>(std::min(count, kLongestMillis))};
}

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < at + count) return std::nullopt;
  const auto number = parse_number<int>(text.substr(at, count));
  return number && *number >= 0 ? number : std::nullopt;
}

/// "Wed, 21 Oct 2026 07:28:00 GMT", the only form servers may send today.
std::optional<UtcTime> http_date(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  constexpr std::size_t kLength = sizeof("Wed, 21 Oct 2026 07:28:00 GMT") - 1;
  if (text.size() != kLength || !text.ends_with(" GMT")) return std::nullopt;
  const auto month = kMonths.find(text.substr(8, 3));
  const auto day = digits(text, 5, 2);
  const auto year = digits(text, 12, 4);
  const auto hour = digits(text, 17, 2);
  const auto minute = digits(text, 20, 2);
  const auto second = digits(text, 23, 2);
  if (month == kMonths.npos || month % 3 != 0 || !day || !year || !hour || !minute || !second) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(month / 3 + 1)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return UtcTime(std::chrono::sys_days{date}) + std::chrono::hours{*hour} +
         std::chrono::minutes{*minute} + std::chrono::seconds{*second};
}

}  // namespace

std::string_view request_id_in(const http::Headers& headers) {
  if (const auto id = headers.find("request-id")) return *id;
  return headers.find("x-request-id").value_or("");
}

std::optional<Millis> retry_after_in(const http::Headers& headers, UtcTime now) {
  if (const auto exact = number_in(headers.find("retry-after-ms"))) return millis(*exact);
  const auto value = headers.find("retry-after");
  if (const auto seconds = number_in(value)) return millis(*seconds * 1000);
  const auto date = value ? http_date(*value) : std::nullopt;
  if (!date) return std::nullopt;
  return std::max(*date - now, Millis{0});
}

std::optional<bool> should_retry_in(const http::Headers& headers) {
  const auto value = headers.find("x-should-retry");
  if (value == "true") return true;
  if (value == "false") return false;
  return std::nullopt;
}

}  // namespace ralph::api
