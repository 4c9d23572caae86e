#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "agent/tool/file_stamp.h"
#include "core/base/result.h"
#include "core/base/unique_fd.h"

/// Files by resolved paths (Workspace::resolve). No link is followed, so a path that was checked cannot lead elsewhere
/// when it is used. Never blocks on pipes or devices.
namespace ralph::tool {

enum class FileKind { missing, regular, folder, link, other };
/// The kind of the path itself, links not followed; `other` if it cannot be examined or leads through a link.
FileKind kind_of(const std::filesystem::path& resolved);

struct OpenFile {
  UniqueFd fd;
  FileStamp stamp;
};
/// Regular files only. Directories, pipes, sockets, devices, links and the process information in /proc, which may
/// contain keys, are errors.
Result<OpenFile> open_for_reading(const std::filesystem::path& resolved);

/// An open directory; path() can be the Command::cwd of a program while this exists.
struct OpenFolder {
  UniqueFd fd;
  /// Leads to this directory even if its name was reused.
  std::filesystem::path path() const;
};
Result<OpenFolder> open_folder(const std::filesystem::path& resolved);

/// A path by which any process of this user reaches the file of the open descriptor.
std::filesystem::path path_of_descriptor(int fd);

/// Whether the path is /proc itself or the information about a process in it.
bool is_process_information(const std::filesystem::path& resolved);

/// Reads the next bytes of a regular file, at most 64 KB, into `piece`; empty: end of file.
Result<std::string_view> read_piece(const OpenFile& file, std::string& piece,
                                    const std::filesystem::path& name);

/// Reads the whole file; more than `max_bytes` is an error.
Result<std::string> read_whole(const OpenFile& file, std::size_t max_bytes,
                               const std::filesystem::path& name);
Result<std::string> read_regular_file(const std::filesystem::path& resolved, std::size_t max_bytes);

/// Opens a regular file for reading and appending; creates it with mode 0600 if missing. Its directory must exist.
Result<UniqueFd> open_for_appending(const std::filesystem::path& resolved);

/// Creates a file for reading and writing, 0600; creates missing directories, 0700.
Result<UniqueFd> create_private_file(const std::filesystem::path& resolved);

/// Replaces the content of a file atomically. Creates missing directories; an existing file keeps its mode. Refuses
/// directories, links, devices and read-only files. Fails without a change if another program creates the file or
/// changes it from `expected` in the meantime. Returns the stamp of the new file.
Result<FileStamp> replace_file(const std::filesystem::path& resolved, std::string_view bytes,
                               const std::optional<FileStamp>& expected = std::nullopt);

}  // namespace ralph::tool
