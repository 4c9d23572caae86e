#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

#include "core/base/result.h"

namespace ralph::git {

inline constexpr std::size_t kSha1Digits = 40;  // in hex

/// One entry of an index, without what git remembers of its file.
struct IndexEntry {
  unsigned mode = 0;  // 0100644, 0100755, 0120000, 0160000
  std::string id;     // in hex digits
  unsigned stage = 0;
  std::string path;
  bool assumed = false, skipped = false, intended = false;  // its flags

  /// The stat data of its file count: git compares them.
  bool compared() const { return stage == 0 && !assumed && !skipped && !intended; }
};

/// Reads what `git ls-files --stage --debug -z` prints.
Result<std::vector<IndexEntry>> parse_index_listing(std::string_view text);

/// An index file as git reads it, in version 3 where a flag needs that, without extensions. `stats`, in the order of the
/// entries: what git takes for the state of each file when it was last read; nullopt: it was never read.
std::string index_bytes(const std::vector<IndexEntry>& entries,
                        const std::vector<std::optional<struct stat>>& stats);

}  // namespace ralph::git
