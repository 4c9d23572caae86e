#include "core/config/settings_schema.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/setting.h"
#include "core/json/document.h"
#include "core/schema/schema.h"

namespace ralph::config {
namespace {

using json::Document;

class SettingsSchema : public testing::Test {
 protected:
  std::string complaint(const Document& settings) const {
    const auto violations = schema_.validate(settings);
    return violations.empty() ? "" : violations.front().pointer + violations.front().message;
  }

  schema::Schema schema_ =
      schema::Schema::compile(json::parse(settings_schema(), "schema").value()).value();
};

TEST_F(SettingsSchema, TakesEveryDefaultAndEveryChoice) {
  for (const auto& row : settings_table()) {
    Document value = row.kind == Kind::boolean   ? Document(row.fallback == "true")
                     : row.kind == Kind::integer ? Document(row.least)
                     : row.kind == Kind::money   ? Document(2.5)
                     : row.kind == Kind::map     ? Document{{"A", 1}}
                                                 : Document(std::string(row.fallback));
    if (row.kind == Kind::duration && row.fallback.empty()) value = "1h30m";
    if (row.kind == Kind::choice && row.fallback.empty()) value = nullptr;
    EXPECT_EQ(complaint({{std::string(row.key), value}}), "") << row.key;
    EXPECT_EQ(complaint({{std::string(row.key), nullptr}}), "") << row.key;
    for (auto rest = row.choices; !rest.empty();) {
      const auto bar = std::min(rest.find('|'), rest.size());
      EXPECT_EQ(complaint({{std::string(row.key), std::string(rest.substr(0, bar))}}), "");
      rest.remove_prefix(std::min(rest.size(), bar + 1));
    }
  }
}

TEST_F(SettingsSchema, TakesWhatAFileMayAlsoSay) {
  for (
      const auto* const text :
      {R"({})", R"(null)", R"({"sandbox":true})", R"({"verify":"make test"})", R"({"timeout":90})",
       R"({"verify":{"commands":["make test"],"timeout":"5m","protect":["tests/**"],"clean":true}})",
       R"({"event_loop":{"a":1},"_own":[1],"pty_mode":true})", R"({"max_cost":"$2.50"})",
       R"({"allowed_tools":["Read","Edit"],"env":{"CI":"1","N":2}})"}) {
    EXPECT_EQ(complaint(json::parse(text, "t").value()), "") << text;
  }
}

TEST_F(SettingsSchema, RefusesWhatRalphRefuses) {
  for (const auto* const text :
       {R"({"backnd":"claude"})", R"({"mode":"writer"})", R"({"max_cost":0})", R"({"max_turns":0})",
        R"({"timeout":"soon"})", R"({"verify":{"command":"x"}})", R"({"quiet":"yes"})", R"([])"}) {
    EXPECT_NE(complaint(json::parse(text, "t").value()), "") << text;
  }
}

}  // namespace
}  // namespace ralph::config
