#include "harness/run/unseen_settings.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/base/path.h"
#include "core/base/sha256.h"
#include "core/base/utf8.h"
#include "core/json/document.h"
#include "core/json/field.h"
#include "harness/run/settings_around.h"
#include "harness/run/state_record.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolder = "config-unseen";
constexpr std::size_t kLargestUnseenList = std::size_t{1} << 20;
constexpr std::size_t kMostRuns = 256, kMostAccepted = 256;

struct Span {
  UtcTime from, to;
};

/// What is known of the trees below one root.
struct Unseen {
  fs::path root;
  std::vector<Span> runs;
  std::vector<std::string> accepted;  // digests of files
};

UtcTime time_of(const timespec& time) {
  const std::chrono::nanoseconds part(time.tv_nsec);
  return UtcTime(std::chrono::seconds(time.tv_sec) + std::chrono::floor<Millis>(part));
}

fs::path unseen_record(const fs::path& state, const fs::path& root) {
  return state / kFolder / (sha256_hex(root.native()) + ".json");
}

/// A record that cannot be read stands for a run that never ended.
Unseen read_record(const fs::path& record, const fs::path& root) {
  const Unseen all{root, {{UtcTime{}, UtcTime::max()}}, {}};
  const auto text = read_file(record, kLargestUnseenList);
  if (!text) return text.error().code == Code::not_found ? Unseen{root, {}, {}} : all;
  const auto document = json::parse(*text);
  if (!document || !document->is_object()) return all;
  Unseen unseen{root, {}, {}};
  for (const auto& run : document->value("runs", json::Document::array())) {
    if (!run.is_object()) return all;
    const auto from = parse_iso(run.value("from", "")), to = parse_iso(run.value("to", ""));
    if (!from || !to) return all;
    unseen.runs.push_back({*from, *to});
  }
  unseen.accepted = json::texts(*document, "accepted");
  return unseen;
}

Result<> write_record(const fs::path& state, const Unseen& unseen) {
  TRY(make_state_folder(state, kFolder));
  json::Document runs = json::Document::array();
  for (const auto& run : unseen.runs) {
    runs.push_back({{"from", iso_utc(run.from)}, {"to", iso_utc(run.to)}});
  }
  const json::Document document{{"root", utf8::repaired(unseen.root.native())},
                                {"runs", std::move(runs)},
                                {"accepted", unseen.accepted}};
  return write_state_record(unseen_record(state, unseen.root), json::write(document) + "\n");
}

/// Of the directories above a file that have a record.
std::vector<Unseen> records_above(const fs::path& state, const fs::path& file) {
  std::vector<Unseen> found;
  for (auto at = file.parent_path();; at = at.parent_path()) {
    auto unseen = read_record(unseen_record(state, at), at);
    if (!unseen.runs.empty()) found.push_back(std::move(unseen));
    if (at == at.parent_path()) return found;
  }
}

/// Also of the file that a link leads to.
std::vector<UtcTime> change_times(const fs::path& file) {
  std::vector<UtcTime> times;
  struct stat info{};
  if (::lstat(file.c_str(), &info) == 0) times.push_back(time_of(info.st_ctim));
  if (::stat(file.c_str(), &info) == 0) times.push_back(time_of(info.st_ctim));
  return times;
}

bool is_changed_in(const Unseen& unseen, const fs::path& file) {
  return std::ranges::any_of(change_times(file), [&](UtcTime time) {
    return std::ranges::any_of(unseen.runs,
                               [&](const Span& run) { return run.from <= time && time <= run.to; });
  });
}

}  // namespace

UtcTime file_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return time_of(now);
}

bool is_changed_since(const fs::path& file, UtcTime time) {
  struct stat info{};
  return ::lstat(file.c_str(), &info) != 0 || time_of(info.st_ctim) >= time;
}

Result<> record_unseen_run(const fs::path& state, const fs::path& root, UtcTime from, UtcTime to) {
  auto unseen = read_record(unseen_record(state, root), root);
  if (unseen.runs.size() >= kMostRuns)
    unseen.runs.back().to = to;
  else
    unseen.runs.push_back({from, to});
  return write_record(state, unseen);
}

bool is_unseen_change(const fs::path& state, const fs::path& file) {
  const auto digest = read_settings_content(file).digest;
  if (digest == kAbsent) return false;
  return std::ranges::any_of(records_above(state, file), [&](const Unseen& unseen) {
    return is_changed_in(unseen, file) &&
           std::ranges::find(unseen.accepted, digest) == unseen.accepted.end();
  });
}

Result<> accept_unseen_change(const fs::path& state, const fs::path& file) {
  const auto digest = read_settings_content(file).digest;
  for (auto& unseen : records_above(state, file)) {
    if (unseen.accepted.size() >= kMostAccepted) unseen.accepted.erase(unseen.accepted.begin());
    unseen.accepted.push_back(digest);
    TRY(write_record(state, unseen));
  }
  return {};
}

}  // namespace ralph::run
