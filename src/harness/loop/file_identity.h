#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace ralph::loop {

/// Of a link where it leads to, of a file its content; empty: there is neither. The content of large files is taken as
/// unchanged as long as inode, size and time of change are.
std::string identity_of(const std::filesystem::path& path);
/// Whether an identity means the same after a restart, when inodes may be others.
bool is_content(std::string_view identity);

/// Whether this user can write the file or replace it.
bool is_writable(const std::filesystem::path& path);

bool is_elf_file(const std::filesystem::path& path);
/// A regular file, or a link to one, that can be run and is not compiled.
bool is_executable_script(const std::filesystem::path& path);

}  // namespace ralph::loop
