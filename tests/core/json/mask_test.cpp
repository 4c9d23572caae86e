#include "core/json/mask.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json/document.h"

namespace ralph::json {
namespace {

const Masker kMasker({"DB_PASSWORD=hunter2\"hunter2", "API_TOKEN=session_id", "X_SECRET=12345678"});

TEST(MaskJson, MasksValuesAndNeverKeysOrNumbers) {
  EXPECT_EQ(mask(R"({"session_id":"session_id","n":12345678,"l":["12345678"]})", kMasker),
            R"({"session_id":"***","n":12345678,"l":["***"]})");
  EXPECT_EQ(mask(R"({"session_id" : "x"})", kMasker), R"({"session_id" : "x"})");
}

TEST(MaskJson, SeesThroughEscapes) {
  EXPECT_EQ(mask(R"({"a":"- hunter2\"hunter2 -"})", kMasker), R"({"a":"- *** -"})");
  EXPECT_EQ(mask(R"({"a":"hunter2\u0022hunter\u0032\n"})", kMasker), R"({"a":"***\n"})");
  EXPECT_EQ(mask(R"({"a":"\ud83d\ude00 12345678"})", kMasker), "{\"a\":\"\xF0\x9F\x98\x80 ***\"}");
}

TEST(MaskJson, KeepsTheSpellingOfWhatHoldsNoSecret) {
  const std::string text = R"({"a":"\u00e9\/\"\\","b":[ 1 , "x:y" ],"":""} )";
  EXPECT_EQ(mask(text, kMasker), text);
}

TEST(MaskJson, StaysValidJson) {
  const std::string key = "sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHHIIIIJJJJ-abcd";
  const std::vector<std::string> texts{R"({"a":")" + key + R"("})", R"(["\")" + key + R"(\\"])",
                                       R"("x )" + key + R"(\n")",
                                       R"({"k":{"hunter2\"hunter2":"12345678"}})"};
  for (const auto& text : texts) {
    const auto masked = mask(text, kMasker);
    EXPECT_TRUE(json::parse(masked)) << masked;
    EXPECT_EQ(masked.find("AAAABBBB"), std::string::npos) << masked;
  }
}

TEST(MaskJson, StaysInBoundsOnTextThatIsNoJson) {
  for (const std::string text : {"", "\"", "\"\\", "{\"a", "\"\\u", "\"\\ud83d", "\"\\ud83d\\",
                                 "\"\\ud83d\\u1\"", "\"\\u12\":"}) {
    EXPECT_NO_FATAL_FAILURE(mask(text, kMasker)) << text;
  }
}

}  // namespace
}  // namespace ralph::json
