#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace ralph::git {

/// What HEAD points to.
struct Head {
  std::string commit;  // 40 or 64 hex digits; empty: no commit yet, or kept in a reftable
  std::string branch;  // "main"; a ref that is no branch in full; empty: detached, or in a reftable
};

/// nullopt: no git directory in `folder` or above it. Never runs git, whose settings can name programs: reads
/// its files, and trusts none of them: regular ones only, bounded, no symbolic link inside a git directory.
/// An error names paths and quotes nothing else.
Result<std::optional<Head>> read_head(const std::filesystem::path& folder);

}  // namespace ralph::git
