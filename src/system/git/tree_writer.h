#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ralph::git {

/// What `git write-tree` does, without starting git (3 ms): writes the trees of an index file as loose objects below
/// `objects` and returns the id of the root tree. Only for git directories that no other user can write to. nullopt: the index is
/// of a kind that only git reads (split, compressed, with conflicts).
Result<std::optional<std::string>> write_tree(std::string_view index,
                                              const std::filesystem::path& objects);

}  // namespace ralph::git
