// Hostile schemas, values and patterns end with an error or a violation, and soon.
#include <nlohmann/json.hpp>

#include "core/schema/harness.h"

namespace ralph::schema {
namespace {

Document nested(std::size_t depth, const char* key = nullptr) {
  Document value = true;
  for (std::size_t i = 0; i < depth; ++i) {
    Document outer = key == nullptr ? Document::array() : Document::object();
    if (key == nullptr) {
      outer.push_back(std::move(value));
    } else {
      outer[key] = std::move(value);
    }
    value = std::move(outer);
  }
  return value;
}

TEST(SchemaLimits, AVeryDeepValueIsAViolation) {
  for (const auto* const schema :
       {"{}", R"({"items":{"$ref":"#"}})", R"({"const":1})", R"({"uniqueItems":true})"}) {
    EXPECT_EQ(check_value(parse(schema).value(), nested(10'000)),
              Lines{"root: must NOT be nested more than 512 levels deep"})
        << schema;
  }
}

TEST(SchemaLimits, AVeryDeepSchemaIsAnError) {
  for (const auto* const key : {"not", "x-unknown", "const"}) {
    const auto schema = Schema::compile(nested(10'000, key));
    ASSERT_FALSE(schema);
    EXPECT_EQ(schema.error().message, "the JSON Schema is nested more than 512 levels deep");
    EXPECT_EQ(schema.error().code, Code::limit);
  }
}

TEST(SchemaLimits, WhatCanBeParsedCanBeChecked) {
  const auto schema = parse(R"({"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[
      {"allOf":[{"items":{"$ref":"#"},"additionalProperties":{"$ref":"#"}}]}, false]}}})");
  EXPECT_EQ(check_value(*schema, nested(json::kMaxDepth)), Lines{});
  EXPECT_EQ(check_value(*schema, nested(json::kMaxDepth, "a")), Lines{});
  EXPECT_EQ(check_value(nested(json::kMaxDepth, "not"), Document(1)), Lines{});
}

TEST(SchemaLimits, ASchemaThatLeadsIntoItselfEnds) {
  const Lines stopped{"root: is too complex to be checked: the schema leads into itself too often"};
  EXPECT_EQ(check(R"({"$ref":"#"})", "1"), stopped);
  EXPECT_EQ(check(R"({"not":{"$ref":"#"}})", "1"), stopped);
  EXPECT_EQ(check(R"({"anyOf":[{"$ref":"#"},true]})", "1"), stopped);
  EXPECT_EQ(check(R"({"unevaluatedProperties":false,"dependentSchemas":{"a":{"$ref":"#"}}})",
                  R"({"a":1})"),
            stopped);
}

TEST(SchemaLimits, ExponentialWorkEnds) {
  Document schema = {{"$ref", "#/$defs/a0"}};
  for (int i = 0; i < 40; ++i) {
    const Document next = {{"$ref", "#/$defs/a" + std::to_string(i + 1)}};
    schema["$defs"]["a" + std::to_string(i)] = {{"anyOf", {next, next, next}}};
  }
  schema["$defs"]["a40"] = {{"type", "string"}};
  SchemaLimits limits;
  limits.work = 100'000;
  EXPECT_EQ(check_value(schema, Document(1), limits),
            Lines{"root: is too complex to be checked against this schema"});
}

TEST(SchemaLimits, AHostilePatternIsAViolationWhereItStands) {
  const Document value = {{"a", std::string(20'000, 'a') + "!"}};
  SchemaLimits limits;
  limits.matching = 100'000;
  const Lines lines{"/a: is too complex to be matched against pattern \"(a+)+$\""};
  const auto in_a = [](const Document& schema) {
    return Document{{"properties", {{"a", schema}}}};
  };
  const Document hostile = {{"pattern", "(a+)+$"}};
  EXPECT_EQ(check_value(in_a(hostile), value, limits), lines);
  EXPECT_EQ(check_value(in_a({{"not", hostile}}), value, limits), lines);
}

TEST(SchemaLimits, AHostileNameIsAViolation) {
  const Document schema = {{"patternProperties", {{"(a+)+$", true}}}};
  const Document value = {{std::string(5'000, 'a') + "!", 1}};
  SchemaLimits limits;
  limits.matching = 100'000;
  EXPECT_EQ(check_value(schema, value, limits),
            Lines{"root: is too complex to be matched against pattern \"(a+)+$\""});
}

TEST(SchemaLimits, AFewViolationsAreEnough) {
  const Document value(1'000, 1);
  const auto schema = parse(R"({"items":{"type":"string"}})").value();
  EXPECT_EQ(check_value(schema, value).size(), 10U);
  SchemaLimits limits;
  limits.violations = 1;
  EXPECT_EQ(check_value(schema, value, limits), Lines{"/0: must be string"});
}

TEST(SchemaLimits, AlternativesAreJudgedEvenWhenNothingMoreIsReported) {
  SchemaLimits limits;
  limits.violations = 1;
  EXPECT_EQ(check(R"({"anyOf":[{"items":{"type":"string"}},{"type":"array"}]})", "[1,2,3]", limits),
            Lines{});
}

TEST(SchemaLimits, LongNamesAndPatternsAreCutInMessages) {
  const Document schema = {{"required", {std::string(100'000, 'x')}}};
  EXPECT_LT(check_value(schema, Document::object()).at(0).size(), 1'000U);
  const Document pattern = {{"pattern", std::string(20'000, 'x')}};
  EXPECT_LT(check_value(pattern, Document("a")).at(0).size(), 1'000U);
}

// Quadratic work would not end before the test's deadline.
TEST(SchemaLimits, ManyPropertiesAreNoProblem) {
  constexpr int kMany = 100'000;
  Document::object_t properties, members;
  Document required = Document::array();
  for (int i = 0; i < kMany; ++i) {
    const auto name = "key" + std::to_string(i);
    properties.emplace_back(name, Document{{"type", "integer"}});
    members.emplace_back(name, i);
    required.push_back(name);
  }
  const Document schema = {
      {"properties", properties}, {"required", required}, {"additionalProperties", false}};
  EXPECT_EQ(check_value(schema, Document(members)), Lines{});
  EXPECT_EQ(check_value(Document{{"enum", {Document(members)}}}, Document(members)), Lines{});
}

TEST(SchemaLimits, ManyItemsAreComparedOnce) {
  Document items = Document::array();
  for (int i = 0; i < 200'000; ++i) items.push_back({{"number", i}});
  const Document schema = {{"uniqueItems", true}};
  EXPECT_EQ(check_value(schema, items), Lines{});
  items.push_back({{"number", 17.0}});
  EXPECT_EQ(check_value(schema, items),
            Lines{"root: must NOT have duplicate items (items ## 17 and 200000 are identical)"});
}

}  // namespace
}  // namespace ralph::schema
