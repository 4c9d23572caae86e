#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/json/field.h"
#include "core/schema/compiler_impl.h"
#include "core/schema/uri.h"
#include "core/schema/values.h"

namespace ralph::schema {
namespace {

struct TypeName {
  std::string_view name;
  unsigned bit;
};
constexpr std::array<TypeName, 7> kTypes{{
    {"null", kNull},
    {"boolean", kBoolean},
    {"object", kObject},
    {"array", kArray},
    {"number", kNumber},
    {"integer", kInteger},
    {"string", kString},
}};

AllowedValues allowed_values(const Document& list) {
  AllowedValues allowed;
  for (const auto& value : list) {
    std::string text;
    append_canonical(text, value);
    allowed.longest = std::max(allowed.longest, text.size());
    allowed.canonical.insert(std::move(text));
  }
  return allowed;
}

}  // namespace

std::string pointer_token(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

SchemaPlace SchemaPlace::step(std::string_view key) const {
  const auto token = "/" + pointer_token(key);
  return {scope, pointer + token, location + token, parent};
}

SchemaCompiler::SchemaCompiler(const SchemaLimits& limits)
    : program_(std::make_unique<SchemaProgram>()) {
  program_->limits = limits;
}

std::unexpected<Error> SchemaCompiler::mistake(const Place& place, std::string what,
                                               std::string hint) {
  const auto where = place.location.empty()
                         ? std::string("the JSON Schema")
                         : fmt::format("'{}' in the JSON Schema",
                                       utf8::shortened(utf8::repaired(place.location), 200));
  return fail(Code::malformed, fmt::format("{} {}", where, what), std::move(hint));
}

const SchemaCompiler::Keyword* SchemaCompiler::find_keyword(std::string_view name, Draft draft) {
  using C = SchemaCompiler;
  using N = SchemaNode;
  constexpr unsigned kSeven = 1, kNext = 2, kBoth = 3;
  static const auto kKeywords = std::to_array<Keyword>({
      {"$ref", kBoth, &C::reference<false>, true},
      {"$dynamicRef", kNext, &C::reference<true>},
      {"$defs", kBoth, &C::definitions, true},
      {"definitions", kBoth, &C::definitions, true},
      {"type", kBoth, &C::type},
      {"const", kBoth, &C::constant},
      {"enum", kBoth, &C::allowed},
      {"minimum", kBoth, &C::bound<&N::minimum>},
      {"maximum", kBoth, &C::bound<&N::maximum>},
      {"exclusiveMinimum", kBoth, &C::bound<&N::exclusive_minimum>},
      {"exclusiveMaximum", kBoth, &C::bound<&N::exclusive_maximum>},
      {"multipleOf", kBoth, &C::multiple_of},
      {"minLength", kBoth, &C::count<&N::min_length>},
      {"maxLength", kBoth, &C::count<&N::max_length>},
      {"pattern", kBoth, &C::pattern},
      {"minItems", kBoth, &C::count<&N::min_items>},
      {"maxItems", kBoth, &C::count<&N::max_items>},
      {"uniqueItems", kBoth, &C::unique_items},
      {"prefixItems", kNext, &C::list<&N::prefix_items>},
      {"items", kNext, &C::one<&N::items>},
      {"items", kSeven, &C::items},
      {"additionalItems", kSeven, &C::additional_items},
      {"contains", kBoth, &C::one<&N::contains>},
      {"minContains", kNext, &C::count<&N::min_contains>},
      {"maxContains", kNext, &C::count<&N::max_contains>},
      {"unevaluatedItems", kNext, &C::one<&N::unevaluated_items>},
      {"minProperties", kBoth, &C::count<&N::min_properties>},
      {"maxProperties", kBoth, &C::count<&N::max_properties>},
      {"required", kBoth, &C::required},
      {"properties", kBoth, &C::properties},
      {"patternProperties", kBoth, &C::pattern_properties},
      {"additionalProperties", kBoth, &C::one<&N::additional_properties>},
      {"unevaluatedProperties", kNext, &C::one<&N::unevaluated_properties>},
      {"propertyNames", kBoth, &C::one<&N::property_names>},
      {"dependencies", kBoth, &C::dependencies},
      {"dependentRequired", kNext, &C::dependencies},
      {"dependentSchemas", kNext, &C::dependencies},
      {"allOf", kBoth, &C::list<&N::all_of>},
      {"anyOf", kBoth, &C::list<&N::any_of>},
      {"oneOf", kBoth, &C::list<&N::one_of>},
      {"not", kBoth, &C::one<&N::negated>},
      {"if", kBoth, &C::one<&N::condition>},
      {"then", kBoth, &C::one<&N::consequence>},
      {"else", kBoth, &C::one<&N::alternative>},
  });
  const auto found = std::ranges::find_if(kKeywords, [&](const Keyword& keyword) {
    return keyword.name == name && (keyword.drafts & static_cast<unsigned>(draft)) != 0;
  });
  return found == kKeywords.end() ? nullptr : &*found;
}

Result<std::unique_ptr<const SchemaProgram>> SchemaCompiler::run(const Document& document) {
  if (deeper_than(document, program_->limits.depth)) {
    return fail(Code::limit, fmt::format("the JSON Schema is nested more than {} levels deep",
                                         program_->limits.depth));
  }
  TRY_ASSIGN(auto top, open_scope("schema:/", document, {}));
  TRY_ASSIGN(program_->root, schema(document, std::move(top)));
  for (; !pending_.empty(); pending_.pop_front()) TRY(follow(pending_.front()));
  return std::move(program_);
}

Result<const SchemaNode*> SchemaCompiler::schema(const Document& document, Place place) {
  if (const auto found = known_.find(&document); found != known_.end()) return found->second.node;
  if (!document.is_object() && !document.is_boolean()) {
    return mistake(place, "must be a schema: an object, true or false");
  }
  Node& node = program_->nodes.emplace_back();
  TRY_ASSIGN(place, enter_resource(node, document, std::move(place)));
  node.resource = place.scope->resource;
  known_.emplace(&document, Known{&node, place});
  if (document.is_boolean()) {
    node.fixed = document.get<bool>();
    return &node;
  }
  place.parent = &document;
  TRY(read_keywords(node, document, place));
  return &node;
}

Result<> SchemaCompiler::read_keywords(Node& node, const Document& document, const Place& place) {
  const auto draft = place.scope->draft;
  const bool hidden = draft == Draft::seven && document.contains("$ref");
  for (const auto& [name, value] : members_of(document)) {
    const auto* const keyword = find_keyword(name, draft);
    if (keyword == nullptr || (hidden && !keyword->beside_reference)) continue;
    TRY((this->*keyword->read)(node, value, place.step(name)));
  }
  return {};
}

template <std::optional<std::uint64_t> SchemaNode::* member>
Result<> SchemaCompiler::count(Node& node, const Document& value, const Place& place) {
  if (!value.is_number() || !is_integer(value) || number_of(value) < 0) {
    return mistake(place, "must be a whole number of at least 0");
  }
  constexpr auto kMost = static_cast<long double>(std::uint64_t{1} << 62);
  node.*member = static_cast<std::uint64_t>(std::min(number_of(value), kMost));
  return {};
}

template <std::optional<Bound> SchemaNode::* member>
Result<> SchemaCompiler::bound(Node& node, const Document& value, const Place& place) {
  if (!value.is_number()) return mistake(place, "must be a number");
  node.*member = Bound{number_of(value), number_text(value)};
  return {};
}

template <const SchemaNode* SchemaNode::* member>
Result<> SchemaCompiler::one(Node& node, const Document& value, const Place& place) {
  const bool old_items = value.is_array() && place.pointer.ends_with("/items");
  if (old_items) return mistake(place, "must be a schema", "a list of schemas is prefixItems");
  TRY_ASSIGN(node.*member, schema(value, place));
  return {};
}

template <std::vector<const SchemaNode*> SchemaNode::* member>
Result<> SchemaCompiler::list(Node& node, const Document& value, const Place& place) {
  if (!value.is_array()) return mistake(place, "must be a list of schemas");
  for (std::size_t i = 0; i < value.size(); ++i) {
    TRY_ASSIGN(const auto* const item, schema(value[i], place.step(i)));
    (node.*member).push_back(item);
  }
  return {};
}

template <bool dynamic>
Result<> SchemaCompiler::reference(Node& node, const Document& value, const Place& place) {
  if (!value.is_string()) return mistake(place, "must be a string");
  const auto& written = value.get_ref<const std::string&>();
  pending_.push_back({&node, place, written, resolve_uri(place.scope->uri, written), dynamic});
  return {};
}

Result<> SchemaCompiler::type(Node& node, const Document& value, const Place& place) {
  const auto names = value.is_string() ? Document::array({value}) : value;
  TRY_ASSIGN(const auto wanted, strings(names, place));
  if (wanted.empty()) return mistake(place, "must name a type");
  for (const auto& name : wanted) {
    const auto found = std::ranges::find(kTypes, name, &TypeName::name);
    if (found == kTypes.end()) {
      return mistake(place, fmt::format("names no type: '{}'", utf8::shortened(name, 40)),
                     "types are null, boolean, object, array, number, integer and string");
    }
    node.types |= found->bit;
    if (!node.type_names.empty()) node.type_names += ',';
    node.type_names += name;
  }
  return {};
}

Result<> SchemaCompiler::constant(Node& node, const Document& value, const Place&) {
  node.constant = allowed_values(Document::array({value}));
  return {};
}

Result<> SchemaCompiler::allowed(Node& node, const Document& value, const Place& place) {
  if (!value.is_array()) return mistake(place, "must be a list of values");
  node.allowed = allowed_values(value);
  return {};
}

Result<> SchemaCompiler::multiple_of(Node& node, const Document& value, const Place& place) {
  if (!value.is_number() || !(number_of(value) > 0)) {
    return mistake(place, "must be a number above 0");
  }
  node.multiple_of = value;
  return {};
}

Result<EcmaPattern> SchemaCompiler::expression(std::string_view text, const Place& place) {
  auto compiled = EcmaPattern::compile(text);
  if (compiled) return compiled;
  return mistake(place, "is no regular expression we can use: " + compiled.error().message);
}

Result<> SchemaCompiler::pattern(Node& node, const Document& value, const Place& place) {
  if (!value.is_string()) return mistake(place, "must be a string");
  TRY_ASSIGN(node.pattern, expression(value.get_ref<const std::string&>(), place));
  return {};
}

Result<> SchemaCompiler::unique_items(Node& node, const Document& value, const Place& place) {
  if (!value.is_boolean()) return mistake(place, "must be true or false");
  node.unique_items = value.get<bool>();
  return {};
}

Result<> SchemaCompiler::items(Node& node, const Document& value, const Place& place) {
  return value.is_array() ? list<&Node::prefix_items>(node, value, place)
                          : one<&Node::items>(node, value, place);
}

/// Counts only beside a list of items.
Result<> SchemaCompiler::additional_items(Node& node, const Document& value, const Place& place) {
  TRY_ASSIGN(const auto* const rest, schema(value, place));
  const auto items = place.parent->find("items");
  if (items != place.parent->end() && items->is_array()) node.items = rest;
  return {};
}

Result<> SchemaCompiler::properties(Node& node, const Document& value, const Place& place) {
  if (!value.is_object()) return mistake(place, "must be an object of schemas");
  for (const auto& [name, property] : members_of(value)) {
    TRY_ASSIGN(node.properties[name], schema(property, place.step(name)));
  }
  return {};
}

Result<> SchemaCompiler::pattern_properties(Node& node, const Document& value, const Place& place) {
  if (!value.is_object()) return mistake(place, "must be an object of schemas");
  for (const auto& [name, property] : members_of(value)) {
    const auto inside = place.step(name);
    TRY_ASSIGN(auto compiled, expression(name, inside));
    TRY_ASSIGN(const auto* const wanted, schema(property, inside));
    node.pattern_properties.emplace_back(std::move(compiled), wanted);
  }
  return {};
}

Result<> SchemaCompiler::required(Node& node, const Document& value, const Place& place) {
  TRY_ASSIGN(node.required, strings(value, place));
  return {};
}

/// A list names properties, anything else is a schema; the three keywords differ in nothing more.
Result<> SchemaCompiler::dependencies(Node& node, const Document& value, const Place& place) {
  if (!value.is_object()) return mistake(place, "must be an object");
  for (const auto& [name, wanted] : members_of(value)) {
    Dependency dependency{name, {}, nullptr};
    if (wanted.is_array()) {
      TRY_ASSIGN(dependency.required, strings(wanted, place.step(name)));
    } else {
      TRY_ASSIGN(dependency.schema, schema(wanted, place.step(name)));
    }
    node.dependencies.push_back(std::move(dependency));
  }
  return {};
}

Result<> SchemaCompiler::definitions(Node&, const Document& value, const Place& place) {
  if (!value.is_object()) return mistake(place, "must be an object of schemas");
  for (const auto& [name, definition] : members_of(value)) {
    TRY(schema(definition, place.step(name)));
  }
  return {};
}

Result<std::vector<std::string>> SchemaCompiler::strings(const Document& value,
                                                         const Place& place) {
  if (!json::is_text_list(value)) return mistake(place, "must be a list of strings");
  return json::texts(value);
}

}  // namespace ralph::schema
