#pragma once
#include <cstdint>

struct stat;

namespace ralph::tool {

/// The state of a file at one moment, for detecting changes.
struct FileStamp {
  std::int64_t modified_ns = 0;
  std::uintmax_t size = 0;
  std::uint64_t inode = 0;

  bool operator==(const FileStamp&) const = default;
};

FileStamp stamp_of(const struct stat& info);

}  // namespace ralph::tool
