#include "process/guard_image.h"

#include <cerrno>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/unique_fd.h"
#include "process/stdio.h"

extern "C" const char ralph_guard_image[];
extern "C" const char ralph_guard_image_end[];

namespace ralph::process {

namespace {

constexpr unsigned kMfdExec = 0x0010;  // MFD_EXEC, since Linux 6.3

UniqueFd make_image() {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  UniqueFd image(::memfd_create("ralph-guard", kFlags | kMfdExec));
  if (!image && errno == EINVAL) image.reset(::memfd_create("ralph-guard", kFlags));
  if (!image) return {};
  const std::string_view bytes(ralph_guard_image,
                               static_cast<std::size_t>(ralph_guard_image_end - ralph_guard_image));
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (!write_all(image.get(), bytes, "the guard's image") ||
      ::fcntl(image.get(), F_ADD_SEALS, kSeals) != 0) {
    return {};
  }
  auto moved = moved_up(std::move(image));
  return moved ? *std::move(moved) : UniqueFd();
}

}  // namespace

int guard_image_fd() {
  static const int fd = make_image().release();
  return fd;
}

std::vector<std::string> guard_files(const std::string& executable) {
  const auto folder = std::filesystem::path(executable).parent_path();
  std::vector<std::string> found;
  for (const auto& path :
       {folder / "ralph-guard", folder.parent_path() / "libexec/ralph/ralph-guard"}) {
    if (::access(path.c_str(), X_OK) == 0) found.push_back(path.string());
  }
  return found;
}

}  // namespace ralph::process
