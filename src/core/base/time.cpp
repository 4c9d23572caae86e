#include "core/base/time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/core.h>

namespace ralph {
namespace {

struct Calendar {
  int year;
  unsigned month, day;
  std::int64_t hour, minute, second, millis;
};

Calendar calendar_of(UtcTime time) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  return {static_cast<int>(date.year()),     static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()), clock.hours().count(),
          clock.minutes().count(),           clock.seconds().count(),
          clock.subseconds().count()};
}

/// Takes exactly `digits` digits off the front; -1 when they are not there.
int take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return -1;
  int value = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

/// Milliseconds from the digits after a decimal point; -1 when there are none.
int take_fraction_millis(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return -1;
  int millis = 0;
  int scale = 100;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    millis += (text.front() - '0') * scale;
    scale /= 10;
    text.remove_prefix(1);
  }
  return millis;
}

/// Minutes east of UTC from "Z", "+02:00" or "-0530".
std::optional<int> take_offset(std::string_view& text) {
  if (take(text, 'Z') || take(text, 'z')) return 0;
  const int sign = take(text, '+') ? 1 : take(text, '-') ? -1 : 0;
  if (sign == 0) return std::nullopt;
  const int hours = take_number(text, 2);
  take(text, ':');
  const int minutes = take_number(text, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  return sign * (hours * 60 + minutes);
}

struct Unit {
  std::string_view name;
  double millis;
};
constexpr std::array<Unit, 5> kUnits{
    {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};

}  // namespace

UtcTime now_utc() { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

std::string iso_utc(UtcTime time) {
  const auto c = calendar_of(time);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", c.year, c.month, c.day, c.hour,
                     c.minute, c.second, c.millis);
}

std::string compact_utc(UtcTime time) {
  const auto c = calendar_of(time);
  return fmt::format("{:04}{:02}{:02}-{:02}{:02}{:02}", c.year, c.month, c.day, c.hour, c.minute,
                     c.second);
}

std::optional<UtcTime> parse_iso(std::string_view text) {
  using namespace std::chrono;
  const int y = take_number(text, 4);
  if (!take(text, '-')) return std::nullopt;
  const int mo = take_number(text, 2);
  if (!take(text, '-')) return std::nullopt;
  const int d = take_number(text, 2);
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const int h = take_number(text, 2);
  if (!take(text, ':')) return std::nullopt;
  const int mi = take_number(text, 2);
  if (!take(text, ':')) return std::nullopt;
  const int s = take_number(text, 2);
  const int millis = take(text, '.') ? take_fraction_millis(text) : 0;
  const auto offset = take_offset(text);
  const year_month_day date{year{y}, month{static_cast<unsigned>(mo)},
                            day{static_cast<unsigned>(d)}};
  if (!offset || !text.empty() || y < 0 || !date.ok() || h < 0 || h > 23 || mi < 0 || mi > 59 ||
      s < 0 || s > 60 || millis < 0) {
    return std::nullopt;
  }
  return UtcTime(sys_days(date)) + hours(h) + minutes(mi - *offset) + seconds(s) + Millis(millis);
}

Result<Millis> parse_duration(std::string_view text) {
  const auto bad = [whole = std::string(text)] {
    return fail(Code::usage, fmt::format("'{}' is not a duration", whole),
                "write for example 90s, 5m, 1h30m or 250ms; a bare number means seconds");
  };
  if (text.empty()) return bad();
  double total = 0;
  bool first = true;
  while (!text.empty()) {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc{} || value < 0 || !std::isfinite(value)) return bad();
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const auto name_length = std::min(text.find_first_of("0123456789."), text.size());
    const auto name = text.substr(0, name_length);
    text.remove_prefix(name_length);
    double unit_millis = name.empty() && first && text.empty() ? 1000 : 0;
    for (const auto& unit : kUnits) {
      if (unit.name == name) unit_millis = unit.millis;
    }
    if (unit_millis == 0) return bad();
    total += value * unit_millis;
    first = false;
  }
  if (total > 1e13) return bad();
  // Zero means "none": a short time must not become an endless one.
  return Millis(total > 0 ? std::max(1LL, std::llround(total)) : 0);
}

std::string format_duration(Millis duration) {
  auto left = duration.count();
  if (left < 1000) return left == 0 ? "0s" : fmt::format("{}ms", left);
  std::string text;
  for (std::size_t i = kUnits.size(); i-- > 0 && left > 0;) {
    const auto unit = static_cast<std::int64_t>(kUnits[i].millis);
    const int width = text.empty() || unit < 1000 ? 1 : 2;
    if (left >= unit) text += fmt::format("{:0{}}{}", left / unit, width, kUnits[i].name);
    left %= unit;
  }
  return text;
}

}  // namespace ralph
