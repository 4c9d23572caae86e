// What is a schema and what is none; drafts, addresses and references.
#include <nlohmann/json.hpp>

#include "core/schema/harness.h"

namespace ralph::schema {
namespace {

struct Wrong {
  const char* schema;
  const char* message;
};

class SchemaMistake : public testing::TestWithParam<Wrong> {};

TEST_P(SchemaMistake, IsNamedWithItsPlace) {
  EXPECT_EQ(mistake(GetParam().schema), GetParam().message) << GetParam().schema;
}

const Wrong kWrong[] = {
    {"[]", "the JSON Schema must be a schema: an object, true or false"},
    {R"({"type":"text"})",
     "'/type' in the JSON Schema names no type: 'text' (types are null, boolean, object, array, "
     "number, integer and string)"},
    {R"({"type":[]})", "'/type' in the JSON Schema must name a type"},
    {R"({"type":3})", "'/type' in the JSON Schema must be a list of strings"},
    {R"({"properties":{"a/b":{"minimum":"1"}}})",
     "'/properties/a~1b/minimum' in the JSON Schema must be a number"},
    {R"({"properties":[]})", "'/properties' in the JSON Schema must be an object of schemas"},
    {R"({"properties":{"a":1}})",
     "'/properties/a' in the JSON Schema must be a schema: an object, true or false"},
    {R"({"required":"a"})", "'/required' in the JSON Schema must be a list of strings"},
    {R"({"required":[1]})", "'/required' in the JSON Schema must be a list of strings"},
    {R"({"minLength":-1})", "'/minLength' in the JSON Schema must be a whole number of at least 0"},
    {R"({"maxItems":1.5})", "'/maxItems' in the JSON Schema must be a whole number of at least 0"},
    {R"({"multipleOf":0})", "'/multipleOf' in the JSON Schema must be a number above 0"},
    {R"({"enum":1})", "'/enum' in the JSON Schema must be a list of values"},
    {R"({"uniqueItems":1})", "'/uniqueItems' in the JSON Schema must be true or false"},
    {R"({"items":[{}]})",
     "'/items' in the JSON Schema must be a schema (a list of schemas is prefixItems)"},
    {R"({"allOf":[{},{"anyOf":{}}]})",
     "'/allOf/1/anyOf' in the JSON Schema must be a list of schemas"},
    {R"({"pattern":"a("})",
     "'/pattern' in the JSON Schema is no regular expression we can use: a group is not closed at "
     "character 3"},
    {R"({"patternProperties":{"[":{}}})",
     "'/patternProperties/[' in the JSON Schema is no regular expression we can use: '[' is not "
     "closed at character 2"},
    {R"({"$ref":1})", "'/$ref' in the JSON Schema must be a string"},
    {R"({"$id":1})", "'/$id' in the JSON Schema must be a string"},
    {R"({"$id":"#a"})", "'/$id' in the JSON Schema must not have a fragment (use $anchor)"},
    {R"({"$anchor":""})", "'/$anchor' in the JSON Schema must be a name without '/' and '#'"},
    {R"({"items":{"$ref":"#/$defs/a"}})",
     "'/items/$ref' in the JSON Schema refers to '#/$defs/a', which does not exist"},
    {R"({"$ref":"#a"})",
     "'/$ref' in the JSON Schema refers to '#a', an anchor that does not exist"},
    {R"({"$ref":"https://example.com/a.json"})",
     "'/$ref' in the JSON Schema refers to 'https://example.com/a.json', which is not in the "
     "schema "
     "(nothing is fetched; put it into $defs)"},
    {R"({"$ref":"#/$defs/a","$defs":{"a":{}},"properties":{"b":{"$ref":"#/required"}},"required":[]})",
     "'/required' in the JSON Schema must be a schema: an object, true or false"},
    {R"({"$schema":"http://json-schema.org/draft-04/schema#"})",
     "'/$schema' in the JSON Schema names a draft that is not known: "
     "'http://json-schema.org/draft-04/schema' (use draft 7 or 2020-12)"},
};
INSTANTIATE_TEST_SUITE_P(All, SchemaMistake, testing::ValuesIn(kWrong));

TEST(SchemaCompile, TheDraftIsSaidByTheSchema) {
  constexpr auto kSeven = R"({"$schema":"http://json-schema.org/draft-07/schema#",
                              "items":[{"type":"string"}],"additionalItems":false})";
  EXPECT_TRUE(valid(kSeven, R"(["a"])"));
  EXPECT_FALSE(valid(kSeven, "[1]"));
  EXPECT_FALSE(valid(kSeven, R"(["a","b"])"));
  EXPECT_FALSE(valid(R"({"prefixItems":[{"type":"string"}]})", "[1]"));
  EXPECT_TRUE(valid(R"({"$schema":"http://json-schema.org/draft-07/schema",
                        "prefixItems":[{"type":"string"}]})",
                    "[1]"));
}

TEST(SchemaCompile, InDraft7AReferenceHidesItsNeighbours) {
  const std::string rest =
      R"("$ref":"#/definitions/a","maximum":1,"definitions":{"a":{"type":"number"}}})";
  EXPECT_TRUE(valid(R"({"$schema":"http://json-schema.org/draft-07/schema#",)" + rest, "5"));
  EXPECT_FALSE(valid("{" + rest, "5"));
}

TEST(SchemaCompile, ReferencesGoByPointerAnchorAndAddress) {
  constexpr auto kSchema = R"({
    "$id":"https://example.com/top.json",
    "properties":{
      "pointer":{"$ref":"#/$defs/a~1b%25"},
      "anchor":{"$ref":"#number"},
      "relative":{"$ref":"other.json"},
      "absolute":{"$ref":"https://example.com/other.json#/$defs/inner"},
      "odd":{"$ref":"#/x-odd/0"}},
    "x-odd":[{"type":"null"}],
    "$defs":{
      "a/b%":{"type":"string"},
      "n":{"$anchor":"number","type":"number"},
      "o":{"$id":"other.json","type":"array","$defs":{"inner":{"type":"boolean"}}}}})";
  EXPECT_TRUE(
      valid(kSchema, R"({"pointer":"","anchor":1,"relative":[],"absolute":true,"odd":null})"));
  EXPECT_EQ(
      check(kSchema, R"({"pointer":1,"anchor":"","relative":1,"absolute":1,"odd":1})"),
      (Lines{"/pointer: must be string", "/anchor: must be number", "/relative: must be array",
             "/absolute: must be boolean", "/odd: must be null"}));
}

TEST(SchemaCompile, DynamicReferencesEndAtTheOutermostAnchor) {
  constexpr auto kTree = R"({
    "$id":"https://example.com/strict","$dynamicAnchor":"node","$ref":"tree",
    "unevaluatedProperties":false,
    "$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","properties":{
      "data":true,"children":{"items":{"$dynamicRef":"#node"}}}}}})";
  EXPECT_TRUE(valid(kTree, R"({"children":[{"data":1}]})"));
  EXPECT_EQ(check(kTree, R"({"children":[{"daat":1}]})"),
            Lines{"/children/0: must NOT have unevaluated properties"});
}

