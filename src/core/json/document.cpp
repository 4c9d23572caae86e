#include "core/json/document.h"

#include <unordered_map>

#include <nlohmann/json.hpp>
#include <simdjson.h>

#include "core/json/diagnose.h"
#include "core/json/repair.h"

namespace ralph::json {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kSmallObject = 16;

Document build(dom::element element);

/// Keys are compared one by one in small objects and hashed in big ones: never quadratic.
Document build_object(dom::object object) {
  Document::object_t members;
  members.reserve(object.size());
  std::unordered_map<std::string_view, std::size_t> places;
  const bool hashed = object.size() > kSmallObject;
  const auto place_of = [&](std::string_view key) {
    if (hashed) return places.try_emplace(key, members.size()).first->second;
    std::size_t i = 0;
    while (i < members.size() && members.data()[i].first != key) ++i;
    return i;
  };
  for (const auto [key, value] : object) {
    const auto place = place_of(key);
    if (place == members.size()) {
      members.emplace_back(std::string(key), build(value));
    } else {
      members.data()[place].second = build(value);
    }
  }
  return members;
}

Document build_array(dom::array array) {
  Document::array_t items;
  items.reserve(array.size());
  for (const auto item : array) items.push_back(build(item));
  return items;
}

/// A whole number is unsigned unless it is negative, as nlohmann's own parser has it.
Document build_integer(std::int64_t value) {
  if (value < 0) return value;
  return static_cast<std::uint64_t>(value);
}

Document build(dom::element element) {
  switch (element.type()) {
    case dom::element_type::ARRAY: return build_array(element.get_array().value_unsafe());
    case dom::element_type::OBJECT: return build_object(element.get_object().value_unsafe());
    case dom::element_type::INT64: return build_integer(element.get_int64().value_unsafe());
    case dom::element_type::UINT64: return element.get_uint64().value_unsafe();
    case dom::element_type::DOUBLE: return element.get_double().value_unsafe();
    case dom::element_type::STRING: return std::string(element.get_string().value_unsafe());
    case dom::element_type::BOOL: return element.get_bool().value_unsafe();
    case dom::element_type::NULL_VALUE: return nullptr;
  }
  return nullptr;
}

/// A document, or simdjson's reason why there is none.
std::expected<Document, simdjson::error_code> read(std::string_view text) {
  if (text.empty()) return std::unexpected(simdjson::EMPTY);
  dom::parser parser;
  // simdjson counts the innermost value as a level.
  if (const auto error = parser.allocate(text.size(), kMaxDepth + 1)) return std::unexpected(error);
  dom::element root;
  if (const auto error = parser.parse(text.data(), text.size()).get(root)) {
    return std::unexpected(error);
  }
  return build(root);
}

}  // namespace

Result<Document> parse(std::string_view text, std::string_view name) {
  auto document = read(text);
  if (document) return *std::move(document);

  const auto mended = repair(text);
  if (mended) {
    text = *mended;
    document = read(text);
  }
  if (!document && document.error() == simdjson::NUMBER_ERROR) {
    document = read(long_integers_as_doubles(text));
  }
  if (document) return *std::move(document);
  return std::unexpected(diagnose(text, name, simdjson::error_message(document.error())));
}

std::string write(const Document& document) {
  return document.dump(-1, ' ', false, Document::error_handler_t::replace);
}

std::string write_pretty(const Document& document) {
  return document.dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

}  // namespace ralph::json
