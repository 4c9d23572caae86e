#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace ralph::trial {

/// The bytes an agent printed on stdout and stderr, in the order of their arrival, up to a limit. Beyond it the agent runs on
/// and the file ends with a warning.
class TerminalLog {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

  /// A new private file; its directory is made if it is missing.
  static Result<TerminalLog> create(const std::filesystem::path& file,
                                    std::uint64_t most = kMostBytes);

  Result<> append(std::string_view bytes);
  /// Of the agent, also those that are not in the file.
  std::uint64_t bytes() const { return bytes_; }
  const std::filesystem::path& path() const { return path_; }
  /// The beginning of the file without terminal control sequences, as valid UTF-8.
  Result<std::string> text(std::size_t most) const;

 private:
  TerminalLog(UniqueFd fd, std::filesystem::path path, std::uint64_t most)
      : fd_(std::move(fd)), path_(std::move(path)), most_(most) {}
  UniqueFd fd_;
  std::filesystem::path path_;
  std::uint64_t most_;
  std::uint64_t bytes_ = 0;
};

/// The text without escape sequences.
std::string without_escapes(std::string_view text);

}  // namespace ralph::trial
