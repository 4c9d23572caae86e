#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/id.h"
#include "base/unique_fd.h"
#include "base/utf8.h"
#include "loop/state.h"
#include "store/private_files.h"
#include "store/workspace.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostProgress = std::size_t{256} << 20;
constexpr std::size_t kLongestGuidance = std::size_t{64} << 10;
constexpr std::size_t kMostGuidance = 100;

bool is_there(const fs::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0;
}

/// Only what we put there: a private file, no link.
Result<UniqueFd> open_progress(const fs::path& path) {
  if (!is_there(path)) return store::create_private_file(path);
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) return store::fail_storage(errno, fmt::format("cannot open '{}'", path.native()));
  return fd;
}

/// A crash may have cut the last line; the next one begins a new line all the same.
bool ends_in_a_line(const UniqueFd& fd) {
  const auto size = ::lseek(fd.get(), 0, SEEK_END);
  char last = '\n';
  return size <= 0 || ::pread(fd.get(), &last, 1, size - 1) != 1 || last == '\n';
}

}  // namespace

Files::Files(const fs::path& workspace)
    : folder_(store::Workspace::at(workspace).root() / "state") {}

Result<std::vector<Record>> Files::records(std::int64_t& bad) const {
  bad = 0;
  std::vector<Record> records;
  const auto path = folder_ / "progress.ndjson";
  if (!is_there(path)) return records;
  TRY_ASSIGN(const auto text, read_file(path, kMostProgress));
  std::string_view rest = text;
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (line.empty()) continue;
    if (auto record = read_record(line)) {
      records.push_back(*std::move(record));
    } else {
      ++bad;
    }
  }
  return records;
}

Result<> Files::append(const Record& record) const {
  const auto path = folder_ / "progress.ndjson";
  TRY_ASSIGN(const auto fd, open_progress(path));
  const auto line = (ends_in_a_line(fd) ? "" : "\n") + write_record(record) + "\n";
  if (const int error = try_write_all(fd.get(), line); error != 0) {
    return store::fail_storage(error, fmt::format("cannot write '{}'", path.native()));
  }
  if (::fdatasync(fd.get()) != 0) {
    return store::fail_storage(errno, fmt::format("cannot write '{}'", path.native()));
  }
  return {};
}

bool Files::has_records() const { return is_there(folder_ / "progress.ndjson"); }

Result<> Files::rewrite(const std::vector<Record>& records) const {
  std::string text;
  for (const auto& record : records) text += write_record(record) + "\n";
  auto written = write_file_atomically(folder_ / "progress.ndjson", text);
  if (!written) written.error().code = Code::storage;
  return written;
}

Result<> Files::put_records_aside(std::string_view id) const {
  const auto from = folder_ / "progress.ndjson";
  const auto to = folder_ / fmt::format("progress-{}.ndjson", id);
  if (!is_there(from) || is_there(to)) return {};
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return store::fail_storage(errno, fmt::format("cannot rename '{}'", from.native()));
}

Result<std::string> Files::leave_guidance(std::string_view text) const {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail(Code::usage, "the guidance is empty", "say what the agent shall know");
  }
  if (text.size() > kLongestGuidance) {
    return fail(
        Code::limit,
        fmt::format("the guidance has {} bytes; it may have {}", text.size(), kLongestGuidance),
        "put it into a file of the workspace and name that");
  }
  const auto folder = folder_ / "guidance";
  TRY(store::make_private_folder(folder));
  // Sorts by time.
  const auto name =
      fmt::format("{:015}-{}.md", now_utc().time_since_epoch().count(), random_hex(3));
  TRY(write_file_atomically(folder / name, utf8::repaired(text)));
  return name;
}

std::vector<Files::Guidance> Files::guidance() const {
  std::vector<Guidance> found;
  std::error_code error;
  for (fs::directory_iterator at(folder_ / "guidance", error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    const bool ours = at->path().extension() == ".md" &&
                      at->symlink_status(ignored).type() == fs::file_type::regular;
    if (!ours || found.size() >= kMostGuidance) continue;
    if (auto text = read_file(at->path(), kLongestGuidance)) {
      struct stat info{};
      if (::stat(at->path().c_str(), &info) != 0) continue;
      found.push_back({at->path().filename().native(), *std::move(text),
                       UtcTime(std::chrono::seconds(info.st_mtim.tv_sec))});
    }
  }
  std::ranges::sort(found, {}, &Guidance::name);
  return found;
}

void Files::take_guidance(const std::vector<std::string>& names) const {
  for (const auto& name : names) {
    std::error_code ignored;
    const fs::path file(name);
    if (file.has_parent_path()) continue;
    fs::remove(folder_ / "guidance" / file, ignored);
  }
}

Result<> Files::ask_to_stop() const { return write_file_atomically(folder_ / "stop", ""); }

bool Files::asked_to_stop() const {
  std::error_code error;
  return fs::symlink_status(folder_ / "stop", error).type() == fs::file_type::regular;
}

void Files::forget_stop() const {
  std::error_code ignored;
  fs::remove(folder_ / "stop", ignored);
}

}  // namespace ralph::loop
