#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace ralph::tool {

/// A file that takes any amount and keeps 64 MB of it: the first 48 MB and the last 8 to 16 MB.
/// What lies between is dropped, and the file says so there.
class KeptFile {
 public:
  static constexpr std::uint64_t kHead = std::uint64_t{48} << 20;
  static constexpr std::uint64_t kSegment = std::uint64_t{8} << 20;

  /// A new file, 0600, its folders 0700. The path is a resolved one: no link is followed.
  static Result<KeptFile> create(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  Result<> write(std::string_view bytes);
  /// What is written goes on in the same file under its new name.
  Result<> rename(const std::filesystem::path& path);
  /// Puts the end behind the beginning; nothing may be written afterwards.
  Result<> finish();
  std::uint64_t dropped() const { return dropped_; }
  /// Bytes in the file, once it is finished.
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
  std::array<Segment, 2> segments_;  // the end, by turns
  std::size_t current_ = 0;
};

}  // namespace ralph::tool
