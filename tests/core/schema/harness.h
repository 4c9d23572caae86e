#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json/document.h"
#include "core/schema/schema.h"

namespace ralph::schema {

using json::parse;

using Lines = std::vector<std::string>;

/// What is wrong with the value, as "/pointer: message"; the top is "root".
inline Lines check_value(const Document& schema, const Document& value,
                         const SchemaLimits& limits = {}) {
  const auto compiled = Schema::compile(schema, limits);
  if (!compiled) return {"no schema: " + describe(compiled.error())};
  Lines lines;
  for (const auto& each : compiled->validate(value)) {
    lines.push_back((each.pointer.empty() ? "root" : each.pointer) + ": " + each.message);
  }
  return lines;
}

inline Lines check(std::string_view schema, std::string_view value,
                   const SchemaLimits& limits = {}) {
  return check_value(parse(schema).value(), parse(value).value(), limits);
}

inline bool valid(std::string_view schema, std::string_view value) {
  return check(schema, value).empty();
}

/// The error of a schema that is none.
inline std::string mistake(std::string_view schema) {
  const auto compiled = Schema::compile(parse(schema).value());
  return compiled ? "" : describe(compiled.error());
}

}  // namespace ralph::schema
