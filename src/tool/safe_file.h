#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

/// Files by resolved paths (Workspace::resolve). Folder after folder is opened without following a link, so a
/// path that was checked cannot lead elsewhere by the time it is used. Nothing here waits for a peer.
namespace ralph::tool {

enum class FileKind { missing, regular, folder, link, other };
/// Of the path itself: a link is a link. What cannot be looked at is `other`.
FileKind kind_of(const std::filesystem::path& resolved);

struct OpenFile {
  UniqueFd fd;
  std::uintmax_t size = 0;
};
/// Regular files only: folders, pipes, sockets, devices and links are errors.
Result<OpenFile> open_for_reading(const std::filesystem::path& resolved);

/// The next bytes of a regular file, at most 64 KB, into `piece`; empty: its end.
Result<std::string_view> read_piece(const OpenFile& file, std::string& piece,
                                    const std::filesystem::path& name);

/// The whole file; over `max_bytes` is an error.
Result<std::string> read_regular_file(const std::filesystem::path& resolved, std::size_t max_bytes);

/// Makes the file hold these bytes, at once or not at all: readers see the old bytes or the new ones. Missing
/// folders are made; an existing file keeps its mode. Folders, links, devices and read-only files are refused.
Result<> replace_file(const std::filesystem::path& resolved, std::string_view bytes);

}  // namespace ralph::tool
