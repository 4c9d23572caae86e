#include "harness/run/config_watch.h"

#include <algorithm>
#include <cerrno>
#include <unordered_map>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/utf8.h"
#include "harness/run/state_record.h"
#include "harness/run/unseen_settings.h"
#include "system/process/environment.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 5;
constexpr std::size_t kMostLines = 8;
constexpr std::size_t kLongestDiffLine = 120;

std::unordered_map<std::string_view, int> lines_of(std::string_view text) {
  std::unordered_map<std::string_view, int> lines;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++lines[line];
  }
  return lines;
}

/// Harmless on a terminal. Unlike safe_text() it drops nothing: all of a changed setting must be visible.
std::string shown(std::string_view line, const Masker& masker) {
  auto text = masker.mask(utf8::shortened(utf8::repaired(line), kLongestDiffLine));
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 =
        byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c1) ++i;
    safe += c1 || byte < 0x20 || byte == 0x7f ? '?' : text[i];
  }
  return safe;
}

/// The lines of `text` that `other` has less often, each behind the sign.
void add_lines(std::string& out, char sign, std::string_view text, std::string_view other,
               const Masker& masker) {
  auto have = lines_of(other);
  std::size_t count = 0;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (--have[line] >= 0) continue;
    if (++count > kMostLines) continue;
    out += fmt::format("\n  {} {}", sign, shown(line, masker));
  }
  if (count > kMostLines) out += fmt::format("\n  {} … {} more lines", sign, count - kMostLines);
}

/// No scan goes into `.git` and `.ralph`: settings of a project in there could be anybody's.
Result<> check_place(const fs::path& file, const SettingsContent& content) {
  if (content.digest == kAbsent) return {};
  auto folder = file.parent_path();
  if (file.filename() == "config.yml" && folder.filename() == ".ralph") {
    folder = folder.parent_path();
  } else if (file.filename() != "ralph.yml") {
    return {};
  }
  const auto hidden = [](const fs::path& name) { return name == ".git" || name == ".ralph"; };
  const auto found = std::ranges::find_if(folder, hidden);
  if (found == folder.end()) return {};
  return fail(Code::usage,
              fmt::format("'{}' is in a directory named {}, where an agent can hide settings",
                          file.native(), found->native()),
              "move the project out of that directory");
}

ConfigWatch::Change change_between(const SettingsContent& before, const SettingsContent& now) {
  constexpr std::string_view kRead = "read the file, then ";
  if (before.digest == kAbsent) return {"was created", kRead, "remove it"};
  if (now.digest == kAbsent) return {"was removed", "", "put it back"};
  return {"changed", kRead, "put the old content back"};
}

}  // namespace

Result<ConfigWatch> ConfigWatch::begin(const fs::path& state, const std::vector<fs::path>& files,
                                       const fs::path& root) {
  ConfigWatch watch;
  if (state.empty()) return watch;
  TRY(make_state_folder(state, "config"));
  TRY(check(state, files, Masker(std::vector<std::string>{})));
  for (const auto& named : files) {
    const auto file = full_name(named);
    if (std::ranges::find(watch.watched_, file, &Watched::file) != watch.watched_.end()) continue;
    const auto record = settings_record(state, file);
    const auto now = read_settings_content(file);
    TRY(write_settings_record(record, file, now));
    watch.watched_.push_back({file, record, now.digest});
  }
  watch.state_ = state;
  watch.root_ = root;
  if (!root.empty()) TRY(watch.list_around());
  return watch;
}

