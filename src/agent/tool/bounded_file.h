#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace ralph::tool {

/// A file of at most 64 MB for output of any length: the first 48 MB and the last 8 to 16 MB. A line in the file says
/// how many bytes between them were dropped.
class BoundedFile {
 public:
  static constexpr std::uint64_t kHead = std::uint64_t{48} << 20;
  static constexpr std::uint64_t kSegment = std::uint64_t{8} << 20;

  /// Creates a file, 0600, and its directories, 0700. The path must be resolved: no link is followed.
  static Result<BoundedFile> create(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  Result<> write(std::string_view bytes);
  /// Further output goes to the same file under its new name.
  Result<> rename(const std::filesystem::path& path);
  /// Appends the end to the beginning; no write may follow.
  Result<> finish();
  std::uint64_t dropped() const { return dropped_; }
  /// The size of the finished file.
  std::uint64_t size() const { return size_; }

 private:
  struct Segment {
    UniqueFd fd;
    std::uint64_t size = 0;
  };

  Result<> write_end(std::string_view bytes);
  Result<> next_segment();
  Result<> append(const Segment& segment);

  std::filesystem::path path_;
  UniqueFd fd_;
  std::uint64_t size_ = 0;
  std::uint64_t dropped_ = 0;
  std::array<Segment, 2> segments_;  // the last bytes, alternating
  std::size_t current_ = 0;
};

}  // namespace ralph::tool
