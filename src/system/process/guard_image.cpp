#include "system/process/guard_image.h"

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/unique_fd.h"
#include "system/process/stdio.h"

extern "C" const char ralph_guard_image[];
extern "C" const char ralph_guard_image_end[];

namespace ralph::process {

namespace {

constexpr unsigned kMfdExec = 0x0010;  // MFD_EXEC, since Linux 6.3

/// The image, or the error number.
std::expected<UniqueFd, int> make_image() {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  UniqueFd image(::memfd_create("ralph-guard", kFlags | kMfdExec));
  if (!image && errno == EINVAL) image.reset(::memfd_create("ralph-guard", kFlags));
  if (!image) return std::unexpected(errno);
  const std::string_view bytes(ralph_guard_image,
                               static_cast<std::size_t>(ralph_guard_image_end - ralph_guard_image));
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (const int error_number = try_write_all(image.get(), bytes))
    return std::unexpected(error_number);
  if (::fcntl(image.get(), F_ADD_SEALS, kSeals) != 0) return std::unexpected(errno);
  auto moved = dup_above_stdio(std::move(image));
  if (!moved) return std::unexpected(EMFILE);
  return *std::move(moved);
}

}  // namespace

std::expected<int, int> guard_image_fd() {
  static std::mutex mutex;
  static int made = -1;  // never closed: threads may start programs while the process leaves main()
  const std::lock_guard lock(mutex);
  if (made >= 0) return made;
  auto image = make_image();
  if (!image) return std::unexpected(image.error());
  made = image->release();
  return made;
}

std::vector<std::string> guard_files(const std::string& executable) {
  const auto folder = std::filesystem::path(executable).parent_path();
  std::vector<std::string> found;
  if (!folder.is_absolute()) return found;  // never from the directory we happen to be in
  for (const auto& path :
       {folder / "ralph-guard", folder.parent_path() / "libexec/ralph/ralph-guard"}) {
    if (::access(path.c_str(), X_OK) == 0) found.push_back(path.string());
  }
  return found;
}

}  // namespace ralph::process
