// The official JSON-Schema-Test-Suite, from the folder RALPH_JSON_SCHEMA_SUITE names.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "json/document.h"
#include "json/schema.h"

namespace ralph::json {
namespace {

namespace fs = std::filesystem;

/// Groups that need documents of a remote server; "": all of the file.
struct Exclusion {
  std::string_view file, group;
};
constexpr auto kRemote = std::to_array<Exclusion>({
    {"draft7/refRemote.json", ""},
    {"draft2020-12/refRemote.json", ""},
});

bool excluded(std::string_view file, std::string_view group) {
  return std::ranges::any_of(kRemote, [&](const Exclusion& exclusion) {
    return exclusion.file == file && (exclusion.group.empty() || exclusion.group == group);
  });
}

struct Tally {
  int passed = 0, wrong = 0, excluded = 0;
};

void run_group(const Document& group, const std::string& name, Document schema,
               const std::string& draft_uri, Tally& tally) {
  if (schema.is_object() && !schema.contains("$schema")) schema["$schema"] = draft_uri;
  const auto compiled = Schema::compile(schema);
  if (!compiled) {
    tally.wrong += static_cast<int>(group["tests"].size());
    ADD_FAILURE() << name << ": " << describe(compiled.error());
    return;
  }
  for (const auto& test : group["tests"]) {
    const bool valid = compiled->validate(test["data"]).empty();
    const bool right = valid == test["valid"].get<bool>();
    ++(right ? tally.passed : tally.wrong);
    EXPECT_TRUE(right) << name << ": " << test["description"].get<std::string>();
  }
}

void run_draft(const std::string& draft, const std::string& draft_uri,
               std::initializer_list<std::string_view> optional) {
  const char* const suite = std::getenv("RALPH_JSON_SCHEMA_SUITE");
  if (suite == nullptr) {
    GTEST_SKIP() << "RALPH_JSON_SCHEMA_SUITE does not name a JSON-Schema-Test-Suite";
  }
  const auto folder = fs::path(suite) / "tests" / draft;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  for (const auto name : optional) files.push_back(folder / "optional" / name);
  std::ranges::sort(files);
  ASSERT_GT(files.size(), 30U);
  Tally tally;
  for (const auto& file : files) {
    const auto groups = parse(read_file(file).value(), file.native()).value();
    const auto name = draft + "/" + fs::relative(file, folder).native();
    for (const auto& group : groups) {
      const auto description = group["description"].get<std::string>();
      if (excluded(name, description)) {
        tally.excluded += static_cast<int>(group["tests"].size());
      } else {
        run_group(group, name + ": " + description, group["schema"], draft_uri, tally);
      }
    }
  }
  std::cout << draft << ": " << tally.passed << " passed, " << tally.wrong << " wrong, "
            << tally.excluded << " excluded\n";
}

TEST(SchemaSuite, Draft7) {
  run_draft("draft7", "http://json-schema.org/draft-07/schema#",
            {"bignum.json", "ecmascript-regex.json", "float-overflow.json", "id.json",
             "non-bmp-regex.json", "unknownKeyword.json"});
}

TEST(SchemaSuite, Draft202012) {
  run_draft("draft2020-12", "https://json-schema.org/draft/2020-12/schema",
            {"anchor.json", "bignum.json", "dependencies-compatibility.json", "dynamicRef.json",
             "ecmascript-regex.json", "float-overflow.json", "id.json", "no-schema.json",
             "non-bmp-regex.json", "refOfUnknownKeyword.json", "unknownKeyword.json"});
}

}  // namespace
}  // namespace ralph::json
