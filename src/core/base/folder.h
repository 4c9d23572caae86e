#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace ralph {

/// A failed system call on a file of ours: Code::storage or Code::disk_full, and what to do about it.
std::unexpected<Error> fail_storage(int error_number, std::string what);

/// An open directory that other programs may write into. Entries are accessed by a single name relative to its descriptor:
/// no link is followed, no device is opened and no call blocks, whatever the entry is.
/// Only regular files with one link are read or appended to: a hard link may be another user's file.
/// Code::not_found: it does not exist. Code::malformed: it is something else; the message says what, the hint what to
/// do. Code::limit: it is too large. Everything else is Code::storage or Code::disk_full.
class Folder {
 public:
  /// The last part of `path` must not be a link; those before it may be.
  static Result<Folder> open(const std::filesystem::path& path);
  /// The same; creates it if it is missing, with mode 0700 regardless of the umask.
  static Result<Folder> make(const std::filesystem::path& path);
  Result<Folder> open_folder(std::string_view name) const;
  Result<Folder> make_folder(std::string_view name) const;

  Result<UniqueFd> open_read(std::string_view name) const;
  Result<std::string> read(std::string_view name, std::size_t max_bytes) const;
  /// For reading and appending; created (0600) if it is missing.
  Result<UniqueFd> open_append(std::string_view name) const;
  /// A new file (0600), for appending. Code::busy: something of that name exists.
  Result<UniqueFd> create(std::string_view name) const;
  /// As write_file_atomically(): what was there is replaced, never written to.
  Result<> write_atomically(std::string_view name, std::string_view bytes,
                            unsigned mode = 0600) const;
  /// Replaces nothing: Code::busy when `to` exists.
  Result<> rename(std::string_view from, std::string_view to) const;
  /// Removes a file, or a link but not its target. A missing entry is not an error.
  Result<> remove(std::string_view name) const;
  /// Removes any entry recursively, as far as possible. Linear in the number of files; the number of descriptors is
  /// bounded at any depth.
  void remove_all(std::string_view name) const;

  enum class Kind { missing, file, hard_link, folder, link, fifo, socket, device, unknown };
  Kind kind_of(std::string_view name) const;
  /// At most `most` of its names, in no order.
  Result<std::vector<std::string>> names(std::size_t most) const;

  int fd() const { return fd_.get(); }
  /// For messages.
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path path_of(std::string_view name) const { return path_ / name; }

 private:
  Folder(UniqueFd fd, std::filesystem::path path) : fd_(std::move(fd)), path_(std::move(path)) {}
  static Result<Folder> open_at(int at, const char* name, std::filesystem::path path);
  static Result<Folder> make_at(int at, const char* name, std::filesystem::path path);
  Result<> check_file(std::string_view name, Kind kind) const;
  Result<UniqueFd> open_file(const std::string& name, int flags) const;
  std::unexpected<Error> fail_at(int error_number, std::string_view what,
                                 std::string_view name) const;

  UniqueFd fd_;
  std::filesystem::path path_;
};

}  // namespace ralph
