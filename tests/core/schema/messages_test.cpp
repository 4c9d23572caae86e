// Every assertion, in the words of ajv.
#include <nlohmann/json.hpp>

#include "core/schema/harness.h"

namespace ralph::schema {
namespace {

struct Sample {
  const char* schema;
  const char* value;
  Lines lines;
};

class SchemaMessages : public testing::TestWithParam<Sample> {};

TEST_P(SchemaMessages, AreThoseOfAjv) {
  EXPECT_EQ(check(GetParam().schema, GetParam().value), GetParam().lines)
      << GetParam().schema << " " << GetParam().value;
}

const Sample kScalars[] = {
    {R"({"type":"string"})", "1", {"root: must be string"}},
    {R"({"type":["string","null"]})", "1", {"root: must be string,null"}},
    {R"({"type":"integer"})", "1.5", {"root: must be integer"}},
    {R"({"type":"integer"})", "1.0", {}},
    {R"({"properties":{"summary":{"type":"string"}}})",
     R"({"summary":1})",
     {"/summary: must be string"}},
    {"false", "1", {"root: boolean schema is false"}},
    {R"({"const":{"a":[1,2]}})", R"({"a":[1,3]})", {"root: must be equal to constant"}},
    {R"({"const":{"a":1,"b":2.0}})", R"({"b":2,"a":1.0})", {}},
    {R"({"const":1})", "true", {"root: must be equal to constant"}},
    {R"({"const":"1"})", "1", {"root: must be equal to constant"}},
    {R"({"enum":["a",2]})", R"("b")", {"root: must be equal to one of the allowed values"}},
    {R"({"enum":["a",2]})", "2.0", {}},
    {R"({"enum":[9007199254740993]})",
     "9007199254740992",
     {"root: must be equal to one of the allowed values"}},
    {R"({"enum":[18446744073709551615]})", "18446744073709551615", {}},
    {R"({"enum":[0]})", "-0.0", {}},
    {R"({"minimum":1.5})", "1", {"root: must be >= 1.5"}},
    {R"({"maximum":3.0})", "4", {"root: must be <= 3"}},
    {R"({"exclusiveMinimum":0})", "0", {"root: must be > 0"}},
    {R"({"exclusiveMaximum":0.0001})", "1", {"root: must be < 0.0001"}},
    {R"({"maximum":9007199254740992})", "9007199254740993", {"root: must be <= 9007199254740992"}},
    {R"({"multipleOf":2})", "3", {"root: must be multiple of 2"}},
    {R"({"multipleOf":0.01})", "4.02", {}},
    {R"({"multipleOf":0.01})", "4.025", {"root: must be multiple of 0.01"}},
    {R"({"multipleOf":0.5})", "1e308", {}},
    {R"({"multipleOf":0.123456789})", "1e308", {"root: must be multiple of 0.123456789"}},
    {R"({"multipleOf":3})", "-9", {}},
    {R"({"multipleOf":7})", "-9223372036854775808", {"root: must be multiple of 7"}},
    {R"({"multipleOf":1e308})", "5e-324", {"root: must be multiple of 1e+308"}},
    {R"({"multipleOf":1e-300})", "1e300", {}},
    {R"({"minLength":2})", R"("😀")", {"root: must NOT have fewer than 2 characters"}},
    {R"({"maxLength":1})", R"("😀")", {}},
    {R"({"maxLength":1})", R"("ab")", {"root: must NOT have more than 1 characters"}},
    {R"({"pattern":"^a+$"})", R"("b")", {"root: must match pattern \"^a+$\""}},
    {R"({"format":"email"})", R"("no")", {}},
};
INSTANTIATE_TEST_SUITE_P(Scalars, SchemaMessages, testing::ValuesIn(kScalars));

const Sample kArrays[] = {
    {R"({"minItems":1})", "[]", {"root: must NOT have fewer than 1 items"}},
    {R"({"maxItems":1})", "[1,2]", {"root: must NOT have more than 1 items"}},
    {R"({"items":{"type":"string"}})",
     R"(["a",1,2])",
     {"/1: must be string", "/2: must be string"}},
    {R"({"prefixItems":[true],"items":false})", "[1,2]", {"root: must NOT have more than 1 items"}},
    {R"({"uniqueItems":true})",
     R"([{"a":1,"b":[2]},3,{"b":[2.0],"a":1}])",
     {"root: must NOT have duplicate items (items ## 0 and 2 are identical)"}},
    {R"({"uniqueItems":true})", R"([1,true,"1",[1],{"1":1},"true",null,"null",0,false])", {}},
    {R"({"uniqueItems":true})", R"([["a","b"],["a,b"],["a\",\"b"]])", {}},
    {R"({"contains":{"const":1}})",
     "[2]",
     {"/0: must be equal to constant", "root: must contain at least 1 valid item(s)"}},
    {R"({"contains":{"const":1},"minContains":1,"maxContains":1})",
     "[1,1]",
     {"root: must contain at least 1 and no more than 1 valid item(s)"}},
    {R"({"contains":false,"minContains":0})", "[2]", {}},
    {R"({"prefixItems":[true],"unevaluatedItems":false})",
     "[1,2]",
     {"root: must NOT have more than 1 items"}},
    {R"({"contains":{"type":"string"},"unevaluatedItems":{"type":"null"}})",
     R"(["a",null,1])",
     {"/2: must be null"}},
};
INSTANTIATE_TEST_SUITE_P(Arrays, SchemaMessages, testing::ValuesIn(kArrays));

