#include "harness/store/sessions.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/json/field.h"
#include "harness/store/state_file.h"

namespace ralph::store {
namespace {

using json::Document;

constexpr std::string_view kModeEnding = "_session_id";
constexpr auto kRecords = "sessions";
constexpr auto kUpdated = "updated_at";
constexpr auto kForkedFrom = "forked_from";
constexpr auto kBackend = "backend";
constexpr auto kSessionCost = "total_cost_usd";
constexpr auto kDigest = "system_prompt_digest";
constexpr auto kSessionFolder = "folder";

std::string mode_key(std::string_view mode) { return std::string(mode).append(kModeEnding); }

bool is_text_if_there(const Document& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() || found->is_string();
}

bool is_valid_session(const Document& record) {
  if (!record.is_object()) return false;
  for (const auto name : {kForkedFrom, kBackend, kDigest, kUpdated}) {
    if (!is_text_if_there(record, name)) return false;
  }
  const auto cost = record.find(kSessionCost);
  return cost == record.end() || cost->is_null() || cost->is_number();
}

bool is_valid_sessions(const Document& root) {
  for (const auto& [key, value] : root.items()) {
    const bool says_text = key == kUpdated || key.ends_with(kModeEnding);
    if (says_text && !value.is_string() && !value.is_null()) return false;
  }
  const auto records = root.find(kRecords);
  if (records == root.end() || records->is_null()) return true;
  if (!records->is_object()) return false;
  return std::all_of(records->begin(), records->end(), is_valid_session);
}

double cost_in(const Document& record) { return json::number(record, kSessionCost).value_or(0); }

bool is_of_a_mode(const Document& root, const std::string& id) {
  for (const auto& [key, value] : root.items()) {
    if (key.ends_with(kModeEnding) && value == id) return true;
  }
  return false;
}

/// Drops the oldest records, which come first; those a mode points at only when nothing else is left.
void drop_oldest(Document& root, Document& records, std::size_t most) {
  while (records.size() > most) {
    auto victim = records.begin();
    while (victim != records.end() && is_of_a_mode(root, victim.key())) ++victim;
    records.erase(victim == records.end() ? records.begin() : victim);
  }
}

Document updated_record(Document record, const SessionRecord& from) {
  record[kBackend] = from.backend;
  if (from.forked_from.empty()) {
    record.erase(kForkedFrom);
  } else {
    record[kForkedFrom] = from.forked_from;
  }
  record[kSessionCost] = from.total_cost_usd;
  record[kDigest] = from.system_prompt_digest;
  record[kSessionFolder] = utf8::repaired(from.folder);
  record[kUpdated] = iso_utc(from.updated);
  return record;
}

}  // namespace

bool is_session_id(std::string_view text) {
  constexpr std::size_t kLongest = 256;
  return !text.empty() && text.size() <= kLongest && text.front() != '-' && text.front() != '/' &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

Result<Sessions> Sessions::load(const Location& file, std::string& warning) {
  TRY_ASSIGN(const auto root, load_state(file, is_valid_sessions, warning));
  return Sessions(file, json::write(root));
}

Sessions Sessions::peek(const Location& file, std::string& warning) {
  return {file, json::write(peek_state(file, is_valid_sessions, warning))};
}

std::string Sessions::of_mode(std::string_view mode) const {
  const auto root = json::parse(text_);
  return root ? json::text(*root, mode_key(mode)) : std::string();
}

std::optional<SessionRecord> Sessions::find(std::string_view id) const {
  const auto root = json::parse(text_);
  if (!root) return std::nullopt;
  const auto records = root->find(kRecords);
  if (records == root->end() || !records->is_object()) return std::nullopt;
  const auto record = records->find(std::string(id));
  if (record == records->end()) return std::nullopt;
  return SessionRecord{.id = std::string(id),
                       .forked_from = json::text(*record, kForkedFrom),
                       .backend = json::text(*record, kBackend),
                       .total_cost_usd = cost_in(*record),
                       .system_prompt_digest = json::text(*record, kDigest),
                       .updated = parse_iso(json::text(*record, kUpdated)).value_or(UtcTime{}),
                       .folder = json::text(*record, kSessionFolder)};
}

void Sessions::remember(std::string_view mode, const SessionRecord& record) {
  if (record.id.empty()) return;
  auto root = json::parse(text_).value_or(Document::object());
  if (!mode.empty()) root[mode_key(mode)] = record.id;
  root[kUpdated] = iso_utc(record.updated);
  auto& records = root[kRecords];
  if (!records.is_object()) records = Document::object();
  auto kept = records.value(record.id, Document::object());
  records.erase(record.id);
  records[record.id] = updated_record(std::move(kept), record);
  drop_oldest(root, records, kMostRecords);
  text_ = json::write(root);
}

Result<> Sessions::save() const {
  TRY_ASSIGN(const auto root, json::parse(text_));
  return save_state(file_, root);
}

}  // namespace ralph::store
