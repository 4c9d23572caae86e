#pragma once
#include <filesystem>
#include <optional>

#include <sys/stat.h>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

/// Folders by resolved paths, opened from "/" without following a link: with openat2 and RESOLVE_NO_SYMLINKS, or name
/// by name where the kernel or a container's seccomp filter has no openat2.
namespace ralph::tool {

enum class Missing { is_an_error, is_made, is_made_private };  // private: 0700

/// A descriptor for the *at functions only (O_PATH).
Result<UniqueFd> open_folder_path(const std::filesystem::path& resolved, Missing missing);

/// The folder a file is in.
Result<UniqueFd> open_parent(const std::filesystem::path& resolved, Missing missing);

/// nullopt: there is nothing of that name. A link is a link.
std::optional<struct stat> look(int folder, const std::string& name);

/// "… is reached through a symbolic link": what is said of one that must not be followed.
std::unexpected<Error> refused_link(const std::filesystem::path& path);

}  // namespace ralph::tool
