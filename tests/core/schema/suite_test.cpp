// The official JSON-Schema-Test-Suite, where scripts/schema_suite puts it or in the folder RALPH_JSON_SCHEMA_SUITE names.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/json/document.h"
#include "core/schema/schema.h"

namespace ralph::schema {
namespace {

namespace fs = std::filesystem;

/// Groups that need documents of a remote server, which is never asked: their schemas are refused.
struct Exclusion {
  std::string_view file, group;
};
constexpr auto kRemote = std::to_array<Exclusion>({
    {"draft7/refRemote.json", "remote ref"},
    {"draft7/refRemote.json", "fragment within remote ref"},
    {"draft7/refRemote.json", "ref within remote ref"},
    {"draft7/refRemote.json", "base URI change"},
    {"draft7/refRemote.json", "base URI change - change folder"},
    {"draft7/refRemote.json", "base URI change - change folder in subschema"},
    {"draft7/refRemote.json", "root ref in remote ref"},
    {"draft7/refRemote.json", "remote ref with ref to definitions"},
    {"draft7/refRemote.json", "Location-independent identifier in remote ref"},
    {"draft7/refRemote.json", "retrieved nested refs resolve relative to their URI not $id"},
    {"draft7/refRemote.json", "$ref to $ref finds location-independent $id"},
    {"draft2020-12/dynamicRef.json", "strict-tree schema, guards against misspelled properties"},
    {"draft2020-12/dynamicRef.json", "tests for implementation dynamic anchor and reference link"},
    {"draft2020-12/dynamicRef.json",
     "$ref and $dynamicAnchor are independent of order - $defs first"},
    {"draft2020-12/dynamicRef.json",
     "$ref and $dynamicAnchor are independent of order - $ref first"},
    {"draft2020-12/dynamicRef.json", "$ref to $dynamicRef finds detached $dynamicAnchor"},
    {"draft2020-12/refRemote.json", "remote ref"},
    {"draft2020-12/refRemote.json", "fragment within remote ref"},
    {"draft2020-12/refRemote.json", "anchor within remote ref"},
    {"draft2020-12/refRemote.json", "ref within remote ref"},
    {"draft2020-12/refRemote.json", "base URI change"},
    {"draft2020-12/refRemote.json", "base URI change - change folder"},
    {"draft2020-12/refRemote.json", "base URI change - change folder in subschema"},
    {"draft2020-12/refRemote.json", "root ref in remote ref"},
    {"draft2020-12/refRemote.json", "remote ref with ref to defs"},
    {"draft2020-12/refRemote.json", "Location-independent identifier in remote ref"},
    {"draft2020-12/refRemote.json", "retrieved nested refs resolve relative to their URI not $id"},
    {"draft2020-12/refRemote.json", "remote HTTP ref with different $id"},
    {"draft2020-12/refRemote.json", "remote HTTP ref with different URN $id"},
    {"draft2020-12/refRemote.json", "remote HTTP ref with nested absolute ref"},
    {"draft2020-12/refRemote.json", "$ref to $ref finds detached $anchor"},
    {"draft2020-12/vocabulary.json",
     "schema that uses custom metaschema with with no validation vocabulary"},
    {"draft2020-12/vocabulary.json", "ignore unrecognized optional vocabulary"},
});

bool excluded(std::string_view file, std::string_view group) {
  return std::ranges::any_of(kRemote, [&](const Exclusion& exclusion) {
    return exclusion.file == file && exclusion.group == group;
  });
}

struct Tally {
  int passed = 0, wrong = 0, excluded = 0;
};

void run_group(const Document& group, const std::string& name, const Schema& schema, Tally& tally) {
  for (const auto& test : group["tests"]) {
    const bool valid = schema.validate(test["data"]).empty();
    const bool right = valid == test["valid"].get<bool>();
    ++(right ? tally.passed : tally.wrong);
    EXPECT_TRUE(right) << name << ": " << test["description"].get<std::string>();
  }
}

/// Draft 7 must be asked for; the schemas of its tests do not.
void run_file(const fs::path& file, const std::string& name, bool draft7, Tally& tally) {
  const auto groups = json::parse(read_file(file).value(), file.native()).value();
  for (const auto& group : groups) {
    auto schema = group["schema"];
    if (draft7 && schema.is_object()) schema["$schema"] = "http://json-schema.org/draft-07/schema#";
    const auto description = group["description"].get<std::string>();
    const auto compiled = Schema::compile(schema);
    if (excluded(name, description)) {
      EXPECT_FALSE(compiled) << name << ": " << description;
      tally.excluded += static_cast<int>(group["tests"].size());
    } else if (compiled) {
      run_group(group, name + ": " + description, *compiled, tally);
    } else {
      ADD_FAILURE() << name << ": " << description << ": " << describe(compiled.error());
    }
  }
}

void run_files(const fs::path& tests, const std::vector<std::string>& names, bool draft7) {
  Tally tally;
  for (const auto& name : names) run_file(tests / name, name, draft7, tally);
  std::cout << tally.passed << " passed, " << tally.wrong << " wrong, " << tally.excluded
            << " excluded\n";
}

std::vector<std::string> mandatory(const fs::path& tests, const std::string& draft) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(tests / draft)) {
    if (entry.path().extension() == ".json") {
      names.push_back(draft + "/" + entry.path().filename().native());
    }
  }
  std::ranges::sort(names);
  return names;
}

class SchemaSuite : public testing::Test {
 protected:
  void SetUp() override {
    const char* const named = std::getenv("RALPH_JSON_SCHEMA_SUITE");
    const fs::path fetched = RALPH_FIXTURES "/../../build/json-schema-test-suite";
    tests_ = (named == nullptr ? fetched : fs::path(named)) / "tests";
    if (named == nullptr && !fs::exists(tests_)) {
      GTEST_SKIP() << "no JSON-Schema-Test-Suite: run scripts/schema_suite";
    }
  }

  fs::path tests_;
};

TEST_F(SchemaSuite, Draft7) {
  const auto names = mandatory(tests_, "draft7");
  ASSERT_GT(names.size(), 30U);
  run_files(tests_, names, true);
}

TEST_F(SchemaSuite, Draft202012) {
  const auto names = mandatory(tests_, "draft2020-12");
  ASSERT_GT(names.size(), 40U);
  run_files(tests_, names, false);
}

TEST_F(SchemaSuite, OptionalOfDraft7) {
  run_files(tests_,
            {"draft7/optional/bignum.json", "draft7/optional/ecmascript-regex.json",
             "draft7/optional/float-overflow.json", "draft7/optional/id.json",
             "draft7/optional/non-bmp-regex.json", "draft7/optional/unknownKeyword.json"},
            true);
}

TEST_F(SchemaSuite, OptionalOfDraft202012) {
  const std::string folder = "draft2020-12/optional/";
  run_files(
      tests_,
      {folder + "anchor.json", folder + "bignum.json", folder + "dependencies-compatibility.json",
       folder + "dynamicRef.json", folder + "ecmascript-regex.json", folder + "float-overflow.json",
       folder + "id.json", folder + "no-schema.json", folder + "non-bmp-regex.json",
       folder + "refOfUnknownKeyword.json", folder + "unknownKeyword.json"},
      false);
}

}  // namespace
}  // namespace ralph::schema
