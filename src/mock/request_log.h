#pragma once
#include <filesystem>
#include <mutex>
#include <optional>

#include "core/base/mask.h"
#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "mock/api.h"

namespace ralph::mock {

/// What answers a request.
struct Outcome {
  std::optional<std::size_t> step;  // nullopt: none
  std::optional<int> status;        // nullopt: not known yet
  std::string usage;                // JSON; empty: no message answers
};

/// Every request as a line of JSON, with what answers it. Secrets are masked; only the owner may
/// read the file. May be used by many threads.
class RequestLog {
 public:
  /// Starts a new file at that path.
  static Result<std::unique_ptr<RequestLog>> open(const std::filesystem::path& path,
                                                  const Masker& masker);

  void write(const Call& call, const Outcome& outcome);
  /// The first line that could not be written: the log ends there.
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
