#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/schema/ecma_pattern.h"
#include "core/schema/schema.h"

namespace ralph::schema {

/// The members of an object.
inline const Document::object_t& members_of(const Document& object) {
  return object.get_ref<const Document::object_t&>();
}

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};
template <typename T>
using StringMap = std::unordered_map<std::string, T, StringHash, std::equal_to<>>;
using StringSet = std::unordered_set<std::string, StringHash, std::equal_to<>>;

/// The kinds of values a schema can name; a set of them is their sum.
enum TypeBit : unsigned {
  kNull = 1,
  kBoolean = 2,
  kObject = 4,
  kArray = 8,
  kNumber = 16,
  kInteger = 32,
  kString = 64,
};

struct SchemaNode;

/// A part of a schema that has an address ($id) of its own.
struct SchemaResource {
  StringMap<const SchemaNode*> dynamic_anchors;
};

/// A number that was written in a schema: exact for every number of a document.
struct Bound {
  long double value;
  std::string text;
};

/// const and enum: the allowed values in canonical form.
struct AllowedValues {
  StringSet canonical;
  std::size_t longest = 0;
};

struct Dependency {
  std::string property;
  std::vector<std::string> required;
  const SchemaNode* schema = nullptr;
};

/// $dynamicRef to a $dynamicAnchor: the outermost resource that has the anchor decides.
struct DynamicReference {
  const SchemaNode* target = nullptr;
  std::string anchor;  // "": the target is the one, whatever came before
};

/// One schema, compiled. A null pointer or nullopt: the keyword is not there.
struct SchemaNode {
  const SchemaResource* resource = nullptr;
  std::optional<bool> fixed;  // a schema that is true or false

  unsigned types = 0;  // 0: any
  std::string type_names;
  std::optional<AllowedValues> constant, allowed;

  std::optional<Bound> minimum, maximum, exclusive_minimum, exclusive_maximum;
  std::optional<Document> multiple_of;

  std::optional<std::uint64_t> min_length, max_length, min_items, max_items, min_properties,
      max_properties, min_contains, max_contains;
  std::optional<EcmaPattern> pattern;

  std::vector<const SchemaNode*> prefix_items;
  const SchemaNode* items = nullptr;  // behind the prefix
  const SchemaNode* contains = nullptr;
  const SchemaNode* unevaluated_items = nullptr;
  bool unique_items = false;

  StringMap<const SchemaNode*> properties;
  std::vector<std::pair<EcmaPattern, const SchemaNode*>> pattern_properties;
  const SchemaNode* additional_properties = nullptr;
  const SchemaNode* unevaluated_properties = nullptr;
  const SchemaNode* property_names = nullptr;
  std::vector<std::string> required;
  std::vector<Dependency> dependencies;

  std::vector<const SchemaNode*> all_of, any_of, one_of;
  const SchemaNode* negated = nullptr;
  const SchemaNode* condition = nullptr;
  const SchemaNode* consequence = nullptr;
  const SchemaNode* alternative = nullptr;

  const SchemaNode* reference = nullptr;
  std::optional<DynamicReference> dynamic_reference;
};

/// A compiled schema: nodes never move, and nothing changes once it is made.
struct SchemaProgram {
  std::deque<SchemaNode> nodes;
  std::deque<SchemaResource> resources;
  const SchemaNode* root = nullptr;
  SchemaLimits limits;
};

/// A JSON pointer's token: "~" and "/" escaped.
std::string pointer_token(std::string_view key);

/// The text of a metaschema that is built in; "" for any other address.
std::string_view builtin_metaschema(std::string_view uri);

}  // namespace ralph::schema
