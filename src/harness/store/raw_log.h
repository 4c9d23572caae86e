#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/base/unique_fd.h"
#include "harness/store/location.h"

namespace ralph::store {

using Micros = std::chrono::microseconds;

/// What a raw log holds. Older ones do not say.
enum class LogFormat { unknown, text, stream_json };

/// The three files of one raw log: "<base>.ndjson", "<base>.stderr", "<base>.index".
struct RawLogPaths {
  std::filesystem::path out, err, index;
};
RawLogPaths raw_log_paths(const std::filesystem::path& base);

/// "20261115-143740-coder-fix-the-test": `<timestamp>-<mode>-<task>`, whatever the words hold.
/// Anything that is awkward in a file name becomes "-"; empty parts are left out, long ones cut.
std::string raw_log_name(UtcTime start, std::string_view mode, std::string_view task);

/// Every byte an agent prints, stored before it is parsed, with the arrival time of each line.
/// Files are private (0600) and never overwritten: "name-2", "name-3" … are taken when "name"
/// exists. After a failed write every call returns that error: the log ends there.
class RawLog {
 public:
  static Result<RawLog> open(const Location& folder, std::string_view name, UtcTime start,
                             LogFormat format = LogFormat::unknown);

  /// Stdout bytes that arrived `t` after the start; in the file when this returns.
  Result<> append_out(std::string_view bytes, Micros t);
  Result<> append_err(std::string_view bytes);
  /// Brings the index up to date. Call it whenever nothing more is coming for the moment.
  Result<> flush();
  /// Completes the index; if durable, waits until all of it is on the disk. Call once, at the end of the
  /// run. Fails if the log was removed during the run.
  Result<> finish(bool durable = true);

  const RawLogPaths& paths() const { return paths_; }

 private:
  RawLog() = default;
  Result<> put(const UniqueFd& fd, std::string_view bytes, const std::filesystem::path& path);
  Result<> note_lines(std::string_view bytes, Micros t);

  RawLogPaths paths_;
  UniqueFd out_, err_, index_;
  std::string records_;           // of the index, not written yet
  std::uint64_t size_ = 0;        // bytes of stdout so far
  std::uint64_t line_begin_ = 0;  // offset of the line being collected
  Micros last_t_{0};
  std::optional<Error> failed_;
};

}  // namespace ralph::store
