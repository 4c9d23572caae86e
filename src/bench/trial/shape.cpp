#include "bench/trial/shape.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/nearest.h"
#include "core/base/utf8.h"

namespace ralph::trial {
namespace {

using config::Node;
using json::Document;

std::optional<bool> boolean_of(const Node& node) {
  if (node.kind != Node::Kind::scalar || node.quoted) return std::nullopt;
  const auto& text = node.text;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

std::optional<double> integer_in(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || stop != digits.data() + digits.size() || error != std::errc{})
    return std::nullopt;
  return static_cast<double>(value);
}

std::optional<double> decimal(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) {
    const auto rest = decimal(text.substr(1));
    const bool twice = text.size() > 1 && (text[1] == '+' || text[1] == '-');
    return !rest || twice ? std::nullopt : std::optional(text[0] == '-' ? -*rest : *rest);
  }
  const bool begins = !text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
  const auto odd = text.find_first_not_of("0123456789.eE+-");
  if (!begins || odd != std::string_view::npos || text == ".") return std::nullopt;
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return stop == text.data() + text.size() && error == std::errc{} ? std::optional(value)
                                                                   : std::nullopt;
}

std::optional<double> find_number(const Node& node) {
  if (node.kind != Node::Kind::scalar || node.quoted) return std::nullopt;
  const std::string_view text = node.text;
  if (text.starts_with("0x")) return integer_in(text.substr(2), 16);
  if (text.starts_with("0o")) return integer_in(text.substr(2), 8);
  return decimal(text);
}

Document scalar_document(const Node& node) {
  if (node.is_null()) return nullptr;
  if (const auto value = boolean_of(node)) return *value;
  const auto number = find_number(node);
  if (!number) return node.text;
  constexpr double kExact = 9007199254740992.0;  // as JavaScript writes it, an integer has no point
  if (std::trunc(*number) == *number && std::abs(*number) <= kExact) {
    return static_cast<std::int64_t>(*number);
  }
  return *number;
}

/// A value without a table.
Document plain_document(const Node& node) {
  if (node.kind == Node::Kind::scalar) return scalar_document(node);
  Document value = node.kind == Node::Kind::list ? Document::array() : Document::object();
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (node.kind == Node::Kind::list) {
      value.push_back(plain_document(node.items[i]));
    } else {
      value[node.keys[i].text] = plain_document(node.items[i]);
    }
  }
  return value;
}

std::string_view expected_type(Type type) {
  switch (type) {
    case Type::text: return "string";
    case Type::number:
    case Type::integer: return "number";
    case Type::boolean: return "boolean";
    case Type::list: return "array";
    case Type::object:
    case Type::text_map: return "object";
    case Type::anything: return "";
  }
  return "";
}

std::string joined(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

/// Walks a value along its shape and collects problems.
class Checker {
 public:
  Checker(const std::string& file, std::vector<Problem>& problems, std::vector<Problem>& warnings)
      : file_(file), problems_(problems), warnings_(warnings) {}

  void check(const Node& node, const Shape& given, const std::string& path) {
    const Shape& shape = given.choose != nullptr ? *given.choose(node) : given;
    if (shape.type != Type::anything && type_name(node) != expected_type(shape.type)) {
      return complain(
          path, node.line,
          fmt::format("Expected {}, received {}", expected_type(shape.type), type_name(node)));
    }
    switch (shape.type) {
      case Type::text: check_text(node, shape, path); break;
      case Type::number:
      case Type::integer: check_number(node, shape, path); break;
      case Type::list: check_list(node, shape, path); break;
      case Type::object: check_object(node, shape, path); break;
      case Type::text_map: check_map(node, path); break;
      case Type::boolean:
      case Type::anything: break;
    }
    if (shape.rule == nullptr) return;
    if (auto wrong = shape.rule(node); !wrong.empty()) complain(path, node.line, std::move(wrong));
  }

 private:
  void complain(const std::string& path, int line, std::string message) {
    problems_.push_back({path, std::move(message), file_, line});
  }

  void check_text(const Node& node, const Shape& shape, const std::string& path) {
    const auto length = utf8::count(node.text);
    if (!shape.choices.empty() &&
        std::ranges::find(shape.choices, node.text) == shape.choices.end()) {
      complain(path, node.line,
               fmt::format("Invalid enum value. Expected '{}', received '{}'",
                           fmt::join(shape.choices, "' | '"), node.text));
    } else if (length < shape.least) {
      complain(path, node.line,
               fmt::format("String must contain at least {} character(s)", shape.least));
    } else if (shape.most > 0 && length > shape.most) {
      complain(path, node.line,
               fmt::format("String must contain at most {} character(s)", shape.most));
    }
  }

  void check_number(const Node& node, const Shape& shape, const std::string& path) {
    const double value = number_of(node);
    if (shape.type == Type::integer && std::trunc(value) != value) {
      complain(path, node.line, "Expected integer, received float");
    } else if (shape.positive && !(value > 0)) {
      complain(path, node.line, "Number must be greater than 0");
    }
  }

  void check_list(const Node& node, const Shape& shape, const std::string& path) {
    if (node.items.size() < shape.least) {
      complain(path, node.line,
               fmt::format("Array must contain at least {} element(s)", shape.least));
    }
    if (shape.items == nullptr) return;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      check(node.items[i], *shape.items, joined(path, fmt::format("{}", i)));
    }
  }

  void check_map(const Node& node, const std::string& path) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const auto received = type_name(node.items[i]);
      if (received == "string") continue;
      complain(joined(path, node.keys[i].text), node.keys[i].line,
               fmt::format("Expected string, received {}", received));
    }
  }

  void check_object(const Node& node, const Shape& shape, const std::string& path) {
    for (const Field& field : shape.fields) {
      const auto* value = node.find(field.key);
      if (value != nullptr) {
        check(*value, *field.shape, joined(path, field.key));
      } else if (field.presence == Presence::required) {
        complain(joined(path, field.key), node.line, "Required");
      }
    }
    if (shape.others != OtherKeys::kept) check_other_keys(node, shape, path);
  }

  void check_other_keys(const Node& node, const Shape& shape, const std::string& path) {
    std::vector<std::string> known, refused;
    for (const Field& field : shape.fields) known.emplace_back(field.key);
    for (const auto& key : node.keys) {
      if (std::ranges::find(known, key.text) != known.end()) continue;
      if (shape.others == OtherKeys::refused) {
        refused.push_back(fmt::format("'{}'", key.text));
        continue;
      }
      const auto near = nearest(key.text, known);
      warnings_.push_back({joined(path, key.text),
                           near.empty()
                               ? "unknown key ignored"
                               : fmt::format("unknown key ignored; did you mean '{}'?", near),
                           file_, key.line});
    }
    if (refused.empty()) return;
    complain(path, node.line,
             fmt::format("Unrecognized key(s) in object: {}", fmt::join(refused, ", ")));
  }

  const std::string& file_;
  std::vector<Problem>& problems_;
  std::vector<Problem>& warnings_;
};

