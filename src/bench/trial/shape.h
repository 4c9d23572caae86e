#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/trial/problem.h"
#include "core/config/yaml.h"
#include "core/json/document.h"

namespace ralph::trial {

/// The type of a value in a file.
enum class Type { text, number, integer, boolean, list, object, text_map, anything };

/// What happens to keys of an object that are not in its table.
enum class OtherKeys { dropped, kept, refused };

struct Field;

/// A rule that the tables cannot express. Returns what is wrong; empty: nothing.
using Rule = std::string (*)(const config::Node& node);

/// What a value of a file must look like, as data: the checks and the JSON Schema are made from it.
struct Shape {
  Type type = Type::anything;
  std::size_t least = 0;  // characters of a text, items of a list
  std::size_t most = 0;   // 0: no limit
  bool positive = false;  // of a number: greater than 0
  std::span<const std::string_view> choices = {};
  std::string_view pattern = {};  // of a text, for the JSON Schema; `rule` checks it
  Rule rule = nullptr;
  const Shape* items = nullptr;  // of a list
  std::span<const Field> fields = {};
  OtherKeys others = OtherKeys::dropped;
  /// If there are several forms: all of them, and the one that a value must have.
  std::span<const Shape* const> forms = {};
  const Shape* (*choose)(const config::Node& node) = nullptr;
};

enum class Presence { required, optional };

struct Field {
  std::string_view key;
  const Shape* shape;
  Presence presence = Presence::optional;
  std::string_view fallback = {};  // JSON text of the default; empty: none
  std::string_view help = {};
};

/// The type of a value by YAML 1.2: "string", "number", "boolean", "null", "array", "object".
std::string_view type_name(const config::Node& node);
/// The number of a scalar that is one.
double number_of(const config::Node& node);

/// Every problem of a value, in the order of the tables; unknown keys that are dropped are warnings.
void check(const config::Node& node, const Shape& shape, const std::string& file,
           std::vector<Problem>& problems, std::vector<Problem>& warnings);

/// A value that has no problems: keys in the order of the tables, defaults filled in.
json::Document make_document(const config::Node& node, const Shape& shape);

/// A JSON Schema (2020-12) of the shape.
std::string json_schema(const Shape& shape, std::string_view title);

}  // namespace ralph::trial