const Sample kObjects[] = {
    {R"({"required":["summary"]})", "{}", {"root: must have required property 'summary'"}},
    {R"({"properties":{"a":{}},"additionalProperties":false})",
     R"({"a":1,"b":2,"c":3})",
     {"root: must NOT have additional properties"}},
    {R"({"patternProperties":{"^x":{}},"additionalProperties":{"type":"null"}})",
     R"({"x1":1,"a/b~c":2})",
     {"/a~1b~0c: must be null"}},
    {R"({"minProperties":1})", "{}", {"root: must NOT have fewer than 1 properties"}},
    {R"({"maxProperties":0})", R"({"a":1})", {"root: must NOT have more than 0 properties"}},
    {R"({"propertyNames":{"maxLength":1}})",
     R"({"ab":1})",
     {"root: must NOT have more than 1 characters", "root: property name must be valid"}},
    {R"({"dependentRequired":{"a":["b"]}})",
     R"({"a":1})",
     {"root: must have property b when property a is present"}},
    {R"({"dependentRequired":{"a":["b","c"]}})",
     R"({"a":1,"b":1})",
     {"root: must have properties b, c when property a is present"}},
    {R"({"dependentSchemas":{"a":{"minProperties":2}}})",
     R"({"a":1})",
     {"root: must NOT have fewer than 2 properties"}},
    {R"({"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false})",
     R"({"a":1,"b":2})",
     {"root: must NOT have unevaluated properties"}},
    {R"({"if":{"properties":{"a":{"const":1}}},"unevaluatedProperties":{"type":"null"}})",
     R"({"a":1,"b":2})",
     {"/b: must be null"}},
};
INSTANTIATE_TEST_SUITE_P(Objects, SchemaMessages, testing::ValuesIn(kObjects));

const Sample kCombined[] = {
    {R"({"not":{"type":"string"}})", R"("a")", {"root: must NOT be valid"}},
    {R"({"anyOf":[{"type":"string"},{"type":"null"}]})",
     "1",
     {"root: must be string", "root: must be null", "root: must match a schema in anyOf"}},
    {R"({"anyOf":[{"type":"string"},{"type":"number"}]})", "1", {}},
    {R"({"oneOf":[{"type":"number"},{"minimum":1}]})",
     "1",
     {"root: must match exactly one schema in oneOf"}},
    {R"({"allOf":[{"type":"string"},{"type":"null"}]})",
     "1",
     {"root: must be string", "root: must be null"}},
    {R"({"if":{"minimum":5},"then":{"multipleOf":2},"else":{"multipleOf":3}})",
     "7",
     {"root: must be multiple of 2", "root: must match \"then\" schema"}},
    {R"({"if":{"minimum":5},"then":{"multipleOf":2},"else":{"multipleOf":3}})",
     "4",
     {"root: must be multiple of 3", "root: must match \"else\" schema"}},
};
INSTANTIATE_TEST_SUITE_P(Combined, SchemaMessages, testing::ValuesIn(kCombined));

TEST(SchemaMessage, ComeInTheOrderOfTheValue) {
  EXPECT_EQ(
      check(R"({"type":"object","required":["z"],
                      "properties":{"a":{"type":"string"},"b":{"items":{"type":"null"}}}})",
            R"({"b":[null,1],"a":2})"),
      (Lines{"root: must have required property 'z'", "/b/1: must be null", "/a: must be string"}));
}

TEST(SchemaViolation, NamesTheKeywordAndTheProperty) {
  const auto schema =
      Schema::compile(parse(R"({"required":["it's"],"additionalProperties":false})").value());
  const auto found = schema->validate(parse(R"({"other":1})").value());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].keyword, "required");
  EXPECT_EQ(found[0].parameter, "it's");
  EXPECT_EQ(found[1].keyword, "additionalProperties");
  EXPECT_EQ(found[1].parameter, "other");
}

}  // namespace
}  // namespace ralph::schema
