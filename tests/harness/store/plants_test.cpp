#include "support/plants.h"

#include "harness/store/budget.h"
#include "harness/store/journal.h"
#include "harness/store/lock.h"
#include "harness/store/raw_index.h"
#include "harness/store/raw_log.h"
#include "harness/store/sessions.h"
#include "harness/store/workspace.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;
using test::told;

std::string use_workspace(const fs::path& folder) {
  auto text = told(Workspace::open(folder));
  text += told(Workspace::at(folder).check());
  sweep_tmp(Workspace::at(folder));
  return text;
}

std::string use_lock(const fs::path& folder) {
  const auto file = Workspace::at(folder).lock_file();
  std::string text;
  if (const auto holder = Lock::holder(file)) text = to_string(holder->user);
  for (int n = 0; n < 2; ++n) text += told(Lock::take(file, LockUser::run));
  return text;
}

std::string use_sessions(const fs::path& folder) {
  const auto file = Workspace::at(folder).sessions_file();
  std::string text;
  text += Sessions::peek(file, text).of_mode("coder");
  auto sessions = Sessions::load(file, text);
  if (!sessions) return text + told(sessions);
  sessions->remember("coder", {.id = "s1", .updated = now_utc()});
  return text + sessions->of_mode("coder") + told(sessions->save());
}

std::string use_budget(const fs::path& folder) {
  const auto file = Workspace::at(folder).budget_file();
  std::string text;
  auto budget = load_budget(file, text);
  return text + told(budget) + told(save_budget(file, {.total_cost_usd = 1}));
}

std::string use_journal(const fs::path& folder) {
  const Masker masker(std::vector<std::string>{});
  auto journal = Journal::open(Workspace::at(folder).run_folder("r1"), masker);
  if (!journal) return told(journal);
  journal->record("started", "{}");
  return told(journal->finish());
}

std::string use_raw_log(const fs::path& folder) {
  const Location logs(Workspace::at(folder).root(), {"logs", "claude"});
  auto log = RawLog::open(logs, "log", now_utc());
  if (!log) return told(log);
  auto text = told(log->append_out("{}\n", Micros{1})) + told(log->append_err("x"));
  return text + told(log->finish());
}

std::string use_index(const fs::path& folder) {
  return told(IndexReader::open(folder / ".ralph/logs/claude/log.index"));
}

std::string use_temp_file(const fs::path& folder) {
  return told(TempFile::write(Workspace::at(folder).tmp() / "prompt.md", "text"));
}

TEST(Plants, LeadNowhere) {
  test::expect_harmless({
      {".ralph", use_workspace},
      {".ralph", use_lock},
      {".ralph", use_sessions},
      {".ralph", use_journal},
      {".ralph", use_raw_log},
      {".ralph/logs", use_workspace},
      {".ralph/logs", use_raw_log},
      {".ralph/runs", use_workspace},
      {".ralph/runs", use_journal},
      {".ralph/state", use_workspace},
      {".ralph/state", use_sessions},
      {".ralph/state", use_budget},
      {".ralph/tmp", use_workspace},
      {".ralph/tmp", use_temp_file},
      {".ralph/tmp/left", use_workspace},
      {".ralph/tmp/prompt.md", use_temp_file},
      {".ralph/.gitignore", use_workspace},
      {".ralph/lock", use_lock},
      {".ralph/state/claude-session.json", use_sessions},
      {".ralph/state/budget.json", use_budget},
      {".ralph/runs/r1", use_journal},
      {".ralph/runs/r1/journal.ndjson", use_journal},
      {".ralph/logs/claude", use_raw_log},
      {".ralph/logs/claude/log.ndjson", use_raw_log},
      {".ralph/logs/claude/log.stderr", use_raw_log},
      {".ralph/logs/claude/log.index", use_raw_log},
      {".ralph/logs/claude/log.index", use_index},
  });
}

TEST(Plants, ALockUnderAnotherNameIsNotEmptied) {
  const test::TempFolder folder;
  const auto workspace = Workspace::open(folder.path());
  folder.write("precious", "text");
  fs::create_hard_link(folder / "precious", workspace->root() / "lock");
  const auto lock = Lock::take(workspace->lock_file(), LockUser::run);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, Code::storage);
  EXPECT_NE(lock.error().message.find("hard link"), std::string::npos) << lock.error().message;
  EXPECT_NE(lock.error().hint, "");
  EXPECT_EQ(test::text_of(folder / "precious"), "text");
}

TEST(Plants, AFolderOfAnotherUserIsRefused) {
  const test::TempFolder folder;
  fs::create_directory(folder / ".ralph");
  if (::chown((folder / ".ralph").c_str(), 12345, 12345) != 0) GTEST_SKIP() << "needs root";
  const auto workspace = Workspace::open(folder.path());
  ASSERT_FALSE(workspace);
  EXPECT_EQ(workspace.error().code, Code::storage);
  EXPECT_NE(workspace.error().message.find("another user"), std::string::npos);
  ASSERT_EQ(::chown(folder.path().c_str(), 12345, 12345), 0);
  EXPECT_TRUE(Workspace::open(folder.path())) << "root works in the folder of a user";
}

TEST(Plants, WhatIsNestedDeeplyIsRemoved) {
  const test::TempFolder folder;
  const auto workspace = Workspace::open(folder.path());
  const int root = ::open(workspace->tmp().path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int at = root;
  for (int depth = 0; depth < 200; ++depth) {
    ASSERT_EQ(::mkdirat(at, "d", 0700), 0);
    ::close(::openat(at, "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const int next = ::openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (depth % 2 == 1) ::fchmod(at, 0500);
    if (at != root) ::close(at);
    at = next;
    ASSERT_GE(at, 0);
  }
  ::close(at);
  ::close(root);
  sweep_tmp(*workspace);
  EXPECT_TRUE(fs::is_empty(workspace->tmp().path()));
}

}  // namespace
}  // namespace ralph::store