Document object_document(const Node& node, const Shape& shape) {
  Document object = Document::object();
  for (const Field& field : shape.fields) {
    const std::string key(field.key);
    if (const auto* value = node.find(field.key)) {
      object[key] = make_document(*value, *field.shape);
    } else if (!field.fallback.empty()) {
      object[key] = Document::parse(field.fallback);
    }
  }
  if (shape.others != OtherKeys::kept) return object;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    if (!object.contains(node.keys[i].text)) {
      object[node.keys[i].text] = plain_document(node.items[i]);
    }
  }
  return object;
}

Document schema_of(const Shape& shape);

Document object_schema(const Shape& shape) {
  Document schema{{"type", "object"}};
  Document properties = Document::object(), required = Document::array();
  for (const Field& field : shape.fields) {
    auto property = schema_of(*field.shape);
    if (!field.help.empty()) property["description"] = field.help;
    if (!field.fallback.empty()) property["default"] = Document::parse(field.fallback);
    properties[std::string(field.key)] = std::move(property);
    if (field.presence == Presence::required) required.push_back(field.key);
  }
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  if (shape.others == OtherKeys::refused) schema["additionalProperties"] = false;
  return schema;
}

Document text_schema(const Shape& shape) {
  Document schema{{"type", "string"}};
  if (!shape.choices.empty()) schema["enum"] = shape.choices;
  if (shape.least > 0) schema["minLength"] = shape.least;
  if (shape.most > 0) schema["maxLength"] = shape.most;
  if (!shape.pattern.empty()) schema["pattern"] = shape.pattern;
  return schema;
}

Document list_schema(const Shape& shape) {
  Document schema{{"type", "array"}};
  if (shape.least > 0) schema["minItems"] = shape.least;
  if (shape.items != nullptr) schema["items"] = schema_of(*shape.items);
  return schema;
}

Document number_schema(const Shape& shape) {
  Document schema{{"type", shape.type == Type::integer ? "integer" : "number"}};
  if (shape.positive) schema["exclusiveMinimum"] = 0;
  return schema;
}

Document schema_of(const Shape& shape) {
  if (!shape.forms.empty()) {
    Document forms = Document::array();
    for (const Shape* form : shape.forms) forms.push_back(schema_of(*form));
    return {{"anyOf", std::move(forms)}};
  }
  switch (shape.type) {
    case Type::text: return text_schema(shape);
    case Type::number:
    case Type::integer: return number_schema(shape);
    case Type::boolean: return {{"type", "boolean"}};
    case Type::list: return list_schema(shape);
    case Type::object: return object_schema(shape);
    case Type::text_map:
      return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    case Type::anything: return Document::object();
  }
  return Document::object();
}

}  // namespace

std::string_view type_name(const Node& node) {
  if (node.kind == Node::Kind::list) return "array";
  if (node.kind == Node::Kind::map) return "object";
  if (node.is_null()) return "null";
  if (boolean_of(node)) return "boolean";
  return find_number(node) ? "number" : "string";
}

double number_of(const Node& node) { return find_number(node).value_or(0); }

void check(const Node& node, const Shape& shape, const std::string& file,
           std::vector<Problem>& problems, std::vector<Problem>& warnings) {
  Checker(file, problems, warnings).check(node, shape, "");
}

Document make_document(const Node& node, const Shape& given) {
  const Shape& shape = given.choose != nullptr ? *given.choose(node) : given;
  if (shape.type == Type::object && node.kind == Node::Kind::map) {
    return object_document(node, shape);
  }
  if (shape.type != Type::list || shape.items == nullptr) return plain_document(node);
  Document list = Document::array();
  for (const Node& item : node.items) list.push_back(make_document(item, *shape.items));
  return list;
}

std::string json_schema(const Shape& shape, std::string_view title) {
  Document schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  schema.update(schema_of(shape));
  return json::write_pretty(schema);
}

}  // namespace ralph::trial
