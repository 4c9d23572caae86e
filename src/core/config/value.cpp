#include "core/config/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/nearest.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/utf8.h"

namespace ralph::config {
namespace {

constexpr std::size_t kMostVariables = 1000;

/// A value in an error message: short, on one line.
std::string shown(std::string_view text) {
  auto cut = utf8::shortened(utf8::repaired(text.substr(0, 400)), 60);
  std::ranges::replace_if(cut, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return cut;
}

std::unexpected<Error> bad(std::string_view text, std::string_view wanted) {
  return fail(Code::config, fmt::format("'{}' is not {}", shown(text), wanted));
}

Result<Value> read_boolean(const std::string& text) {
  for (const auto* word : {"true", "True", "TRUE"}) {
    if (text == word) return true;
  }
  for (const auto* word : {"false", "False", "FALSE"}) {
    if (text == word) return false;
  }
  return bad(text, "a boolean; write true or false");
}

/// Accepts old spellings: booleans for off and on, medium for med.
std::string switch_word(const std::string& text, std::string_view choices) {
  if (text == "medium" && choices.contains("|med|")) return "med";
  if (!choices.starts_with("off|on")) return text;
  if (text == "true" || text == "1") return "on";
  return text == "false" || text == "0" ? "off" : text;
}

/// `choices` is "a|b|c".
Result<Value> read_choice(const std::string& given, std::string_view choices) {
  const auto text = switch_word(given, choices);
  std::vector<std::string> known;
  for (auto rest = choices;;) {
    const auto bar = rest.find('|');
    known.emplace_back(rest.substr(0, bar));
    if (text == known.back()) return text;
    if (bar == std::string_view::npos) break;
    rest.remove_prefix(bar + 1);
  }
  const auto near = nearest(text, known);
  return bad(text, fmt::format("one of {}{}", choices,
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

Result<Value> read_integer(const std::string& text, int least) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  const auto value = parse_number<std::int64_t>(text);
  if (value && *value >= least && *value <= kMost) return *value;
  return bad(text, fmt::format("a whole number from {} to {}", least, kMost));
}

Result<Value> read_money(const std::string& text) {
  const auto* begin = text.data() + (text.starts_with('$') ? 1 : 0);
  const auto* end = text.data() + text.size();
  double value = 0;
  const auto read = std::from_chars(begin, end, value, std::chars_format::fixed);
  if (read.ec == std::errc{} && read.ptr == end && std::isfinite(value) && value > 0) return value;
  return bad(text, "an amount of US dollars above 0, like 2.50");
}

Result<Value> read_duration(const std::string& text) {
  if (const auto value = parse_duration(text)) return *value;
  return bad(text, "a duration; write for example 90s, 5m or 1h30m (0: none)");
}

struct SizeUnit {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<SizeUnit, 8> kSizeUnits{{{"", 1},
                                              {"B", 1},
                                              {"kB", 1000},
                                              {"KiB", 1 << 10},
                                              {"MB", 1'000'000},
                                              {"MiB", 1 << 20},
                                              {"GB", 1'000'000'000},
                                              {"GiB", 1 << 30}}};

Result<Value> read_size(const std::string& text) {
  std::string_view rest = text;
  const auto number = take_number<std::int64_t>(rest);
  const auto unit = std::ranges::find(kSizeUnits, trim(rest), &SizeUnit::name);
  constexpr auto kMost = std::int64_t{1} << 40;
  if (number && *number > 0 && unit != kSizeUnits.end() && *number <= kMost / unit->bytes) {
    return *number * unit->bytes;
  }
  return bad(text, "a size; write for example 64MiB, 10MB or 1048576 (bytes)");
}

std::string place_path(const std::string& text, const std::filesystem::path& folder,
                       const std::string& home) {
  if (text == "-") return text;
  if (text.starts_with("~/") && !home.empty()) return home + text.substr(1);
  return (folder / text).lexically_normal().native();
}

/// Splits at commas outside parentheses ("Read, Bash(git log, x)"), or at blanks.
std::vector<std::string> split(std::string_view text, Kind kind) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  const auto finish = [&] {
    if (const auto word = trim(part); !word.empty()) parts.emplace_back(word);
    part.clear();
  };
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    const bool ends = kind == Kind::list ? c == ',' && depth <= 0 : kBlanks.contains(c);
    if (ends) {
      finish();
    } else {
      part += c;
    }
  }
  finish();
  return parts;
}

/// A list of the text; empty if the text is blank.
std::vector<std::string> one_line_of(const std::string& text) {
  if (is_blank(text)) return {};
  return {text};
}

Result<Value> read_list(const Node& node, Kind kind) {
  if (node.kind == Node::Kind::scalar) {
    if (kind == Kind::words && node.text.find_first_of("\"'") != std::string::npos) {
      return fail(Code::config,
                  fmt::format("'{}' contains quotes, which are not supported; write words that "
                              "contain spaces as a list in ralph.yml: command: [\"sh\", \"-c\", "
                              "\"echo hi\"]",
                              shown(node.text)));
    }
    return kind == Kind::lines ? one_line_of(node.text) : split(node.text, kind);
  }
  std::vector<std::string> list;
  for (const auto& item : node.items) {
    if (item.kind != Node::Kind::scalar) return fail(Code::config, "expects a list of words");
    list.push_back(item.text);
  }
  return list;
}

bool is_variable_name(std::string_view name) {
  const auto letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  return !name.empty() && (letter(name[0]) || name[0] == '_') &&
         std::ranges::all_of(
             name, [&](char c) { return letter(c) || c == '_' || (c >= '0' && c <= '9'); });
}

/// "A=1", one per line.
Result<Value> read_pairs(std::string_view text) {
  std::vector<Pair> pairs;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (is_blank(line)) continue;
    const auto equals = line.find('=');
    const auto name = trim(line.substr(0, equals));
    if (equals == std::string_view::npos || !is_variable_name(name)) {
      return fail(Code::config, fmt::format("'{}' does not start with NAME=", shown(name)));
    }
    if (pairs.size() >= kMostVariables) {
      return fail(Code::config, fmt::format("more than {} variables", kMostVariables));
    }
    pairs.push_back({std::string(name), std::string(line.substr(equals + 1))});
  }
  return pairs;
}

Result<Value> read_map(const Node& node) {
  if (node.kind == Node::Kind::scalar) return read_pairs(node.text);
  if (node.keys.size() > kMostVariables) {
    return fail(Code::config, fmt::format("more than {} variables", kMostVariables));
  }
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const auto& item = node.items[i];
    if (!is_variable_name(node.keys[i].text)) {
      return bad(node.keys[i].text, "a valid variable name");
    }
    if (item.kind != Node::Kind::scalar) {
      return fail(Code::config, fmt::format("the value of {} is not a text", node.keys[i].text));
    }
    pairs.push_back({node.keys[i].text, item.is_null() ? "" : item.text});
  }
  return pairs;
}

/// Which shapes a kind takes beside a scalar.
Result<> check_shape(Kind kind, Node::Kind shape) {
  const bool list = kind == Kind::list || kind == Kind::words || kind == Kind::lines;
  if (shape == Node::Kind::list && !list) return fail(Code::config, "one value, not a list");
  if (shape == Node::Kind::map && kind != Kind::map) {
    return fail(Code::config, list ? "a list, not names and values" : "one value, not several");
  }
  return {};
}

}  // namespace

Result<Value> read_value(const Setting& setting, const Node& node,
                         const std::filesystem::path& folder, const std::string& home) {
  if (const auto fits = check_shape(setting.kind, node.kind); !fits) {
    return fail(Code::config, "expects " + fits.error().message);
  }
  switch (setting.kind) {
    case Kind::text: return node.text;
    case Kind::choice: return read_choice(node.text, setting.choices);
    case Kind::path:
      if (node.text.empty()) return bad("", "a path");
      return place_path(node.text, folder, home);
    case Kind::boolean: return read_boolean(node.text);
    case Kind::integer: return read_integer(node.text, setting.least);
    case Kind::money: return read_money(node.text);
    case Kind::duration: return read_duration(node.text);
    case Kind::size: return read_size(node.text);
    case Kind::list:
    case Kind::words:
    case Kind::lines: return read_list(node, setting.kind);
    case Kind::map: return read_map(node);
  }
  return Value{};
}

std::string to_text(const Value& value, Kind kind) {
  struct Writer {
    Kind kind;
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t n) const {
      if (kind != Kind::size) return std::to_string(n);
      const auto unit = std::ranges::find_if(kSizeUnits.rbegin(), kSizeUnits.rend(),
                                             [&](const auto& u) { return n % u.bytes == 0; });
      return fmt::format("{}{}", n / unit->bytes, unit->name);
    }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(Millis d) const { return format_duration(d); }
    std::string operator()(const std::string& s) const { return s; }
    std::string operator()(const std::vector<std::string>& list) const {
      return fmt::format("{}", fmt::join(list, kind == Kind::words ? " " : ", "));
    }
    std::string operator()(const std::vector<Pair>& pairs) const {
      std::vector<std::string> parts;
      parts.reserve(pairs.size());
      for (const auto& pair : pairs) parts.push_back(pair.name + "=" + pair.value);
      return (*this)(parts);
    }
  };
  return std::visit(Writer{kind}, value);
}

}  // namespace ralph::config
