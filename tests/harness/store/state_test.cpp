#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "core/json/document.h"
#include "harness/store/budget.h"
#include "harness/store/sessions.h"
#include "support/temp_folder.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;
using test::mode_of;
using test::TempFolder;
using test::text_of;

const UtcTime kTime{Millis(1'767'268'800'123)};
constexpr auto kIsoTime = "2026-01-01T12:00:00.123Z";

json::Document document_in(const fs::path& file) {
  return json::parse(text_of(file)).value_or(json::Document());
}

/// What is in a folder that begins so.
std::vector<fs::path> beginning_with(const fs::path& folder, std::string_view words) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().native().starts_with(words)) found.push_back(entry.path());
  }
  return found;
}

SessionRecord record(std::string id) {
  return {.id = std::move(id), .backend = "claude", .total_cost_usd = 0.25, .updated = kTime};
}

/// Texts no state file may hold.
const std::string kGarbage[] = {"",
                                " \n",
                                "{",
                                "null",
                                "[]",
                                "3",
                                "\"text\"",
                                "{}}",
                                std::string("\0\0\0", 3),
                                "\xff\xfe{}",
                                std::string(100'000, '['),
                                "not json at all"};

class StateTest : public testing::Test {
 protected:
  Sessions load() {
    warning_.clear();
    auto sessions = Sessions::load(Location(file_), warning_);
    EXPECT_TRUE(sessions) << describe(sessions.error());
    return *std::move(sessions);
  }
  /// Exactly one file was moved aside, it holds `text`, and the warning names it.
  void expect_moved_aside(const std::string& text) {
    const auto aside = beginning_with(folder_.path(), file_.filename().native() + ".bad-");
    ASSERT_EQ(aside.size(), 1u) << text;
    EXPECT_EQ(text_of(aside[0]), text);
    EXPECT_NE(warning_.find("'" + aside[0].native() + "'"), std::string::npos) << warning_;
    EXPECT_FALSE(fs::exists(file_));
    fs::remove(aside[0]);
  }

  TempFolder folder_;
  fs::path file_ = folder_ / "claude-session.json";
  std::string warning_;
};

TEST_F(StateTest, SessionsComeBackAsTheyWere) {
  auto sessions = load();
  EXPECT_EQ(sessions.of_mode("coder"), "");
  EXPECT_FALSE(sessions.find("s1"));
  const SessionRecord first{.id = "s1",
                            .forked_from = "s0",
                            .backend = "claude",
                            .total_cost_usd = 1.25,
                            .system_prompt_digest = std::string(64, 'a'),
                            .updated = kTime};
  sessions.remember("coder", first);
  ASSERT_TRUE(sessions.save());
  EXPECT_EQ(mode_of(file_), 0600u);

  const auto again = load();
  EXPECT_EQ(warning_, "");
  EXPECT_EQ(again.of_mode("coder"), "s1");
  EXPECT_EQ(again.of_mode("planner"), "");
  const auto found = again.find("s1");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, first.id);
  EXPECT_EQ(found->forked_from, first.forked_from);
  EXPECT_EQ(found->backend, first.backend);
  EXPECT_EQ(found->total_cost_usd, first.total_cost_usd);
  EXPECT_EQ(found->system_prompt_digest, first.system_prompt_digest);
  EXPECT_EQ(found->updated, first.updated);
}

TEST_F(StateTest, SessionsHaveTheDocumentedMembers) {
  auto sessions = load();
  sessions.remember("planner", record("p"));
  sessions.remember("coder", record("c"));
  ASSERT_TRUE(sessions.save());
  const auto root = document_in(file_);
  EXPECT_EQ(root["planner_session_id"], "p");
  EXPECT_EQ(root["coder_session_id"], "c");
  EXPECT_EQ(root["updated_at"], kIsoTime);
  EXPECT_EQ(root["sessions"].size(), 2u);
}

TEST_F(StateTest, WhatOthersWroteIntoSessionsStays) {
  folder_.write("claude-session.json",
                R"({"future":{"a":[1,2.5]},"coder_session_id":null,"updated_at":"2026-01-16T",)"
                R"("sessions":{"s1":{"note":"mine","backend":"old"}},"planner_session_id":"p"})");
  auto sessions = load();
  EXPECT_EQ(warning_, "");
  EXPECT_EQ(sessions.of_mode("planner"), "p");
  EXPECT_EQ(sessions.of_mode("coder"), "");
  sessions.remember("coder", record("s1"));
  ASSERT_TRUE(sessions.save());
  const auto root = document_in(file_);
  EXPECT_EQ(root["future"].dump(), R"({"a":[1,2.5]})");
  EXPECT_EQ(root["planner_session_id"], "p");
  EXPECT_EQ(root["sessions"]["s1"]["note"], "mine");
  EXPECT_EQ(root["sessions"]["s1"]["backend"], "claude");
  EXPECT_EQ(root.begin().key(), "future") << "keys keep their order";
}

TEST_F(StateTest, TheNewestSessionsAreKeptAndThoseOfModes) {
  auto sessions = load();
  sessions.remember("planner", record("plan"));
  for (int i = 0; i < 1000; ++i) sessions.remember("coder", record("s" + std::to_string(i)));
  sessions.remember("coder", record("s960"));
  sessions.remember("coder", record("new"));
  ASSERT_TRUE(sessions.save());
  const auto records = document_in(file_)["sessions"];
  EXPECT_EQ(records.size(), Sessions::kMostRecords);
  EXPECT_TRUE(records.contains("plan"));
  EXPECT_TRUE(records.contains("s960"));
  EXPECT_TRUE(records.contains("s999"));
  EXPECT_FALSE(records.contains("s951"));
  EXPECT_EQ(sessions.of_mode("coder"), "new");
}

TEST_F(StateTest, SessionsOfManyModesAreBoundedToo) {
  auto sessions = load();
  for (int i = 0; i < 60; ++i) {
    sessions.remember("mode" + std::to_string(i), record("s" + std::to_string(i)));
  }
  ASSERT_TRUE(sessions.save());
  EXPECT_EQ(document_in(file_)["sessions"].size(), Sessions::kMostRecords);
}

TEST_F(StateTest, ASessionWithoutAModeOrAnId) {
  auto sessions = load();
  sessions.remember("", record("s1"));
  sessions.remember("coder", record(""));
  EXPECT_TRUE(sessions.find("s1"));
  EXPECT_EQ(sessions.of_mode(""), "");
  EXPECT_EQ(sessions.of_mode("coder"), "");
}

TEST_F(StateTest, GarbageInSessionsIsMovedAside) {
  for (const auto& text : kGarbage) {
    folder_.write("claude-session.json", text);
    auto sessions = load();
    expect_moved_aside(text);
    sessions.remember("coder", record("s1"));
    ASSERT_TRUE(sessions.save());
    EXPECT_EQ(load().of_mode("coder"), "s1");
    fs::remove(file_);
  }
}

TEST_F(StateTest, WrongTypesInSessionsAreMovedAside) {
  const std::string texts[] = {
      R"({"coder_session_id":5})",
      R"({"updated_at":[]})",
      R"({"sessions":[]})",
      R"({"sessions":{"s1":"x"}})",
      R"({"sessions":{"s1":{"backend":1}}})",
      R"({"sessions":{"s1":{"total_cost_usd":"much"}}})",
      R"({"sessions":{"s1":{"total_cost_usd":1e999}}})",
  };
  for (const auto& text : texts) {
    folder_.write("claude-session.json", text);
    load();
    expect_moved_aside(text);
  }
}

TEST_F(StateTest, HugeAndHostileValuesInSessions) {
  folder_.write("claude-session.json",
                R"({"coder_session_id":"\ud800","sessions":{"s1":{"total_cost_usd":)" +
                    std::string(300, '9') + R"(,"updated_at":"never"}}})");
  const auto sessions = load();
  EXPECT_EQ(warning_, "");
  EXPECT_EQ(sessions.of_mode("coder"), "\xEF\xBF\xBD");
  ASSERT_TRUE(sessions.find("s1"));
  EXPECT_GT(sessions.find("s1")->total_cost_usd, 1e299);
  EXPECT_EQ(sessions.find("s1")->updated, UtcTime{});
}

TEST_F(StateTest, ATooLargeFileIsMovedAside) {
  const std::string text = R"({"x":")" + std::string(5 << 20, 'x') + "\"}";
  folder_.write("claude-session.json", text);
  load();
  expect_moved_aside(text);
}

