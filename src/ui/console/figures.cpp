#include "ui/console/figures.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include <fmt/core.h>

namespace ralph::console {
namespace {

constexpr std::int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;

}  // namespace

std::string short_duration(Millis duration) {
  const auto s = std::max<std::int64_t>(0, duration.count() / 1000);
  if (s < kMinute) return fmt::format("{}s", s);
  if (s < kHour) return fmt::format("{}m{:02}s", s / kMinute, s % kMinute);
  if (s < kDay) return fmt::format("{}h{:02}m", s / kHour, s % kHour / kMinute);
  return fmt::format("{}d{:02}h", s / kDay, s % kDay / kHour);
}

std::string dollars(double usd) { return fmt::format("${:.4f}", usd); }

std::string dollars(std::optional<double> usd) { return usd ? dollars(*usd) : "unknown"; }

std::string short_commit(std::string_view id) {
  constexpr std::size_t kDigits = 10;
  return std::string(id.substr(0, kDigits));
}

std::string clock_time(UtcTime time) {
  const auto seconds = std::chrono::system_clock::to_time_t(time);
  std::tm local{};
  if (::localtime_r(&seconds, &local) == nullptr) return "--:--:--";
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

std::string date_time(UtcTime time) {
  const auto seconds = std::chrono::system_clock::to_time_t(time);
  std::tm local{};
  std::array<char, 64> text{};
  if (::localtime_r(&seconds, &local) == nullptr) return iso_utc(time);
  return {text.data(), std::strftime(text.data(), text.size(), "%F %T %z", &local)};
}

}  // namespace ralph::console
