#include "agent/session/todo_list.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/json/field.h"

namespace ralph::session {
namespace {

namespace fs = std::filesystem;
using json::Document;

constexpr const char* kHighest = ".highwatermark";  // the highest id ever given
constexpr std::size_t kMostEntries = 10'000;

/// 0: not an id.
int number_of(std::string_view id) {
  int number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  const bool whole = error == std::errc() && end == id.data() + id.size();
  return whole && number > 0 ? number : 0;
}

bool contains(const Document& list, const Document& value) {
  return std::ranges::find(list, value) != list.end();
}

/// True: the entry got another text.
bool set_text(Document& entry, const Document& input, const char* key) {
  const auto* const text = json::find_text(input, key);
  if (text == nullptr || json::text(entry, key) == *text) return false;
  entry[key] = *text;
  return true;
}

void merge_metadata(Document& entry, const Document& changes) {
  auto& metadata = entry["metadata"];
  for (const auto& [key, value] : changes.items()) {
    if (value.is_null()) {
      if (metadata.is_object()) metadata.erase(key);
    } else {
      metadata[key] = value;
    }
  }
  if (metadata.empty()) entry.erase("metadata");
}

/// "blocks" of one entry and "blockedBy" of the other.
bool connect(Document& blocking, Document& blocked) {
  if (contains(blocking["blocks"], blocked["id"])) return false;
  blocking["blocks"].push_back(blocked["id"]);
  blocked["blockedBy"].push_back(blocking["id"]);
  return true;
}

/// True: there is a new connection. Ids of other entries that do not exist are passed over.
template <typename Entries, typename Connect>
bool connect_all(Entries& entries, int id, const Document& others, Connect connect_to) {
  bool changed = false;
  for (const auto& other : json::texts(others)) {
    const auto found = entries.find(number_of(other));
    if (found == entries.end() || found->first == id) continue;
    changed = connect_to(entries[id], found->second) || changed;
  }
  return changed;
}

bool is_entry(const Document& value, std::string_view id) {
  return json::text(value, "id") == id && json::find_text(value, "subject") != nullptr &&
         json::find_text(value, "status") != nullptr && json::member(value, "blocks").is_array() &&
         json::member(value, "blockedBy").is_array();
}

fs::path file_of(int id) { return fmt::format("{}.json", id); }

}  // namespace

Result<Document> TodoList::create(const Document& input) {
  const std::lock_guard lock(mutex_);
  auto changed = entries();
  const auto id = last_id_ + 1;
  const auto subject = json::text(input, "subject");
  const auto* const description = json::find_text(input, "description");
  Document entry{{"id", std::to_string(id)},
                 {"subject", subject},
                 {"description", description == nullptr ? subject : *description}};
  set_text(entry, input, "activeForm");
  entry["status"] = "pending";
  entry["blocks"] = Document::array();
  entry["blockedBy"] = Document::array();
  const auto& metadata = json::member(input, "metadata");
  if (metadata.is_object()) merge_metadata(entry, metadata);
  changed[id] = entry;
  TRY(store(std::move(changed)));
  return entry;
}

std::optional<Document> TodoList::find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto& known = entries();
  const auto found = known.find(number_of(id));
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Document> TodoList::all() {
  const std::lock_guard lock(mutex_);
  std::vector<Document> list;
  for (const auto& [id, entry] : entries()) list.push_back(entry);
  return list;
}

Result<std::optional<TodoUpdate>> TodoList::update(std::string_view id, const Document& input) {
  const std::lock_guard lock(mutex_);
  auto changed = entries();
  const auto number = number_of(id);
  const auto found = changed.find(number);
  if (found == changed.end()) return std::nullopt;
  if (json::text(input, "status") == "deleted") return remove(number);
  auto& entry = found->second;
  TodoUpdate update{.fields = {}, .old_status = json::text(entry, "status"), .new_status = {}};
  for (const auto* const key : {"subject", "description", "activeForm", "owner"}) {
    if (set_text(entry, input, key)) update.fields.emplace_back(key);
  }
  if (const auto& metadata = json::member(input, "metadata"); metadata.is_object()) {
    merge_metadata(entry, metadata);
    update.fields.emplace_back("metadata");
  }
  if (set_text(entry, input, "status")) {
    update.fields.emplace_back("status");
    update.new_status = json::text(entry, "status");
  }
  const auto blocks = [](Document& own, Document& other) { return connect(own, other); };
  const auto blocked = [](Document& own, Document& other) { return connect(other, own); };
  if (connect_all(changed, number, json::member(input, "addBlocks"), blocks))
    update.fields.emplace_back("blocks");
  if (connect_all(changed, number, json::member(input, "addBlockedBy"), blocked))
    update.fields.emplace_back("blockedBy");
  TRY(store(std::move(changed)));
  return update;
}

Result<TodoUpdate> TodoList::remove(int id) {
  auto changed = entries_;
  TodoUpdate update{.fields = {"deleted"},
                    .old_status = json::text(changed[id], "status"),
                    .new_status = "deleted"};
  changed.erase(id);
  const Document name(std::to_string(id));
  for (auto& [other, entry] : changed) {
    for (const auto* const key : {"blocks", "blockedBy"}) {
      auto& list = entry[key];
      list.erase(std::remove(list.begin(), list.end(), name), list.end());
    }
  }
  TRY(store(std::move(changed)));
  return update;
}

TodoList::Entries& TodoList::entries() {
  if (session_ == identity_.session_id()) return entries_;
  session_ = identity_.session_id();
  entries_.clear();
  last_id_ = 0;
  if (!folder_.empty()) read(folder_ / session_);
  return entries_;
}

void TodoList::read(const fs::path& folder) {
  last_id_ = number_of(read_file(folder / kHighest).value_or(""));
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const auto& path = it->path();
    const auto id = number_of(path.stem().native());
    if (id == 0 || path.extension() != ".json" || entries_.size() == kMostEntries) continue;
    const auto text = read_file(path);
    auto entry = text ? json::parse(*text) : Result<Document>(Document());
    if (!entry || !is_entry(*entry, path.stem().native())) continue;
    entries_[id] = *std::move(entry);
    last_id_ = std::max(last_id_, id);
  }
}

Result<> TodoList::store(Entries changed) {
  const auto folder = folder_ / session_;
  const auto last = std::max(last_id_, changed.empty() ? 0 : changed.rbegin()->first);
  if (!folder_.empty()) {
    TRY(make_folders(folder));
    if (last != last_id_) {
      TRY(write_file_atomically(folder / kHighest, std::to_string(last)));
    }
    for (const auto& [id, entry] : changed) {
      const auto old = entries_.find(id);
      if (old != entries_.end() && old->second == entry) continue;
      auto text = json::write_pretty(entry);
      text.pop_back();  // files of Claude Code have no line end here
      TRY(write_file_atomically(folder / file_of(id), text));
    }
    std::error_code error;
    for (const auto& [id, entry] : entries_) {
      if (!changed.contains(id)) fs::remove(folder / file_of(id), error);
    }
  }
  entries_ = std::move(changed);
  last_id_ = last;
  return {};
}

}  // namespace ralph::session
