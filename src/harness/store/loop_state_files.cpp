#include "harness/store/loop_state_files.h"

#include <tuple>

#include <fmt/core.h>

#include "harness/store/line_file.h"
#include "harness/store/loop_state_json.h"
#include "harness/store/state_file.h"
#include "harness/store/workspace.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostProgress = std::size_t{256} << 20;
constexpr const char* kProgress = "progress.ndjson";
constexpr const char* kStop = "stop";
constexpr const char* kStopNow = "stop-now";

/// The whole file; empty when there is none.
Result<std::string> read_if_there(const Location& file, std::size_t max_bytes) {
  const auto folder = file.parent();
  auto text = folder ? folder->read(file.name(), max_bytes)
                     : Result<std::string>(std::unexpected(folder.error()));
  if (!text && text.error().code == Code::not_found) return std::string();
  if (!text) text.error() = as_storage(text.error());
  return text;
}

}  // namespace

LoopStateFiles::LoopStateFiles(const fs::path& workspace)
    : place_(Workspace::at(workspace).state()), folder_(place_.path()) {}

Result<std::optional<LoopState>> LoopStateFiles::load(std::string& warning) const {
  TRY_ASSIGN(const auto document, load_state(place_ / "loop.json", looks_like_a_state, warning));
  return state_of(document);
}

std::optional<LoopState> LoopStateFiles::peek(std::string& warning) const {
  return state_of(peek_state(place_ / "loop.json", looks_like_a_state, warning));
}

Result<> LoopStateFiles::save(const LoopState& state) const {
  return save_state(place_ / "loop.json", document_of(state));
}

Result<> LoopStateFiles::put_aside(const LoopState& old) const {
  return save_state(place_ / fmt::format("loop-{}.json", old.loop_id), document_of(old));
}

Result<std::vector<LoopRecord>> LoopStateFiles::records(std::int64_t& bad) const {
  bad = 0;
  std::vector<LoopRecord> records;
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

Result<> LoopStateFiles::append(const LoopRecord& record) const {
  TRY_ASSIGN(const auto folder, place_.folder());
  return append_line(folder, kProgress, write_record(record), Durability::power_failure);
}

bool LoopStateFiles::has_records() const {
  const auto folder = place_.folder();
  return folder && folder->kind_of(kProgress) == Folder::Kind::file;
}

Result<> LoopStateFiles::rewrite(const std::vector<LoopRecord>& records) const {
  std::string text;
  for (const auto& record : records) text += write_record(record) + "\n";
  TRY_ASSIGN(const auto folder, place_.make_folder());
  auto written = folder.write_atomically(kProgress, text);
  if (!written) written.error() = as_storage(written.error());
  return written;
}

Result<> LoopStateFiles::put_records_aside(std::string_view id) const {
  TRY_ASSIGN(const auto folder, place_.make_folder());
  const auto moved = folder.rename(kProgress, fmt::format("progress-{}.ndjson", id));
  if (moved || moved.error().code == Code::not_found || moved.error().code == Code::busy) return {};
  return moved;
}

void LoopStateFiles::remove_aside(std::string_view id) const {
  const auto folder = place_.folder();
  if (!folder) return;
  std::ignore = folder->remove(fmt::format("progress-{}.ndjson", id));
  std::ignore = folder->remove(fmt::format("loop-{}.json", id));
}

Result<> LoopStateFiles::save_report(std::string_view id, std::string_view text) const {
  TRY_ASSIGN(const auto folder, place_.make_folder());
  return folder.write_atomically(fmt::format("report-{}.txt", id), text);
}

std::string LoopStateFiles::report(std::string_view id) const {
  constexpr std::size_t kLongest = std::size_t{1} << 20;
  const auto folder = place_.folder();
  return folder ? folder->read(fmt::format("report-{}.txt", id), kLongest).value_or("") : "";
}

Result<> LoopStateFiles::ask_to_stop() const {
  TRY_ASSIGN(const auto folder, place_.folder());
  return folder.write_atomically(kStop, "");
}

bool LoopStateFiles::asked_to_stop() const {
  const auto folder = place_.folder();
  return folder && folder->kind_of(kStop) == Folder::Kind::file;
}

Result<> LoopStateFiles::announce_stop() const {
  TRY_ASSIGN(const auto folder, place_.folder());
  return folder.write_atomically(kStopNow, "");
}

bool LoopStateFiles::stop_announced() const {
  const auto folder = place_.folder();
  return folder && folder->kind_of(kStopNow) == Folder::Kind::file;
}

void LoopStateFiles::forget_stop() const {
  const auto folder = place_.folder();
  if (!folder) return;
  for (const auto* name : {kStop, kStopNow}) std::ignore = folder->remove(name);
}

}  // namespace ralph::store
