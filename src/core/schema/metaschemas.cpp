#include <array>

#include "core/schema/program_impl.h"

namespace ralph::schema {
namespace {

/// Without titles, comments and formats, which check nothing.
constexpr std::string_view kDraft7 = R"({
"$schema": "http://json-schema.org/draft-07/schema#",
"$id": "http://json-schema.org/draft-07/schema#",
"definitions": {
  "schemaArray": {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
  "nonNegativeInteger": {"type": "integer", "minimum": 0},
  "simpleTypes": {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]},
  "stringArray": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}},
"type": ["object", "boolean"],
"properties": {
  "$id": {"type": "string"}, "$schema": {"type": "string"}, "$ref": {"type": "string"},
  "$comment": {"type": "string"}, "title": {"type": "string"}, "description": {"type": "string"},
  "default": true, "readOnly": {"type": "boolean"}, "writeOnly": {"type": "boolean"},
  "examples": {"type": "array", "items": true},
  "multipleOf": {"type": "number", "exclusiveMinimum": 0},
  "maximum": {"type": "number"}, "exclusiveMaximum": {"type": "number"},
  "minimum": {"type": "number"}, "exclusiveMinimum": {"type": "number"},
  "maxLength": {"$ref": "#/definitions/nonNegativeInteger"},
  "minLength": {"$ref": "#/definitions/nonNegativeInteger"},
  "pattern": {"type": "string"},
  "additionalItems": {"$ref": "#"},
  "items": {"anyOf": [{"$ref": "#"}, {"$ref": "#/definitions/schemaArray"}]},
  "maxItems": {"$ref": "#/definitions/nonNegativeInteger"},
  "minItems": {"$ref": "#/definitions/nonNegativeInteger"},
  "uniqueItems": {"type": "boolean"}, "contains": {"$ref": "#"},
  "maxProperties": {"$ref": "#/definitions/nonNegativeInteger"},
  "minProperties": {"$ref": "#/definitions/nonNegativeInteger"},
  "required": {"$ref": "#/definitions/stringArray"},
  "additionalProperties": {"$ref": "#"},
  "definitions": {"type": "object", "additionalProperties": {"$ref": "#"}},
  "properties": {"type": "object", "additionalProperties": {"$ref": "#"}},
  "patternProperties": {"type": "object", "additionalProperties": {"$ref": "#"}},
  "dependencies": {"type": "object", "additionalProperties":
    {"anyOf": [{"$ref": "#"}, {"$ref": "#/definitions/stringArray"}]}},
  "propertyNames": {"$ref": "#"}, "const": true, "enum": {"type": "array", "items": true},
  "type": {"anyOf": [{"$ref": "#/definitions/simpleTypes"},
    {"type": "array", "items": {"$ref": "#/definitions/simpleTypes"}, "minItems": 1, "uniqueItems": true}]},
  "format": {"type": "string"}, "contentMediaType": {"type": "string"},
  "contentEncoding": {"type": "string"},
  "if": {"$ref": "#"}, "then": {"$ref": "#"}, "else": {"$ref": "#"},
  "allOf": {"$ref": "#/definitions/schemaArray"}, "anyOf": {"$ref": "#/definitions/schemaArray"},
  "oneOf": {"$ref": "#/definitions/schemaArray"}, "not": {"$ref": "#"}}
})";

/// The vocabularies in one document.
constexpr std::string_view kDraft2020 = R"({
"$schema": "https://json-schema.org/draft/2020-12/schema",
"$id": "https://json-schema.org/draft/2020-12/schema",
"$dynamicAnchor": "meta",
"$defs": {
  "schemaArray": {"type": "array", "minItems": 1, "items": {"$dynamicRef": "#meta"}},
  "schemaMap": {"type": "object", "additionalProperties": {"$dynamicRef": "#meta"}},
  "nonNegativeInteger": {"type": "integer", "minimum": 0},
  "simpleTypes": {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]},
  "stringArray": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
  "anchorString": {"type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$"}},
