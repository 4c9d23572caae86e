#pragma once
#include <filesystem>
#include <string_view>
#include <vector>

namespace ralph {

/// Whether `path` is `folder` or inside it, by their names: both must be absolute, with links resolved.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Links are not followed: a dangling link exists.
bool path_exists(const std::filesystem::path& path);
/// Links are not followed: a link to a directory is not one.
bool is_real_directory(const std::filesystem::path& path);

/// Absolute, with links resolved as far as the path exists; `path` itself if that is not possible.
std::filesystem::path real_path(const std::filesystem::path& path);

/// Where ralph keeps what no workspace may hold: `xdg_state_home`/ralph, or .local/state/ralph in `home`. Empty: neither is
/// absolute.
std::filesystem::path state_folder(const std::filesystem::path& xdg_state_home,
                                   const std::filesystem::path& home);

/// The part behind the last slash.
std::string_view base_name(std::string_view path);

/// Where a path leads: every symbolic link on the way, of directories too, and the file at its end. All are absolute, and
/// no directory in them is a link.
struct ResolvedPath {
  std::vector<std::filesystem::path> links;
  std::filesystem::path file;  // empty: not a regular file
};
/// Resolves an absolute path as the kernel does: "link/.." is the parent of what the link leads to.
ResolvedPath resolve_links(const std::filesystem::path& path);

}  // namespace ralph