TEST_F(StateTest, OlderFilesThatWereMovedAsideStay) {
  for (int i = 0; i < 5; ++i) {
    folder_.write("claude-session.json", "garbage " + std::to_string(i));
    load();
  }
  std::set<std::string> texts;
  for (const auto& path : beginning_with(folder_.path(), "claude-session.json.bad-")) {
    texts.insert(text_of(path));
  }
  EXPECT_EQ(texts.size(), 5u);
}

TEST_F(StateTest, AFolderOrAPipeInPlaceIsMovedAside) {
  folder_.write("claude-session.json/inside", "precious");
  load();
  const auto aside = beginning_with(folder_.path(), "claude-session.json.bad-");
  ASSERT_EQ(aside.size(), 1u);
  EXPECT_EQ(text_of(aside[0] / "inside"), "precious");
  EXPECT_NE(warning_.find(aside[0].native()), std::string::npos);

  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  auto sessions = load();
  EXPECT_NE(warning_, "");
  sessions.remember("coder", record("s1"));
  EXPECT_TRUE(sessions.save());
}

TEST_F(StateTest, ALinkToNowhereIsMovedAside) {
  fs::create_symlink("nowhere", file_);
  auto sessions = load();
  EXPECT_NE(warning_, "");
  sessions.remember("coder", record("s1"));
  ASSERT_TRUE(sessions.save());
  EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
}

