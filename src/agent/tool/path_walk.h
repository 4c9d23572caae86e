#pragma once
#include <filesystem>
#include <optional>

#include <sys/stat.h>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

/// Opens directories by resolved paths without following links: with openat2 and RESOLVE_NO_SYMLINKS, or component by
/// component where openat2 is not available.
namespace ralph::tool {

enum class Missing { is_an_error, is_made, is_made_private };  // private: 0700

/// A descriptor for the *at functions only (O_PATH).
Result<UniqueFd> open_folder_path(const std::filesystem::path& resolved, Missing missing);

/// The directory of a file.
Result<UniqueFd> open_parent(const std::filesystem::path& resolved, Missing missing);

/// lstat() relative to a directory; nullopt: it failed, see errno.
std::optional<struct stat> look(int folder, const std::string& name);

/// The error for a symbolic link that must not be followed.
std::unexpected<Error> refused_link(const std::filesystem::path& path);

}  // namespace ralph::tool
