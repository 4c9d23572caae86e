#include "core/schema/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/json/writer.h"
#include "core/schema/program_impl.h"

namespace ralph::schema {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "holds every 64-bit integer");
__extension__ using Wide = unsigned __int128;

void append_canonical_number(std::string& out, const Document& number) {
  if (number.is_number_unsigned()) {
    out += std::to_string(number.get<std::uint64_t>());
    return;
  }
  if (number.is_number_integer()) {
    out += std::to_string(number.get<std::int64_t>());
    return;
  }
  const auto value = number.get<double>();
  constexpr double kTwo63 = 9223372036854775808.0;
  if (is_integer(number) && value >= -kTwo63 && value < kTwo63) {
    out += std::to_string(static_cast<std::int64_t>(value));
  } else if (is_integer(number) && value >= kTwo63 && value < 2 * kTwo63) {
    out += std::to_string(static_cast<std::uint64_t>(value));
  } else {
    json::append_number(out, value);
  }
}

bool append_canonical_array(std::string& out, const Document& array, std::size_t longest) {
  out += '[';
  for (const auto& item : array) {
    if (!append_canonical(out, item, longest)) return false;
    out += ',';
  }
  out += ']';
  return out.size() <= longest;
}

bool append_canonical_object(std::string& out, const Document& object, std::size_t longest) {
  std::vector<const Document::object_t::value_type*> sorted;
  sorted.reserve(object.size());
  for (const auto& member : members_of(object)) sorted.push_back(&member);
  std::ranges::sort(sorted, {},
                    [](const auto* member) -> const std::string& { return member->first; });
  out += '{';
  for (const auto* member : sorted) {
    json::append_string(out, member->first);
    out += ':';
    if (!append_canonical(out, member->second, longest)) return false;
    out += ',';
  }
  out += '}';
  return out.size() <= longest;
}

/// digits * 10^exponent
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

/// The shortest decimal that reads back as the same double; 17 digits at most.
Decimal decimal_of_double(double value) {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), std::fabs(value),
                                 std::chars_format::scientific)
                       .ptr;
  Decimal decimal;
  const char* at = text.data();
  bool fraction = false;
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
      continue;
    }
    decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
    if (fraction) --decimal.exponent;
  }
  int exponent = 0;
  if (at != end) std::from_chars(at + (at[1] == '+' ? 2 : 1), end, exponent);
  decimal.exponent += exponent;
  return decimal;
}

Decimal decimal_of(const Document& number) {
  if (number.is_number_float()) return decimal_of_double(number.get<double>());
  if (number.is_number_unsigned()) return {number.get<std::uint64_t>(), 0};
  const auto value = static_cast<std::uint64_t>(number.get<std::int64_t>());
  return {number.get<std::int64_t>() < 0 ? 0 - value : value, 0};
}

/// digits * 10^power mod modulus
std::uint64_t scaled_modulo(std::uint64_t digits, int power, std::uint64_t modulus) {
  Wide rest = digits % modulus;
  for (; power > 0 && rest != 0; --power) rest = rest * 10 % modulus;
  return static_cast<std::uint64_t>(rest);
}

}  // namespace

bool deeper_than(const Document& value, std::size_t limit) {
  if (!value.is_structured() || value.empty()) return false;
  if (limit == 0) return true;
  if (value.is_array()) {
    return std::ranges::any_of(value.get_ref<const Document::array_t&>(),
                               [&](const auto& item) { return deeper_than(item, limit - 1); });
  }
  return std::ranges::any_of(
      members_of(value), [&](const auto& member) { return deeper_than(member.second, limit - 1); });
}

bool append_canonical(std::string& out, const Document& value, std::size_t longest) {
  switch (value.type()) {
    case Document::value_t::object: return append_canonical_object(out, value, longest);
    case Document::value_t::array: return append_canonical_array(out, value, longest);
    case Document::value_t::string:
      if (value.get_ref<const std::string&>().size() > longest) return false;
      json::append_string(out, value.get_ref<const std::string&>());
      break;
    case Document::value_t::boolean: out += value.get<bool>() ? "true" : "false"; break;
    case Document::value_t::number_integer:
    case Document::value_t::number_unsigned:
    case Document::value_t::number_float: append_canonical_number(out, value); break;
    case Document::value_t::null:
    case Document::value_t::binary:
    case Document::value_t::discarded: out += "null"; break;
  }
  return out.size() <= longest;
}

bool is_integer(const Document& number) {
  if (!number.is_number_float()) return number.is_number();
  const auto value = number.get<double>();
  return std::isfinite(value) && std::trunc(value) == value;
}

std::string number_text(const Document& number) {
  std::string out;
  append_canonical_number(out, number);
  const auto size = std::fabs(number_of(number));
  if (is_integer(number) || size < 1e-6L || size >= 1e21L) return out;
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number.get<double>(),
                                 std::chars_format::fixed)
                       .ptr;
  return {text.data(), end};
}

long double number_of(const Document& number) {
  if (number.is_number_float()) return static_cast<long double>(number.get<double>());
  if (number.is_number_unsigned()) return static_cast<long double>(number.get<std::uint64_t>());
  return static_cast<long double>(number.get<std::int64_t>());
}

bool is_multiple(const Document& number, const Document& divisor) {
  if (number.is_number_float() && !std::isfinite(number.get<double>())) return false;
  const auto value = decimal_of(number);
  const auto step = decimal_of(divisor);
  if (value.digits == 0 || step.digits == 0) return value.digits == 0;
  int power = value.exponent - step.exponent;
  if (power >= 0) return scaled_modulo(value.digits, power, step.digits) == 0;
  Wide modulus = step.digits;
  for (; power < 0 && modulus <= value.digits; ++power) modulus *= 10;
  return power == 0 && value.digits % modulus == 0;
}

}  // namespace ralph::schema
