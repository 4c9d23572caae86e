#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "agent/tool/file_stamp.h"
#include "core/base/result.h"
#include "core/base/unique_fd.h"

/// Files by resolved paths (Workspace::resolve). No link is followed on the way or at the end, so a path that was
/// checked cannot lead elsewhere by the time it is used. Nothing here waits for a peer.
namespace ralph::tool {

enum class FileKind { missing, regular, folder, link, other };
/// Of the path itself: a link is a link. What cannot be looked at, or lies behind a link, is `other`.
FileKind kind_of(const std::filesystem::path& resolved);

struct OpenFile {
  UniqueFd fd;
  FileStamp stamp;
};
/// Regular files only: folders, pipes, sockets, devices and links are errors, and so is what /proc shows of a process:
/// its environment holds keys.
Result<OpenFile> open_for_reading(const std::filesystem::path& resolved);

/// A folder to work in: Command::cwd of a program can be path() while this exists.
struct OpenFolder {
  UniqueFd fd;
  /// Leads to this folder, whatever has its name by now.
  std::filesystem::path path() const;
};
Result<OpenFolder> open_folder(const std::filesystem::path& resolved);

/// Leads any process of this user to what the descriptor is open on, as long as it is.
std::filesystem::path path_of_descriptor(int fd);

/// Whether it is /proc, or what that shows of processes.
bool is_process_information(const std::filesystem::path& resolved);

/// The next bytes of a regular file, at most 64 KB, into `piece`; empty: its end.
Result<std::string_view> read_piece(const OpenFile& file, std::string& piece,
                                    const std::filesystem::path& name);

/// All of it, from its beginning; over `max_bytes` is an error.
Result<std::string> read_whole(const OpenFile& file, std::size_t max_bytes,
                               const std::filesystem::path& name);
Result<std::string> read_regular_file(const std::filesystem::path& resolved, std::size_t max_bytes);

/// Opens a regular file to read it and to write behind its end; made if it is missing, for its owner only. Its folder
/// must be there.
Result<UniqueFd> open_for_appending(const std::filesystem::path& resolved);

/// A new file to read and write, 0600; missing folders are made, 0700.
Result<UniqueFd> create_private_file(const std::filesystem::path& resolved);

/// Makes the file hold these bytes, at once or not at all: readers see the old bytes or the new ones. Missing
/// folders are made; an existing file keeps its mode. Folders, links, devices and read-only files are refused.
/// A file that appears, or is no longer as `expected`, while this happens is another program's work: it is kept, and
/// that is an error. Returns the new file's stamp.
Result<FileStamp> replace_file(const std::filesystem::path& resolved, std::string_view bytes,
                               const std::optional<FileStamp>& expected = std::nullopt);

}  // namespace ralph::tool
