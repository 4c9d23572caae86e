#pragma once
#include <filesystem>
#include <mutex>
#include <optional>

#include "core/base/mask.h"
#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "mock/api.h"

namespace ralph::mock {

/// How a request was answered.
struct Outcome {
  std::optional<std::size_t> step;  // nullopt: none
  std::optional<int> status;        // nullopt: not known when it is logged
  std::string usage;                // JSON; empty: the answer is not a message
};

/// Logs every request and its answer as a line of JSON, with secrets masked. Only the owner can read the file.
/// Thread-safe.
class RequestLog {
 public:
  /// Creates or empties the file.
  static Result<std::unique_ptr<RequestLog>> open(const std::filesystem::path& path,
                                                  const Masker& masker);

  void write(const Call& call, const Outcome& outcome);
  /// The first error of writing, after which nothing is logged.
  std::optional<Error> failure() const;

 private:
  RequestLog(std::filesystem::path path, UniqueFd fd, const Masker& masker);

  std::filesystem::path path_;
  UniqueFd fd_;
  Masker masker_;
  mutable std::mutex mutex_;
  std::optional<Error> failure_;
};

/// One line of the log, with its newline.
std::string log_line(const Call& call, const Outcome& outcome, const Masker& masker, UtcTime time);

}  // namespace ralph::mock
