#include "harness/store/journal.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "core/base/file.h"
#include "core/json/document.h"
#include "core/json/field.h"
#include "core/json/mask.h"
#include "harness/store/shorten.h"
#include "harness/stream/event_json.h"

namespace ralph::store {
namespace {

constexpr std::size_t kBatch = std::size_t{64} << 10;

/// Whether a line can be taken as it is: too short to hold a long text or to be nested too deeply.
bool can_be_kept_whole(std::string_view line) {
  const auto opens = [](char c) { return c == '{' || c == '['; };
  return line.size() <= Journal::kLongestText && line.find('\n') == line.npos &&
         (line.size() < 2 * json::kMaxDepth ||
          std::count_if(line.begin(), line.end(), opens) < std::ptrdiff_t{json::kMaxDepth});
}

/// Takes away the JSON an event quotes; returns the names of what is gone.
std::vector<std::string> leave_out_raw(stream::Event& event) {
  std::vector<std::string> names;
  const auto clear = [&](stream::RawJson& raw, const char* name) {
    if (!raw.text.empty()) names.emplace_back(name);
    raw = {};
  };
  std::visit(
      [&](auto& payload) {
        if constexpr (requires { payload.tools; }) clear(payload.tools, "tools");
        if constexpr (requires { payload.input; }) clear(payload.input, "input");
        if constexpr (requires { payload.structured; }) clear(payload.structured, "structured");
        if constexpr (requires { payload.denials.text; }) clear(payload.denials, "denials");
        if constexpr (requires { payload.raw; }) clear(payload.raw, "raw_line");
      },
      event.what);
  return names;
}

/// What an agent says and does, as opposed to what it costs and how it ends.
bool is_content(const stream::Payload& what) {
  return std::visit(
      []<typename T>(const T&) {
        return std::is_same_v<T, stream::Text> || std::is_same_v<T, stream::Thinking> ||
               std::is_same_v<T, stream::ToolCall> || std::is_same_v<T, stream::ToolOutput> ||
               std::is_same_v<T, stream::ToolResult> || std::is_same_v<T, stream::Unknown>;
      },
      what);
}

json::Document begin_record(std::string_view name) {
  return {{"record", name}, {"at", iso_utc(now_utc())}};
}

/// A member of a record of our own; nullopt: the line is not one of that name.
std::optional<std::string> text_of_record(std::string_view line, std::string_view name,
                                          std::string_view member) {
  if (!line.starts_with(fmt::format("{{\"record\":\"{}\"", name))) return std::nullopt;
  const auto record = json::parse(line);
  return record && record->is_object() ? std::optional(json::text(*record, member)) : std::nullopt;
}

}  // namespace

Journal::Journal(std::filesystem::path path, UniqueFd fd, const Masker& masker,
                 std::size_t most_events)
    : path_(std::move(path)), fd_(std::move(fd)), masker_(&masker), most_events_(most_events) {}

Result<Journal> Journal::open(const Location& folder, const Masker& masker,
                              std::size_t most_events) {
  TRY_ASSIGN(const auto made, folder.make_folder());
  auto fd = made.create(kName);
  if (!fd) return std::unexpected(as_storage(fd.error()));
  return Journal(made.path_of(kName), *std::move(fd), masker, most_events);
}

void Journal::on_any(const stream::Event& event) {
  if (failed_ || is_delta(event.what) || (event_bytes_ > most_events_ && is_content(event.what))) {
    return;
  }
  auto line = json::mask(stream::encode(event), *masker_);
  if (can_be_kept_whole(line)) return put_event(line);
  auto shorter = shorten_members(line, kLongestText);
  if (!shorter) {
    auto shallow = event;
    const auto left_out = leave_out_raw(shallow);
    line = json::mask(stream::encode(shallow), *masker_);
    shorter = shorten_members(line, kLongestText, left_out);
  }
  put_event(shorter ? *shorter : line);
}

void Journal::put_event(std::string_view line) {
  const bool within = event_bytes_ <= most_events_;
  event_bytes_ += line.size() + 1;
  put(line);
  if (within && event_bytes_ > most_events_) {
    record("events_left_out", R"({"why":"the journal is full; the raw log has every line"})");
  }
}

void Journal::record(std::string_view name, std::string_view members_json) {
  if (failed_) return;
  auto record = begin_record(name);
  auto members = json::parse(json::mask(members_json, *masker_));
  if (members && members->is_object()) {
    for (auto& [key, value] : members->get_ref<json::Document::object_t&>()) {
      record.emplace(key, std::move(value));
    }
  } else {
    record["malformed"] = masker_->mask(members_json);
  }
  const auto line = json::write(record);
  put(shorten_members(line, kLongestText).value_or(line));
  flush();
}

/// Other lines are written whole by the thread of the events, and the file is open for appending.
void Journal::mark_alive() const {
  try_write_all(fd_.get(), json::write(begin_record("alive")) + "\n");
}

std::optional<UtcTime> Journal::time_of(std::string_view line, std::string_view name) {
  const auto at = text_of_record(line, name, "at");
  return at ? parse_iso(*at) : std::nullopt;
}

std::optional<std::string> Journal::raw_log_of(std::string_view line) {
  return text_of_record(line, "attempt", "raw_log");
}

Result<> Journal::finish(bool durable) {
  flush();
  if (failed_) return std::unexpected(*failed_);
  if (!durable || ::fsync(fd_.get()) == 0) return {};
  auto failed = fail_storage(errno, fmt::format("cannot sync '{}'", path_.native()));
  failed_ = failed.error();
  return failed;
}

void Journal::put(std::string_view line) {
  pending_.append(line).append("\n");
  if (pending_.size() >= kBatch) flush();
}

void Journal::flush() {
  if (pending_.empty() || failed_) return;
  const int error_number = try_write_all(fd_.get(), pending_);
  pending_.clear();
  if (error_number == 0) return;
  failed_ = fail_storage(error_number, fmt::format("cannot write to '{}'", path_.native())).error();
}

}  // namespace ralph::store