TEST_F(StateTest, SessionsInAFolderThatIsNone) {
  folder_.write("file", "");
  const Location file(folder_ / "file" / "sessions.json");
  const auto loaded = Sessions::load(file, warning_);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Code::storage);
  const auto saved = Sessions::peek(file, warning_).save();
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, Code::storage);
}

TEST_F(StateTest, ABudgetComesBackAsItWas) {
  file_ = folder_ / "budget.json";
  const auto empty = load_budget(Location(file_), warning_);
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->iterations, 0);
  EXPECT_EQ(empty->max_cost_usd, std::nullopt);
  ASSERT_TRUE(save_budget(Location(file_), {1.234, 10.5, 123'456, std::nullopt}));
  EXPECT_EQ(mode_of(file_), 0600u);
  EXPECT_EQ(
      document_in(file_).dump(),
      R"({"total_cost_usd":1.234,"max_cost_usd":10.5,"iterations":123456,"max_iterations":null})");
  const auto budget = load_budget(Location(file_), warning_);
  ASSERT_TRUE(budget);
  EXPECT_EQ(warning_, "");
  EXPECT_EQ(budget->total_cost_usd, 1.234);
  EXPECT_EQ(budget->max_cost_usd, 10.5);
  EXPECT_EQ(budget->iterations, 123'456);
  EXPECT_EQ(budget->max_iterations, std::nullopt);
}

TEST_F(StateTest, WhatOthersWroteIntoABudgetStays) {
  file_ = folder_.write("budget.json", R"({"note":{"x":1},"iterations":17.0,"max_cost_usd":3})");
  auto budget = load_budget(Location(file_), warning_);
  ASSERT_TRUE(budget);
  EXPECT_EQ(warning_, "");
  EXPECT_EQ(budget->iterations, 17);
  EXPECT_EQ(budget->max_cost_usd, 3.0);
  for (int i = 0; i < 100; ++i) {
    ++budget->iterations;
    ASSERT_TRUE(save_budget(Location(file_), *budget));
  }
  EXPECT_EQ(document_in(file_)["note"].dump(), R"({"x":1})");
  EXPECT_EQ(document_in(file_)["iterations"], 117);
}

TEST_F(StateTest, ABadBudgetIsMovedAside) {
  file_ = folder_ / "budget.json";
  std::vector<std::string> texts(std::begin(kGarbage), std::end(kGarbage));
  for (const auto text : {R"({"iterations":"7"})", R"({"iterations":1.5})", R"({"iterations":-1})",
                          R"({"iterations":1e300})", R"({"max_iterations":99999999999999999999})",
                          R"({"total_cost_usd":-0.5})", R"({"max_cost_usd":true})"}) {
    texts.emplace_back(text);
  }
  for (const auto& text : texts) {
    folder_.write("budget.json", text);
    const auto budget = load_budget(Location(file_), warning_);
    ASSERT_TRUE(budget) << text;
    EXPECT_EQ(budget->total_cost_usd, 0);
    EXPECT_EQ(budget->iterations, 0);
    expect_moved_aside(text);
  }
}

TEST_F(StateTest, ABudgetThatWentBadMeanwhileIsNotLost) {
  file_ = folder_.write("budget.json", "garbage");
  ASSERT_TRUE(save_budget(Location(file_), {.total_cost_usd = 2}));
  EXPECT_EQ(load_budget(Location(file_), warning_)->total_cost_usd, 2);
  const auto aside = beginning_with(folder_.path(), "budget.json.bad-");
  ASSERT_EQ(aside.size(), 1u);
  EXPECT_EQ(text_of(aside[0]), "garbage");
}

}  // namespace
}  // namespace ralph::store
