#pragma once
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/time.h"
#include "harness/backend/plan.h"

namespace ralph::run {

/// The first line of `PROGRAM --version`. Code::unavailable when the program fails, Code::busy when it does not answer in time. Results are
/// cached by path, size and time of the file, so that most calls start nothing.
class Versions {
 public:
  static constexpr Millis kPatience{5000};

  /// `cache` is a text file; empty: nothing is remembered.
  explicit Versions(std::filesystem::path cache);

  /// May be called from several threads.
  Result<std::string> ask(const std::filesystem::path& program, const backend::Host& host);

  /// What an earlier ask() found for this file; empty: nothing. Starts nothing.
  std::string known(const std::filesystem::path& program) const;

  /// "~/.cache/ralph/versions", as XDG_CACHE_HOME and HOME of the host say; empty: neither is set.
  static std::filesystem::path usual_cache(const backend::Host& host);

 private:
  std::string cached() const;
  void remember(const std::string& stamp, const std::string& version);

  std::filesystem::path cache_;
  std::mutex mutex_;
};

}  // namespace ralph::run
