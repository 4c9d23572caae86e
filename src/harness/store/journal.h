#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/mask.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/base/unique_fd.h"
#include "harness/store/location.h"
#include "harness/stream/handler.h"

namespace ralph::store {

/// `runs/<id>/journal.ndjson`: our own record of a run, one JSON object per line, masked, 0600. Events are in
/// their JSON form, which stream::EventReader reads, deltas left out; records of our own have the key
/// "record": started, attempt, alive, attempt_ended, ended. What is longer than kLongestText is cut and named in
/// "cut":["text"] (the event's `line` points at the raw log).
/// Lines are written whole, many at a time.
/// The first write error is kept in failure(); everything after it is dropped.
class Journal final : public stream::Handler {
 public:
  static constexpr const char* kName = "journal.ndjson";
  /// Bytes of one member of a line, before JSON's escapes.
  static constexpr std::size_t kLongestText = std::size_t{16} << 10;
  /// Bytes of events; beyond them text, calls and results of tools are left out. The raw log has them.
  static constexpr std::size_t kMostEvents = std::size_t{256} << 20;

  /// Makes the directory and the file, which must not exist yet; `masker` outlives the journal.
  static Result<Journal> open(const Location& folder, const Masker& masker,
                              std::size_t most_events = kMostEvents);

  void on_any(const stream::Event& event) override;
  /// A record of our own: one JSON object as text, which becomes {"record":name, "at":now, …its members}.
  /// Text that is no object is kept under "malformed".
  void record(std::string_view name, std::string_view members_json);
  /// Writes what was collected. Call it whenever nothing more is coming for the moment: what a crash takes
  /// away is then only what the raw log has as well.
  void flush();
  /// Appends an "alive" record at once. From any thread, at any time; a failure is ignored.
  void mark_alive() const;
  /// When a record of our own was written; nullopt: the line is not a record of that name.
  static std::optional<UtcTime> time_of(std::string_view line, std::string_view name);
  /// The raw log that an "attempt" record names; nullopt: the line is not one.
  static std::optional<std::string> raw_log_of(std::string_view line);
  /// Writes the rest; if durable, waits until it is on the disk.
  Result<> finish(bool durable = true);

  const std::optional<Error>& failure() const { return failed_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  Journal(std::filesystem::path path, UniqueFd fd, const Masker& masker, std::size_t most_events);
  void put(std::string_view line);
  void put_event(std::string_view line);

  std::filesystem::path path_;
  UniqueFd fd_;
  const Masker* masker_;
  std::string pending_;  // whole lines
  std::size_t event_bytes_ = 0;
  std::size_t most_events_;
  std::optional<Error> failed_;
};

}  // namespace ralph::store