Result<> ConfigWatch::list_around() {
  around_ = SettingsAround::look(root_);
  TRY(make_state_folder(state_, kRunningSettings));
  running_ = running_record(state_, root_);
  TRY(write_state_record(running_, around_.record(root_)));
  running_lock_ = UniqueFd(::open(running_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!running_lock_) return fail_errno(errno, fmt::format("cannot open '{}'", running_.native()));
  // Locked already: another ralph works below this root, which protects the record too.
  if (::flock(running_lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno != EWOULDBLOCK) {
    return fail_errno(errno, fmt::format("cannot lock '{}'", running_.native()));
  }
  return {};
}

std::vector<fs::path> ConfigWatch::finish() {
  std::vector<fs::path> changed;
  for (const auto& [file, record, digest] : watched_) {
    if (read_settings_content(file).digest == digest) {
      ::unlink(record.c_str());
    } else {
      changed.push_back(file);
    }
  }
  watched_.clear();
  if (running_lock_) finish_around(changed);
  return changed;
}

ConfigWatch::Change ConfigWatch::change_of(const fs::path& file) const {
  const auto before = read_settings_record(settings_record(state_, file));
  return change_between(before.value_or(SettingsContent{}), read_settings_content(file));
}

/// Where the changes cannot be recorded, the record of the run stays: the next ralph tries again.
void ConfigWatch::finish_around(std::vector<fs::path>& changed) {
  const auto now = SettingsAround::look(root_);
  incomplete_ = !around_.all || !now.all;
  const auto recorded =
      incomplete_ ? record_unseen_run(state_, root_, around_.time, now.time) : Result<>();
  if (const auto more = around_.record_changes(state_, now); more && recorded) {
    for (const auto& file : *more) {
      if (std::ranges::find(changed, file) == changed.end()) changed.push_back(file);
    }
    ::unlink(running_.c_str());
  }
  running_lock_.reset();
}

Result<> ConfigWatch::check(const fs::path& state, const std::vector<fs::path>& files,
                            const Masker& masker) {
  if (state.empty()) return {};
  TRY(recover_settings_around(state));
  for (const auto& named : files) {
    const auto file = full_name(named);
    const auto now = read_settings_content(file);
    TRY(check_place(file, now));
    auto before = read_settings_record(settings_record(state, file));
    if (!before || before->digest == now.digest) before = changed_in_live_run(state, file);
    if (!before && is_unseen_change(state, file)) before.emplace();
    if (!before) continue;
    const auto change = change_between(*before, now);
    auto message = fmt::format("'{}' {} while an agent worked here, and you have not accepted it:",
                               file.native(), change.what);
    add_lines(message, '-', before->text, now.text, masker);
    add_lines(message, '+', now.text, before->text, masker);
    return fail(Code::usage, std::move(message),
                fmt::format("settings can name commands to run: {}run 'ralph config accept', or {}",
                            change.before_accepting, change.instead));
  }
  return {};
}

Result<std::vector<fs::path>> ConfigWatch::accept(const fs::path& state,
                                                  const std::vector<fs::path>& files) {
  std::vector<fs::path> accepted;
  TRY(recover_settings_around(state));
  for (const auto& named : files) {
    const auto file = full_name(named);
    const auto record = settings_record(state, file);
    const auto before = read_settings_record(record);
    const bool differs = before && before->digest != read_settings_content(file).digest;
    if (is_unseen_change(state, file)) {
      TRY(accept_unseen_change(state, file));
      accepted.push_back(file);
    }
    if (!differs) continue;
    if (::unlink(record.c_str()) != 0) {
      return fail_errno(errno, fmt::format("cannot remove '{}'", record.native()));
    }
    if (std::ranges::find(accepted, file) == accepted.end()) accepted.push_back(file);
  }
  return accepted;
}

std::vector<std::string> changed_settings(const ConfigWatch& watch,
                                          const std::vector<fs::path>& files,
                                          const fs::path& workspace) {
  std::vector<std::string> lines;
  for (const auto& file : files) {
    if (lines.size() == kMostFiles) break;
    auto folder = file.parent_path();
    if (folder.filename() == ".ralph") folder = folder.parent_path();
    const auto from_here = workspace.lexically_relative(folder);
    const bool obeyed_here = !from_here.empty() && *from_here.begin() != "..";
    const auto change = watch.change_of(file);
    lines.push_back(
        fmt::format("'{}' {} while the agent worked: {}run 'ralph config accept'{}, or {}; {} is "
                    "refused before",
                    utf8::repaired(file.native()), change.what, change.before_accepting,
                    obeyed_here ? "" : " there", change.instead,
                    obeyed_here ? "the next run" : "a run in that directory"));
  }
  if (const auto more = files.size() - lines.size(); more > 0) {
    lines.push_back(
        fmt::format("{} more settings file{} changed while the agent worked: a run in such a "
                    "directory obeys them "
                    "only after 'ralph config accept' there",
                    more, more == 1 ? "" : "s"));
  }
  if (watch.incomplete()) {
    lines.push_back(
        "not every directory here could be searched for a ralph.yml that the agent may have "
        "written: "
        "look before you run ralph in a subdirectory");
  }
  return lines;
}

}  // namespace ralph::run
