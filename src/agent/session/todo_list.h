#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/session/identity.h"
#include "core/base/result.h"
#include "core/json/document_value.h"

namespace ralph::session {

/// What an update changed.
struct TodoUpdate {
  std::vector<std::string> fields;  // "deleted" if that was asked for
  std::string old_status;
  std::string new_status;  // empty: unchanged
};

/// The to-do list of a session: what TaskCreate and its siblings work on. One file per entry, in Claude Code's form, so that
/// a resumed session has it again. Thread-safe.
class TodoList {
 public:
  /// `folder`: of the lists of all sessions; empty: nothing is stored. `identity` outlives it.
  TodoList(std::filesystem::path folder, const Identity& identity)
      : folder_(std::move(folder)), identity_(identity) {}

  /// Returns the new entry. `input`: as the schema of TaskCreate has it.
  Result<json::Document> create(const json::Document& input);
  /// nullopt: there is no such entry.
  std::optional<json::Document> find(std::string_view id);
  std::vector<json::Document> all();
  /// nullopt: there is no such entry. `input`: as the schema of TaskUpdate has it.
  Result<std::optional<TodoUpdate>> update(std::string_view id, const json::Document& input);

 private:
  using Entries = std::map<int, json::Document>;

  /// Of the current session; read when they are needed first.
  Entries& entries();
  void read(const std::filesystem::path& folder);
  /// Replaces the entries by `changed`, in the files first.
  Result<> store(Entries changed);
  Result<TodoUpdate> remove(int id);

  std::filesystem::path folder_;
  const Identity& identity_;
  std::mutex mutex_;
  std::string session_;  // whose entries these are
  int last_id_ = 0;
  Entries entries_;
};

}  // namespace ralph::session
