#include "harness/store/guidance.h"
#include "harness/store/loop_state_files.h"
#include "harness/store/workspace.h"
#include "support/plants.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;
using test::told;

LoopState some_state() {
  LoopState state;
  state.loop_id = "l1";
  state.status = LoopStatus::running;
  return state;
}

std::string use_state(const fs::path& folder) {
  const LoopStateFiles files(folder);
  std::string text;
  if (const auto state = files.peek(text)) text += state->goal;
  const auto state = files.load(text);
  return text + told(state) + told(files.put_aside(some_state())) + told(files.save(some_state()));
}

std::string use_progress(const fs::path& folder) {
  const LoopStateFiles files(folder);
  std::int64_t bad = 0;
  auto text = told(files.records(bad)) + told(files.append(LoopRecord()));
  if (!files.has_records()) text += told(files.rewrite({LoopRecord()}));
  return text + told(files.put_records_aside("l1"));
}

std::string use_guidance(const fs::path& folder) {
  const test::TempFolder outside;
  const Guidance guidance(folder, outside / "ralph");
  std::string refused;
  auto text = told(guidance.leave("a hint"));
  std::vector<std::string> names{"a.md", "../notes/a.md", "guidance"};
  for (const auto& each : guidance.pending(refused)) {
    text += each.text;
    names.push_back(each.name);
  }
  guidance.remove(names);
  return text + refused;
}

std::string use_stop(const fs::path& folder) {
  const LoopStateFiles files(folder);
  auto text = told(files.ask_to_stop());
  if (files.asked_to_stop()) files.forget_stop();
  return text;
}

TEST(LoopPlants, LeadNowhere) {
  test::expect_harmless({
      {".ralph", use_state},
      {".ralph", use_progress},
      {".ralph", use_guidance},
      {".ralph", use_stop},
      {".ralph/state", use_state},
      {".ralph/state", use_progress},
      {".ralph/state", use_guidance},
      {".ralph/state", use_stop},
      {".ralph/state/loop.json", use_state},
      {".ralph/state/loop-l1.json", use_state},
      {".ralph/state/progress.ndjson", use_progress},
      {".ralph/state/progress-l1.ndjson", use_progress},
      {".ralph/state/guidance", use_guidance},
      {".ralph/state/guidance/a.md", use_guidance},
      {".ralph/state/stop", use_stop},
  });
}

TEST(LoopPlants, ProgressUnderAnotherNameIsNotAppendedTo) {
  const test::TempFolder folder;
  ASSERT_TRUE(Workspace::open(folder.path()));
  folder.write("precious", "text");
  fs::create_hard_link(folder / "precious", folder / ".ralph/state/progress.ndjson");
  const auto appended = LoopStateFiles(folder.path()).append(LoopRecord());
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code, Code::storage);
  EXPECT_NE(
      appended.error().message.find("progress.ndjson' is a file with more than one hard link"),
      std::string::npos)
      << appended.error().message;
}

}  // namespace
}  // namespace ralph::store