TEST(SchemaCompile, TheMetaschemasAreBuiltIn) {
  for (const std::string uri : {"http://json-schema.org/draft-07/schema#",
                                "https://json-schema.org/draft/2020-12/schema"}) {
    const auto schema = R"({"$schema":")" + uri + R"(","$ref":")" + uri + "\"}";
    EXPECT_TRUE(valid(schema, schema)) << uri;
    EXPECT_TRUE(valid(schema, R"({"properties":{"a":{"type":["string","null"]},"b":false}})"));
    EXPECT_FALSE(valid(schema, R"({"properties":{"a":{"type":"text"}}})")) << uri;
    EXPECT_FALSE(valid(schema, R"({"allOf":[{"not":{"minLength":-1}}]})")) << uri;
  }
}

TEST(SchemaCompile, TheTextIsNotNeededAfterwards) {
  auto text = std::make_unique<Document>(parse(R"({"properties":{"a":{"enum":["x"]}}})").value());
  const auto schema = Schema::compile(*text);
  text.reset();
  ASSERT_TRUE(schema);
  EXPECT_TRUE(schema->validate(parse(R"({"a":"x"})").value()).empty());
  EXPECT_EQ(
      schema->validate(parse(R"({"a":"y"})").value()),
      (std::vector<Violation>{{"/a", "must be equal to one of the allowed values", "enum", ""}}));
}

TEST(SchemaCompile, UnknownKeywordsAreLeftAlone) {
  EXPECT_TRUE(valid(R"({"$comment":1,"x-mine":{"$ref":"https://nowhere.test"},"title":"t"})", "1"));
}

}  // namespace
}  // namespace ralph::schema
