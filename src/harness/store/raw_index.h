#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/base/unique_fd.h"
#include "harness/store/raw_log.h"

namespace ralph::store {

/// One line of a raw log. In the file: two little-endian uint64, 16 bytes.
struct IndexRecord {
  std::uint64_t offset = 0;  // of the line's first byte
  Micros t{0};               // since the start, when its last byte had arrived

  bool operator==(const IndexRecord&) const = default;
};

/// The file's layout: a header of 32 bytes ("RALPHIDX", uint32 version 1, uint32 record size 16,
/// int64 start in Unix milliseconds, uint64 LogFormat), then one record per line; everything
/// little-endian.
inline constexpr std::size_t kIndexHeaderSize = 32;
inline constexpr std::size_t kIndexRecordSize = 16;
std::string index_header(UtcTime start, LogFormat format = LogFormat::unknown);
void append_index_record(std::string& out, const IndexRecord& record);

/// Where the index of this log would be: "a/b.ndjson" has "a/b.index".
std::filesystem::path index_path_of(const std::filesystem::path& log);

/// Reads an index piece by piece, however long it is. Half a record at the end, or a record that
/// cannot be true (going backwards, ten years long), ends it.
class IndexReader {
 public:
  static Result<IndexReader> open(const std::filesystem::path& path);

  UtcTime start() const { return start_; }
  LogFormat format() const { return format_; }
  /// nullopt: no more.
  std::optional<IndexRecord> next();

 private:
  IndexReader() = default;
  bool fill();

  UniqueFd fd_;
  UtcTime start_;
  LogFormat format_ = LogFormat::unknown;
  std::string buffer_;
  std::size_t taken_ = 0;
  std::optional<IndexRecord> last_;
  bool ended_ = false;
};

/// The index as replay wants it: bytes of the log up to `end` are complete at `t`. The last span
/// has no end, so that a log longer than its index is still covered.
struct TimedSpan {
  std::uint64_t end = UINT64_MAX;
  Micros t{0};

  bool operator==(const TimedSpan&) const = default;
};
class Timeline {
 public:
  explicit Timeline(IndexReader reader);
  TimedSpan next();

 private:
  IndexReader reader_;
  std::optional<IndexRecord> current_;
  Micros last_t_{0};
};

}  // namespace ralph::store
