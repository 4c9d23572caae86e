#pragma once
#include <filesystem>

#include "core/base/folder.h"

namespace ralph::store {

using ralph::fail_storage;

/// Makes a folder nobody else can look into, whatever the umask, or takes the existing one and
/// closes it to others. Refuses symbolic links: a checked-out repository may hold any.
inline Result<> make_private_folder(const std::filesystem::path& path) {
  auto made = Folder::make(path);
  if (made) return {};
  return std::unexpected(as_storage(made.error()));
}

}  // namespace ralph::store
