#pragma once
#include <filesystem>

#include "core/base/folder.h"

namespace ralph::store {

using ralph::fail_storage;

/// Creates a directory with mode 0700, whatever the umask, or sets the mode of an existing one. Refuses symbolic links:
/// a checked-out repository may contain any.
inline Result<> make_private_folder(const std::filesystem::path& path) {
  auto made = Folder::make(path);
  if (made) return {};
  return std::unexpected(as_storage(made.error()));
}

}  // namespace ralph::store
