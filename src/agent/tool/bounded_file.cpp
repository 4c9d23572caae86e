#include "agent/tool/bounded_file.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "agent/tool/path_walk.h"
#include "agent/tool/safe_file.h"
#include "core/base/file.h"

namespace ralph::tool {
Result<BoundedFile> BoundedFile::create(const std::filesystem::path& path) {
  BoundedFile file;
  TRY_ASSIGN(file.fd_, create_private_file(path));
  file.path_ = path;
  return file;
}

Result<> BoundedFile::rename(const std::filesystem::path& path) {
  TRY_ASSIGN(const auto from, open_parent(path_, Missing::is_an_error));
  TRY_ASSIGN(const auto to, open_parent(path, Missing::is_made_private));
  if (::renameat(from.get(), path_.filename().c_str(), to.get(), path.filename().c_str()) != 0) {
    return fail_errno(errno,
                      fmt::format("cannot rename '{}' to '{}'", path_.string(), path.string()));
  }
  path_ = path;
  return {};
}

Result<> BoundedFile::write(std::string_view bytes) {
  const auto first = bytes.substr(0, std::min<std::uint64_t>(bytes.size(), kHead - size_));
  if (!first.empty()) TRY(write_all(fd_.get(), first, path_.string()));
  size_ += first.size();
  return write_end(bytes.substr(first.size()));
}

Result<> BoundedFile::write_end(std::string_view bytes) {
  while (!bytes.empty()) {
    Segment& segment = segments_[current_];
    if (!segment.fd || segment.size == kSegment) {
      TRY(next_segment());
      continue;
    }
    const auto part = bytes.substr(0, kSegment - segment.size);
    TRY(write_all(segment.fd.get(), part, path_.string()));
    segment.size += part.size();
    bytes.remove_prefix(part.size());
  }
  return {};
}

Result<> BoundedFile::next_segment() {
  if (segments_[current_].fd) current_ = 1 - current_;
  Segment& segment = segments_[current_];
  dropped_ += std::exchange(segment.size, 0);
  if (!segment.fd) {
    const std::filesystem::path path = path_.string() + ".end";
    TRY_ASSIGN(segment.fd, create_private_file(path));
    TRY_ASSIGN(const auto folder, open_parent(path, Missing::is_an_error));
    ::unlinkat(folder.get(), path.filename().c_str(), 0);
  }
  if (::ftruncate(segment.fd.get(), 0) != 0 || ::lseek(segment.fd.get(), 0, SEEK_SET) != 0) {
    return fail_errno(errno, fmt::format("cannot empty a part of '{}'", path_.string()));
  }
  return {};
}

Result<> BoundedFile::finish() {
  if (dropped_ > 0) {
    const auto note = fmt::format("\n\n... [{} bytes dropped here] ...\n\n", dropped_);
    TRY(write_all(fd_.get(), note, path_.string()));
    size_ += note.size();
  }
  TRY(append(segments_[1 - current_]));
  TRY(append(segments_[current_]));
  segments_ = {};
  fd_.reset();
  return {};
}

Result<> BoundedFile::append(const Segment& segment) {
  constexpr std::size_t kPiece = std::size_t{256} << 10;
  const auto buffer = std::make_unique<char[]>(segment.size > 0 ? kPiece : 0);
  for (std::uint64_t at = 0; at < segment.size;) {
    const auto got = ::pread(segment.fd.get(), buffer.get(), kPiece, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return fail_errno(got == 0 ? EIO : errno,
                        fmt::format("cannot read the end of '{}'", path_.string()));
    TRY(write_all(fd_.get(), {buffer.get(), static_cast<std::size_t>(got)}, path_.string()));
    at += static_cast<std::uint64_t>(got);
    size_ += static_cast<std::uint64_t>(got);
  }
  return {};
}

}  // namespace ralph::tool
