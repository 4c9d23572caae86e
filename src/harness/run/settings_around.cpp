#include "harness/run/settings_around.h"

#include <cerrno>
#include <charconv>
#include <set>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/path.h"
#include "core/base/placeholder.h"
#include "core/base/sha256.h"
#include "core/base/unique_fd.h"
#include "core/base/utf8.h"
#include "core/config/load.h"
#include "core/json/document.h"
#include "core/json/field.h"
#include "core/json/writer.h"
#include "harness/run/state_record.h"
#include "harness/run/unseen_settings.h"
#include "system/git/folder_scan.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestSettingsFile = std::size_t{1} << 20;
constexpr std::size_t kLargestSettingsList = std::size_t{8} << 20;
constexpr std::size_t kLargestTexts = std::size_t{1} << 20;
constexpr std::size_t kMostRead = std::size_t{32} << 20;  // of all files together

std::optional<json::Document> read_object(const fs::path& file) {
  const auto text = read_file(file, kLargestSettingsList);
  if (!text) return std::nullopt;
  auto document = json::parse(*text);
  if (!document || !document->is_object()) return std::nullopt;
  return *std::move(document);
}

/// A path in JSON, which has no place for bytes that are not UTF-8.
std::string path_to_text(const fs::path& path) {
  if (utf8::valid(path.native())) return path.native();
  std::string text = "hex:";
  for (const char c : path.native()) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

fs::path path_from_text(const std::string& text) {
  constexpr std::string_view kHex = "hex:";
  if (!text.starts_with(kHex)) return text;
  std::string bytes;
  for (auto at = kHex.size(); at + 1 < text.size(); at += 2) {
    unsigned value = 0;
    std::from_chars(text.data() + at, text.data() + at + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

std::string one_file(const fs::path& file, std::string_view digest, std::string_view text) {
  std::string out;
  json::ObjectWriter(out)
      .text("file", path_to_text(file))
      .text("digest", digest)
      .text("text", utf8::repaired(text))
      .close();
  return out;
}

/// Of a file that is not in the record, nothing is known: it counts as created.
SettingsAround around_of(const json::Document& record) {
  SettingsAround around;
  const auto files = record.find("files");
  if (files == record.end() || !files->is_array()) return around;
  for (const auto& file : *files) {
    if (!file.is_object()) continue;
    around.files[path_from_text(json::text(file, "file"))] = {json::text(file, "digest"),
                                                              json::text(file, "text")};
  }
  around.all = record.value("all", true);
  around.time = parse_iso(json::text(record, "time")).value_or(UtcTime{});
  return around;
}

std::vector<fs::path> running_records(const fs::path& state) {
  std::error_code error;
  std::vector<fs::path> records;
  for (fs::directory_iterator at(state / kRunningSettings, error), end; !error && at != end;) {
    if (at->path().extension() == ".json") records.push_back(at->path());
    at.increment(error);
  }
  return records;
}

Result<> recover_one(const fs::path& state, const fs::path& record) {
  const UniqueFd fd(::open(record.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return {};
  // A ralph that is alive holds it.
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return {};
  const auto object = read_object(record);
  const auto root = object ? path_from_text(json::text(*object, "root")) : fs::path();
  std::error_code error;
  if (root.is_absolute() && fs::is_directory(root, error)) {
    const auto before = around_of(*object);
    const auto now = SettingsAround::look(root);
    TRY(before.record_changes(state, now));
    if (!before.all || !now.all) TRY(record_unseen_run(state, root, before.time, now.time));
  }
  ::unlink(record.c_str());
  return {};
}

}  // namespace

SettingsContent read_settings_content(const fs::path& file) {
  if (is_placeholder(file.c_str())) return {std::string(kAbsent), {}};
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return {errno == ENOENT || errno == ENOTDIR ? std::string(kAbsent) : "unreadable", {}};
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {"not a file", {}};
  auto text = read_fd(fd.get(), file.native(), kLargestSettingsFile);
  if (!text) return {"unreadable", {}};
  return {sha256_hex(*text), *std::move(text)};
}

fs::path settings_record(const fs::path& state, const fs::path& file) {
  return state / "config" / (sha256_hex(file.native()) + ".json");
}

Result<> write_settings_record(const fs::path& record, const fs::path& file,
                               const SettingsContent& content) {
  return write_state_record(record, one_file(file, content.digest, content.text) + "\n");
}

std::optional<SettingsContent> read_settings_record(const fs::path& record) {
  const auto object = read_object(record);
  if (!object) return std::nullopt;
  return SettingsContent{json::text(*object, "digest"), json::text(*object, "text")};
}

/// weakly_canonical() leaves a relative path relative when nothing of it exists.
fs::path full_name(const fs::path& file) {
  std::error_code error;
  const auto whole = fs::absolute(file, error);
  if (error) return file;
  const auto folder = fs::weakly_canonical(whole.parent_path(), error);
  return error ? whole : folder / whole.filename();
}

SettingsAround SettingsAround::look(const fs::path& root) {
  SettingsAround around;
  around.time = file_clock();
  std::size_t read = 0;
  const auto add = [&](const fs::path& file) {
    auto content = read_settings_content(file);
    read += content.text.size();
    if (read > kLargestTexts) content.text.clear();
    if (content.digest != kAbsent) around.files[full_name(file)] = std::move(content);
  };
  for (auto at = root; at != at.root_path() && at.has_parent_path();) {
    at = at.parent_path();
    for (const auto name : config::settings_names()) add(at / name);
  }
  auto found = git::find_named(root, config::settings_names());
  around.all = found.all;
  for (const auto& path : found.paths) {
    if (read > kMostRead) {
      around.all = false;
      break;
    }
    add(root / path);
  }
  return around;
}

void SettingsAround::know(const fs::path& file) {
  const auto name = full_name(file);
  auto content = read_settings_content(name);
  if (content.digest == kAbsent) {
    files.erase(name);
  } else {
    files[name] = std::move(content);
  }
}

std::string SettingsAround::record(const fs::path& root) const {
  std::string list = "[";
  bool whole = all;
  for (const auto& [file, content] : files) {
    auto entry = one_file(file, content.digest, content.text);
    if (list.size() + entry.size() > kLargestSettingsList / 2) {
      whole = false;
      break;
    }
    list += (list.size() > 1 ? "," : "") + std::move(entry);
  }
  std::string out;
  json::ObjectWriter(out)
      .text("root", path_to_text(root))
      .text("time", iso_utc(time))
      .boolean("all", whole)
      .raw("files", list + "]")
      .close();
  return out + "\n";
}

Result<std::vector<fs::path>> SettingsAround::record_changes(const fs::path& state,
                                                             const SettingsAround& now) const {
  std::vector<fs::path> changed;
  const SettingsContent absent{std::string(kAbsent), {}};
  std::set<fs::path> names;
  for (const auto* around : {this, &now}) {
    for (const auto& [file, ignored] : around->files) names.insert(file);
  }
  for (const auto& file : names) {
    const auto known = files.find(file);
    if (known == files.end() && !all && !is_changed_since(file, time)) continue;
    const auto& before = known == files.end() ? absent : known->second;
    if (before.digest == read_settings_content(file).digest) continue;
    const auto record = settings_record(state, file);
    if (!read_settings_record(record)) TRY(write_settings_record(record, file, before));
    changed.push_back(file);
  }
  return changed;
}

Result<> record_restored_settings(const fs::path& state, const fs::path& root,
                                  const SettingsAround& before) {
  if (state.empty()) return {};
  TRY(make_state_folder(state, "config"));
  const auto now = SettingsAround::look(root);
  TRY(before.record_changes(state, now));
  if (before.all && now.all) return {};
  return record_unseen_run(state, root, before.time, now.time);
}

fs::path running_record(const fs::path& state, const fs::path& root) {
  return state / kRunningSettings / (sha256_hex(root.native()) + ".json");
}

Result<> recover_settings_around(const fs::path& state) {
  for (const auto& record : running_records(state)) TRY(recover_one(state, record));
  return {};
}

std::optional<SettingsContent> changed_in_live_run(const fs::path& state, const fs::path& file) {
  const auto now = read_settings_content(file);
  for (const auto& record : running_records(state)) {
    const auto object = read_object(record);
    if (!object) continue;
    const auto before = around_of(*object);
    const auto known = before.files.find(file);
    if (known != before.files.end()) {
      if (known->second.digest != now.digest) return known->second;
      continue;
    }
    const auto root = path_from_text(json::text(*object, "root"));
    if (now.digest == kAbsent || !is_below(file, root)) continue;
    if (before.all || is_changed_since(file, before.time)) {
      return SettingsContent{std::string(kAbsent), {}};
    }
  }
  return std::nullopt;
}

}  // namespace ralph::run
