#include "harness/store/trusted_state.h"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "harness/store/loop_state_store.h"
#include "harness/store/workspace.h"
#include "support/temp_folder.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;
using Source = LoopStateStore::Source;

class TrustedStateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Workspace::open(work_.path()));
    fs::create_directories(work_ / ".ralph/state");
    ASSERT_TRUE(store_.prepare());
  }
  static LoopState state(std::string_view end = "") {
    LoopState state;
    state.loop_id = "20261115-1";
    state.status = LoopStatus::ended;
    state.end = stop_reason_named(end);
    state.flags["verify"] = {"make test"};
    return state;
  }
  static LoopRecord record(std::int64_t n) {
    LoopRecord record;
    record.iteration = n;
    record.at = *parse_iso("2026-11-15T14:00:00Z");
    record.cost_usd = 0.5;
    return record;
  }
  LoopStateStore other() { return {work_.path(), folder()}; }
  fs::path folder() const { return outside_ / "ralph"; }
  fs::path file(std::string_view extension) const {
    for (const auto& entry : fs::recursive_directory_iterator(folder())) {
      if (entry.path().native().ends_with(extension)) return entry.path();
    }
    return {};
  }
  static void replace(const fs::path& file, std::string_view from, std::string_view to) {
    auto text = test::text_of(file);
    const auto at = text.find(from);
    ASSERT_NE(at, text.npos) << text;
    std::ofstream(file) << text.replace(at, from.size(), to);
  }

  test::TempFolder work_, outside_;
  LoopStateStore store_{work_.path(), folder()};
};

TEST_F(TrustedStateTest, IsReadBackWithItsRecords) {
  ASSERT_TRUE(store_.save(state()));
  ASSERT_TRUE(store_.append(record(1)));
  ASSERT_TRUE(store_.append(record(2)));
  ASSERT_TRUE(store_.save(state("iterations")));
  const auto loaded = other().load(Source::trusted);
  ASSERT_TRUE(loaded && *loaded);
  EXPECT_EQ((*loaded)->state.end, StopReason::iterations);
  EXPECT_EQ((*loaded)->records.size(), 2U);
  EXPECT_TRUE((*loaded)->trusted);
  EXPECT_TRUE((*loaded)->warnings.empty());
}

TEST_F(TrustedStateTest, IsPrivate) {
  ASSERT_TRUE(store_.save(state()));
  ASSERT_TRUE(store_.append(record(1)));
  for (const auto& entry : fs::recursive_directory_iterator(folder())) {
    struct stat info{};
    ASSERT_EQ(::stat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 077, 0U) << entry.path();
  }
}

TEST_F(TrustedStateTest, TheCopyInTheWorkspaceIsNotBelieved) {
  ASSERT_TRUE(store_.save(state("iterations")));
  replace(work_ / ".ralph/state/loop.json", "iterations", "done");
  replace(work_ / ".ralph/state/loop.json", "make test", "true");
  const auto loaded = other().load(Source::trusted);
  ASSERT_TRUE(loaded && *loaded);
  EXPECT_EQ((*loaded)->state.end, StopReason::iterations);
  EXPECT_EQ((*loaded)->state.flags.at("verify").front(), "make test");
  ASSERT_EQ((*loaded)->warnings.size(), 1U);
  EXPECT_TRUE((*loaded)->warnings[0].contains("(end, flags)")) << (*loaded)->warnings[0];
}

TEST_F(TrustedStateTest, AnotherMacIsRefused) {
  ASSERT_TRUE(store_.save(state("iterations")));
  replace(file("loop.json"), "iterations", "done");
  const auto loaded = other().load(Source::trusted);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Code::permission);
  EXPECT_TRUE(loaded.error().hint.contains("--accept-changes"));
}

TEST_F(TrustedStateTest, AnotherKeyIsRefused) {
  ASSERT_TRUE(store_.save(state()));
  std::ofstream(folder() / "key") << std::string(64, '0');
  EXPECT_FALSE(other().load(Source::trusted));
}

TEST_F(TrustedStateTest, ChangedMissingAndReorderedRecordsAreRefused) {
  ASSERT_TRUE(store_.save(state()));
  for (int n = 1; n <= 3; ++n) ASSERT_TRUE(store_.append(record(n)));
  ASSERT_TRUE(store_.save(state()));
  const auto records = file(".ndjson");
  const auto text = test::text_of(records);
  const auto first = text.find('\n') + 1;
  for (const auto& bad : {std::string(), text.substr(first), text.substr(0, first),
                          text.substr(first) + text.substr(0, first), "x" + text}) {
    std::ofstream(records) << bad;
    EXPECT_FALSE(other().load(Source::trusted)) << bad;
  }
  std::ofstream(records) << text;
  EXPECT_TRUE(other().load(Source::trusted));
}

TEST_F(TrustedStateTest, ALineThatWasCutIsWrittenAgain) {
  ASSERT_TRUE(store_.save(state()));
  ASSERT_TRUE(store_.append(record(1)));
  std::ofstream(file(".ndjson"), std::ios::app) << "0123 {\"cut";
  auto again = other();
  ASSERT_TRUE(again.prepare());
  ASSERT_TRUE(again.load(Source::trusted));
  ASSERT_TRUE(again.append(record(2)));
  const auto loaded = other().load(Source::trusted);
  ASSERT_TRUE(loaded && *loaded) << describe(loaded.error());
  EXPECT_EQ((*loaded)->records.size(), 2U);
}

TEST_F(TrustedStateTest, WithoutARecordOnlyTheUsersWordCounts) {
  const LoopStateFiles files(work_.path());
  ASSERT_TRUE(files.save(state("done")));
  ASSERT_TRUE(files.append(record(1)));
  const auto refused = other().load(Source::trusted);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("no record of this loop"));
  const auto accepted = other().load(Source::workspace);
  ASSERT_TRUE(accepted && *accepted);
  EXPECT_FALSE((*accepted)->trusted);
  EXPECT_EQ((*accepted)->records.size(), 1U);
}

TEST_F(TrustedStateTest, NothingIsKnownOfANewFolder) {
  const auto loaded = other().load(Source::trusted);
  ASSERT_TRUE(loaded);
  EXPECT_FALSE(*loaded);
}

TEST_F(TrustedStateTest, AFolderWithinTheWorkspaceIsRefused) {
  LoopStateStore inside(work_.path(), work_ / "home/ralph");
  const auto prepared = inside.prepare();
  ASSERT_FALSE(prepared);
  EXPECT_TRUE(prepared.error().hint.contains("XDG_STATE_HOME"));
  EXPECT_FALSE(fs::exists(work_ / "home"));
}

}  // namespace
}  // namespace ralph::store
