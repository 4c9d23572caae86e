#include "view/figures.h"

#include <algorithm>

#include <fmt/core.h>

namespace ralph::view {
namespace {

constexpr std::int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;
constexpr double kWithoutSmallChange = 10;

}  // namespace

std::string short_duration(Millis duration) {
  const auto s = std::max<std::int64_t>(0, duration.count() / 1000);
  if (s < kMinute) return fmt::format("{}s", s);
  if (s < kHour) return fmt::format("{}m{:02}s", s / kMinute, s % kMinute);
  if (s < kDay) return fmt::format("{}h{:02}m", s / kHour, s % kHour / kMinute);
  return fmt::format("{}d{:02}h", s / kDay, s % kDay / kHour);
}

std::string countdown(Millis left) {
  const auto s = std::max<std::int64_t>(0, (left.count() + 999) / 1000);
  const auto minutes = s / kMinute, seconds = s % kMinute;
  if (s < kHour) return fmt::format("{}:{:02}", minutes, seconds);
  return fmt::format("{}:{:02}:{:02}", minutes / 60, minutes % 60, seconds);
}

std::string dollars(double usd) {
  return usd < kWithoutSmallChange ? fmt::format("${:.4f}", usd) : fmt::format("${:.2f}", usd);
}

std::string grouped(std::int64_t number) {
  auto text = fmt::format("{}", number);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string counted(std::int64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", grouped(number), thing, number == 1 ? "" : "s");
}

}  // namespace ralph::view
