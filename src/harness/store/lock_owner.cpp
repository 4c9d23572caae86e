#include "harness/store/lock_owner.h"

#include <array>
#include <climits>
#include <filesystem>
#include <string_view>

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/number.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLocks = std::size_t{16} << 20;
constexpr std::size_t kLongestInfo = std::size_t{64} << 10;
constexpr std::size_t kMostArguments = std::size_t{2} << 20;
constexpr int kMostDescriptors = 10'000;
constexpr std::string_view kDeleted = " (deleted)";

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

std::string_view next_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  const auto word = rest.substr(0, rest.find_first_of(" \t\n"));
  rest.remove_prefix(word.size());
  return word;
}

/// "3: FLOCK  ADVISORY  WRITE 26856 fe:00:10004685 0 EOF", without its number; 0: not such a lock, or of another
/// `place`.
std::int64_t owner_in(std::string_view line, std::string_view place) {
  if (next_word(line) != "FLOCK") return 0;
  next_word(line);
  if (next_word(line) != "WRITE") return 0;
  const auto owner = next_word(line);
  if (!place.empty() && next_word(line) != place) return 0;
  return parse_number<std::int64_t>(owner).value_or(0);
}

std::int64_t owner_in_list(const struct stat& file) {
  const auto locks = read_file("/proc/locks", kMostLocks);
  if (!locks) return 0;
  const auto place =
      fmt::format("{:02x}:{:02x}:{}", major(file.st_dev), minor(file.st_dev), file.st_ino);
  std::string_view rest = *locks;
  while (!rest.empty()) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    next_word(line);
    if (const auto pid = owner_in(line, place); pid > 0) return pid;
  }
  return 0;
}

/// Whether the process has the file open with a lock of its own on it.
bool holds(std::int64_t pid, const struct stat& file) {
  std::error_code error;
  int seen = 0;
  for (fs::directory_iterator at(fmt::format("/proc/{}/fd", pid), error), end; !error && at != end;
       at.increment(error)) {
    struct stat open_file{};
    if (++seen > kMostDescriptors) return false;
    if (::stat(at->path().c_str(), &open_file) != 0 || !same_file(open_file, file)) continue;
    const auto info = read_file(
        fmt::format("/proc/{}/fdinfo/{}", pid, at->path().filename().native()), kLongestInfo);
    const auto lock = info ? info->find("lock:") : std::string::npos;
    if (lock == std::string::npos) continue;
    std::string_view line(info->data() + lock, info->size() - lock);
    next_word(line);  // "lock:"
    next_word(line);  // its number
    if (owner_in(line, {}) == pid) return true;
  }
  return false;
}

/// Where the program of a process is; empty: it cannot be seen.
std::string program_of(std::string_view pid) {
  std::array<char, PATH_MAX> target{};
  const auto length =
      ::readlink(fmt::format("/proc/{}/exe", pid).c_str(), target.data(), target.size());
  std::string path(target.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());  // was reinstalled
  return path;
}

bool is_ralph(std::int64_t pid) {
  const auto program = program_of(std::to_string(pid));
  return !program.empty() &&
         (program == program_of("self") || fs::path(program).filename() == "ralph");
}

}  // namespace

std::int64_t lock_owner(const UniqueFd& file, std::int64_t named) {
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return 0;
  auto pid = owner_in_list(info);
  if (pid == 0 && named > 0 && holds(named, info)) pid = named;
  return pid > 0 && is_ralph(pid) ? pid : 0;
}

LockUser command_of(std::int64_t pid) {
  const auto words = read_file(fmt::format("/proc/{}/cmdline", pid), kMostArguments);
  const auto begin = words ? words->find('\0') : std::string::npos;
  if (begin == std::string::npos) return LockUser::unknown;
  return lock_user_named(fmt::format("ralph {}", words->c_str() + begin + 1));
}

}  // namespace ralph::store
