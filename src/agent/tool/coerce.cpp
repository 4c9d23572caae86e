#include "agent/tool/coerce.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/number.h"
#include "core/base/text.h"

namespace ralph::tool {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;

std::optional<json::Document> number_in(std::string_view text) {
  const auto value = parse_number<double>(trim(text));
  if (!value || !std::isfinite(*value)) return std::nullopt;
  if (std::trunc(*value) == *value && std::abs(*value) <= kExactIntegers) {
    return json::Document(static_cast<std::int64_t>(*value));
  }
  return json::Document(*value);
}

std::optional<json::Document> coerced(std::string_view text, std::string_view type) {
  if (type == "number" || type == "integer") return number_in(text);
  if (type == "boolean" && (text == "true" || text == "false"))
    return json::Document(text == "true");
  return std::nullopt;
}

}  // namespace

void coerce(json::Document& input, std::string_view schema) {
  if (!input.is_object() ||
      std::ranges::none_of(input, [](const auto& value) { return value.is_string(); })) {
    return;
  }
  const auto parsed = json::parse(schema).value_or(json::Document::object());
  const auto properties = parsed.find("properties");
  if (properties == parsed.end()) return;
  for (auto& [key, value] : input.items()) {
    const auto property = properties->find(key);
    if (!value.is_string() || property == properties->end() || !property->is_object()) continue;
    const auto type = property->find("type");
    if (type == property->end() || !type->is_string()) continue;
    if (auto better =
            coerced(value.get_ref<const std::string&>(), type->get_ref<const std::string&>())) {
      value = *std::move(better);
    }
  }
}

}  // namespace ralph::tool