"type": ["object", "boolean"],
"properties": {
  "$id": {"type": "string", "pattern": "^[^#]*#?$"}, "$schema": {"type": "string"},
  "$ref": {"type": "string"}, "$anchor": {"$ref": "#/$defs/anchorString"},
  "$dynamicRef": {"type": "string"}, "$dynamicAnchor": {"$ref": "#/$defs/anchorString"},
  "$vocabulary": {"type": "object", "additionalProperties": {"type": "boolean"}},
  "$comment": {"type": "string"}, "$defs": {"$ref": "#/$defs/schemaMap"},
  "definitions": {"$ref": "#/$defs/schemaMap"},
  "dependencies": {"type": "object", "additionalProperties":
    {"anyOf": [{"$dynamicRef": "#meta"}, {"$ref": "#/$defs/stringArray"}]}},
  "$recursiveAnchor": {"$ref": "#/$defs/anchorString"}, "$recursiveRef": {"type": "string"},
  "prefixItems": {"$ref": "#/$defs/schemaArray"}, "items": {"$dynamicRef": "#meta"},
  "contains": {"$dynamicRef": "#meta"}, "additionalProperties": {"$dynamicRef": "#meta"},
  "properties": {"$ref": "#/$defs/schemaMap"}, "patternProperties": {"$ref": "#/$defs/schemaMap"},
  "dependentSchemas": {"$ref": "#/$defs/schemaMap"}, "propertyNames": {"$dynamicRef": "#meta"},
  "if": {"$dynamicRef": "#meta"}, "then": {"$dynamicRef": "#meta"}, "else": {"$dynamicRef": "#meta"},
  "allOf": {"$ref": "#/$defs/schemaArray"}, "anyOf": {"$ref": "#/$defs/schemaArray"},
  "oneOf": {"$ref": "#/$defs/schemaArray"}, "not": {"$dynamicRef": "#meta"},
  "unevaluatedItems": {"$dynamicRef": "#meta"}, "unevaluatedProperties": {"$dynamicRef": "#meta"},
  "type": {"anyOf": [{"$ref": "#/$defs/simpleTypes"},
    {"type": "array", "items": {"$ref": "#/$defs/simpleTypes"}, "minItems": 1, "uniqueItems": true}]},
  "const": true, "enum": {"type": "array", "items": true},
  "multipleOf": {"type": "number", "exclusiveMinimum": 0},
  "maximum": {"type": "number"}, "exclusiveMaximum": {"type": "number"},
  "minimum": {"type": "number"}, "exclusiveMinimum": {"type": "number"},
  "maxLength": {"$ref": "#/$defs/nonNegativeInteger"}, "minLength": {"$ref": "#/$defs/nonNegativeInteger"},
  "pattern": {"type": "string"},
  "maxItems": {"$ref": "#/$defs/nonNegativeInteger"}, "minItems": {"$ref": "#/$defs/nonNegativeInteger"},
  "uniqueItems": {"type": "boolean"},
  "maxContains": {"$ref": "#/$defs/nonNegativeInteger"},
  "minContains": {"$ref": "#/$defs/nonNegativeInteger"},
  "maxProperties": {"$ref": "#/$defs/nonNegativeInteger"},
  "minProperties": {"$ref": "#/$defs/nonNegativeInteger"},
  "required": {"$ref": "#/$defs/stringArray"},
  "dependentRequired": {"type": "object", "additionalProperties": {"$ref": "#/$defs/stringArray"}},
  "title": {"type": "string"}, "description": {"type": "string"}, "default": true,
  "deprecated": {"type": "boolean"}, "readOnly": {"type": "boolean"}, "writeOnly": {"type": "boolean"},
  "examples": {"type": "array", "items": true}, "format": {"type": "string"},
  "contentEncoding": {"type": "string"}, "contentMediaType": {"type": "string"},
  "contentSchema": {"$dynamicRef": "#meta"}}
})";

struct Metaschema {
  std::string_view uri, text;
};
constexpr std::array<Metaschema, 3> kMetaschemas{{
    {"http://json-schema.org/draft-07/schema", kDraft7},
    {"https://json-schema.org/draft-07/schema", kDraft7},
    {"https://json-schema.org/draft/2020-12/schema", kDraft2020},
}};

}  // namespace

std::string_view builtin_metaschema(std::string_view uri) {
  for (const auto& known : kMetaschemas) {
    if (known.uri == uri) return known.text;
  }
  return {};
}

}  // namespace ralph::schema
