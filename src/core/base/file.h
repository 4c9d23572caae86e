#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ralph {

/// The whole file. Refuses directories, devices and named pipes, which could block forever, and files over
/// `max_bytes` with a message that names both sizes. /dev/null is empty; /dev/stdin and /dev/fd/N, which a shell's
/// <(...) names, are read to their end.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::size_t max_bytes = std::size_t{256} << 20);

/// All bytes of a descriptor until its end. `name` is for the error message.
Result<std::string> read_fd(int fd, std::string_view name,
                            std::size_t max_bytes = std::size_t{256} << 20);

/// The whole of an open regular file; `path` is for the error message.
Result<std::string> read_open_file(int fd, const std::filesystem::path& path,
                                   std::size_t max_bytes);

/// Replaces a file so that a reader, or a crash at any moment, sees the old bytes or the new ones:
/// a temp name in the same directory, fsync, rename, fsync of the directory. The file's mode becomes `mode`.
Result<> write_file_atomically(const std::filesystem::path& path, std::string_view bytes,
                               unsigned mode = 0600);

/// Creates a directory and its parents with `mode`, regardless of the umask. Existing ones keep their mode.
Result<> make_folders(const std::filesystem::path& path, unsigned mode = 0700);

/// Writes all bytes, with as many write(2) calls as needed. `name` is for the error message.
Result<> write_all(int fd, std::string_view bytes, std::string_view name);

/// The same; returns 0 or the errno.
int try_write_all(int fd, std::string_view bytes);

}  // namespace ralph
