#include "harness/store/line_follower.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ralph::store {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10;

}  // namespace

LineFollower::LineFollower(Location file, std::size_t max_line)
    : file_(std::move(file)), max_line_(max_line), lines_(max_line) {}

/// What was read of a line that never ended is dropped.
void LineFollower::restart() {
  overlong_ += lines_.overlong();
  lines_ = stream::LineSplitter(max_line_);
  offset_ = 0;
}

/// False: there is no such file yet.
Result<bool> LineFollower::open() {
  const auto folder = file_.parent();
  auto fd =
      folder ? folder->open_read(file_.name()) : Result<UniqueFd>(std::unexpected(folder.error()));
  if (!fd && fd.error().code == Code::not_found) return false;
  if (!fd) return std::unexpected(fd.error());
  fd_ = *std::move(fd);
  return true;
}

/// The name leads to another file. One that is gone may come back: its last lines are still to be read.
bool LineFollower::was_replaced() const {
  struct stat held{}, named{};
  const auto folder = file_.parent();
  return folder && ::fstat(fd_.get(), &held) == 0 &&
         ::fstatat(folder->fd(), file_.name().c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         (held.st_dev != named.st_dev || held.st_ino != named.st_ino);
}

Result<> LineFollower::read_open(const std::function<void(std::string_view)>& on_line,
                                 std::size_t& most) {
  struct stat held{};
  if (::fstat(fd_.get(), &held) == 0 && held.st_size < offset_) restart();
  std::vector<char> chunk(kChunk);
  while (most > 0) {
    const auto got = ::pread(fd_.get(), chunk.data(), std::min(chunk.size(), most), offset_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_storage(errno, fmt::format("cannot read '{}'", file_.path().native()));
    if (got == 0) break;
    offset_ += got;
    most -= static_cast<std::size_t>(got);
    lines_.feed({chunk.data(), static_cast<std::size_t>(got)});
    while (const auto line = lines_.next()) on_line(*line);
  }
  return {};
}

Result<> LineFollower::read(const std::function<void(std::string_view)>& on_line,
                            std::size_t most) {
  if (!fd_) {
    TRY_ASSIGN(const bool there, open());
    if (!there) return {};
  }
  for (;;) {
    // In this order: what is written between the two is still in the file that is read.
    const bool replaced = was_replaced();
    TRY(read_open(on_line, most));
    if (!replaced || most == 0) return {};
    TRY_ASSIGN(const bool there, open());
    if (!there) return {};
    restart();
  }
}

}  // namespace ralph::store
