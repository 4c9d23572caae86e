#pragma once
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "agent/tool/bounded_file.h"
#include "core/base/result.h"

namespace ralph::tool {

/// The output of a command. Its beginning and end stay in memory; once it is too long to show, all of it goes to a file
/// (see BoundedFile). Written by one thread, read by others.
class BashOutput {
 public:
  /// `shown`: the most bytes to show in full. `file`: receives longer output.
  BashOutput(std::filesystem::path file, std::size_t shown);

  void append(std::string_view bytes);
  /// From here on all output goes to this file, including the output so far.
  Result<> move_to(const std::filesystem::path& file);
  /// The output is complete.
  void finish();
  /// Writes the complete output to the file even if it is short.
  void keep();

  /// As text: invalid UTF-8 and NUL replaced by U+FFFD, without trailing line ends. nullopt: too long to show.
  std::optional<std::string> whole() const;
  /// The first characters, the last bytes.
  std::string beginning(std::size_t characters) const;
  std::string end(std::size_t bytes) const;

  /// The number of bytes printed.
  std::uint64_t size() const;
  struct Kept {
    std::filesystem::path path;
    std::uint64_t size = 0;
    std::uint64_t dropped = 0;
  };
  /// The file, if there is one.
  std::optional<Kept> kept() const;
  /// Why the file is missing or incomplete.
  std::optional<Error> error() const;

 private:
  void start_file();
  void record_error(Result<> done);

  mutable std::mutex mutex_;
  std::filesystem::path path_;
  std::size_t shown_;
  std::uint64_t size_ = 0;
  std::string head_;  // the whole output until there is a file
  std::string tail_;
  std::optional<BoundedFile> file_;
  std::optional<Error> error_;
};

}  // namespace ralph::tool
