#include <cerrno>
#include <tuple>

#include <fmt/core.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/unique_fd.h"
#include "harness/loop/state.h"
#include "harness/store/workspace.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostProgress = std::size_t{256} << 20;
constexpr const char* kProgress = "progress.ndjson";
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

void Files::remove_aside(std::string_view id) const {
  const auto folder = place_.folder();
  if (!folder) return;
  std::ignore = folder->remove(fmt::format("progress-{}.ndjson", id));
  std::ignore = folder->remove(fmt::format("loop-{}.json", id));
}

Result<> Files::save_report(std::string_view id, std::string_view text) const {
  TRY_ASSIGN(const auto folder, place_.make_folder());
  return folder.write_atomically(fmt::format("report-{}.txt", id), text);
}

std::string Files::report(std::string_view id) const {
  constexpr std::size_t kLongest = std::size_t{1} << 20;
  const auto folder = place_.folder();
  return folder ? folder->read(fmt::format("report-{}.txt", id), kLongest).value_or("") : "";
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
