#include <algorithm>
#include <cerrno>
#include <tuple>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/id.h"
#include "base/unique_fd.h"
#include "base/utf8.h"
#include "loop/state.h"
#include "store/workspace.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostProgress = std::size_t{256} << 20;
constexpr std::size_t kLongestGuidance = std::size_t{64} << 10;
constexpr std::size_t kMostGuidance = 100;
constexpr std::size_t kMostNames = 100'000;  // that are looked at
constexpr const char* kProgress = "progress.ndjson";
constexpr const char* kGuidance = "guidance";
constexpr const char* kStop = "stop";

/// The whole file; empty when there is none.
Result<std::string> read_if_there(const store::Location& file, std::size_t max_bytes) {
  const auto folder = file.parent();
  auto text = folder ? folder->read(file.name(), max_bytes)
                     : Result<std::string>(std::unexpected(folder.error()));
  if (!text && text.error().code == Code::not_found) return std::string();
  if (!text) text.error().code = Code::storage;
  return text;
}

Result<Files::Guidance> read_guidance(const Folder& folder, const std::string& name) {
  TRY_ASSIGN(const auto fd, folder.open_read(name));
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return fail_storage(errno, "cannot look at '" + name + "'");
  TRY_ASSIGN(auto text, read_open_file(fd.get(), folder.path_of(name), kLongestGuidance));
  return Files::Guidance{name, std::move(text), UtcTime(std::chrono::seconds(info.st_mtim.tv_sec))};
}

/// A crash may have cut the last line; the next one begins a new line all the same.
bool ends_in_a_line(const UniqueFd& fd) {
  const auto size = ::lseek(fd.get(), 0, SEEK_END);
  char last = '\n';
  return size <= 0 || ::pread(fd.get(), &last, 1, size - 1) != 1 || last == '\n';
}

}  // namespace

Files::Files(const fs::path& workspace)
    : place_(store::Workspace::at(workspace).state()), folder_(place_.path()) {}

Result<std::vector<Record>> Files::records(std::int64_t& bad) const {
  bad = 0;
  std::vector<Record> records;
  TRY_ASSIGN(const auto text, read_if_there(place_ / kProgress, kMostProgress));
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
  TRY_ASSIGN(const auto folder, place_.folder());
  const auto fd = folder.open_append(kProgress);
  if (!fd) return fail(Code::storage, fd.error().message, fd.error().hint);
  const auto line = (ends_in_a_line(*fd) ? "" : "\n") + write_record(record) + "\n";
  int error = try_write_all(fd->get(), line);
  if (error == 0 && ::fdatasync(fd->get()) != 0) error = errno;
  if (error == 0) return {};
  return fail_storage(error, fmt::format("cannot write '{}'", folder.path_of(kProgress).native()));
}

bool Files::has_records() const {
  const auto folder = place_.folder();
  return folder && folder->kind_of(kProgress) == Folder::Kind::file;
}

Result<> Files::rewrite(const std::vector<Record>& records) const {
  std::string text;
  for (const auto& record : records) text += write_record(record) + "\n";
  TRY_ASSIGN(const auto folder, place_.make_folder());
  auto written = folder.write_atomically(kProgress, text);
  if (!written) written.error().code = Code::storage;
  return written;
}

Result<> Files::put_records_aside(std::string_view id) const {
  TRY_ASSIGN(const auto folder, place_.make_folder());
  const auto moved = folder.rename(kProgress, fmt::format("progress-{}.ndjson", id));
  if (moved || moved.error().code == Code::not_found || moved.error().code == Code::busy) return {};
  return moved;
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
  TRY_ASSIGN(const auto folder, (place_ / kGuidance).make_folder());
  // Sorts by time.
  const auto name =
      fmt::format("{:015}-{}.md", now_utc().time_since_epoch().count(), random_hex(3));
  TRY(folder.write_atomically(name, utf8::repaired(text)));
  return name;
}

std::vector<Files::Guidance> Files::guidance(std::string& refused) const {
  std::vector<Guidance> found;
  const auto refuse = [&](const Error& error) {
    if (refused.empty() && error.code != Code::not_found) refused = "guidance: " + describe(error);
  };
  const auto folder = (place_ / kGuidance).folder();
  if (!folder) return refuse(folder.error()), found;
  auto names = folder->names(kMostNames).value_or(std::vector<std::string>());
  std::erase_if(names, [](const auto& name) { return !name.ends_with(".md"); });
  std::ranges::sort(names);
  for (const auto& name : names) {
    if (found.size() >= kMostGuidance) break;
    auto text = read_guidance(*folder, name);
    if (text) {
      found.push_back(*std::move(text));
    } else {
      refuse(text.error());
    }
  }
  return found;
}

std::vector<Files::Guidance> Files::guidance() const {
  std::string ignored;
  return guidance(ignored);
}

void Files::take_guidance(const std::vector<std::string>& names) const {
  const auto folder = (place_ / kGuidance).folder();
  if (!folder) return;
  for (const auto& name : names) std::ignore = folder->remove(name);
}

Result<> Files::ask_to_stop() const {
  TRY_ASSIGN(const auto folder, place_.folder());
  return folder.write_atomically(kStop, "");
}

bool Files::asked_to_stop() const {
  const auto folder = place_.folder();
  return folder && folder->kind_of(kStop) == Folder::Kind::file;
}

void Files::forget_stop() const {
  if (const auto folder = place_.folder()) std::ignore = folder->remove(kStop);
}

}  // namespace ralph::loop
