#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"

namespace ralph::run {

/// What a settings file holds.
struct SettingsContent {
  std::string digest, text;
};
/// What is not a regular file, or too large to be settings, has a digest of its own, and so has what does not exist.
SettingsContent read_settings_content(const std::filesystem::path& file);
inline constexpr std::string_view kAbsent = "absent";

/// The record of one file in the state directory; its content as the user knows it.
std::filesystem::path settings_record(const std::filesystem::path& state,
                                      const std::filesystem::path& file);
Result<> write_settings_record(const std::filesystem::path& record,
                               const std::filesystem::path& file, const SettingsContent& content);
/// Nothing: there is no record, or it cannot be read.
std::optional<SettingsContent> read_settings_record(const std::filesystem::path& record);

/// The same for every name of a file, and whether or not its directory exists. The file itself may be a link, or not exist.
std::filesystem::path full_name(const std::filesystem::path& file);

/// The settings files of a project that a run in another directory would obey: below `root`, and in the directories above it,
/// which count as soon as there is a repository.
struct SettingsAround {
  std::map<std::filesystem::path, SettingsContent> files;
  bool all = true;  // false: the tree was not scanned as a whole
  UtcTime time{};   // when that was, by the clock of file systems

  static SettingsAround look(const std::filesystem::path& root);
  /// As JSON, without the texts that would make it large.
  std::string record(const std::filesystem::path& root) const;
  /// The user knows the file as it is now: that is no change.
  void know(const std::filesystem::path& file);

  /// Records each file that differs now from what it was, unless it has a record: the user has not accepted an earlier
  /// change. Where not all was seen, a file that only the other scan found differs if its change is later. Returns those that differ; fails when a record cannot be written.
  Result<std::vector<std::filesystem::path>> record_changes(const std::filesystem::path& state,
                                                            const SettingsAround& now) const;
};

/// For settings that ralph itself brought back from what an agent left: they have to be accepted, too.
Result<> record_restored_settings(const std::filesystem::path& state,
                                  const std::filesystem::path& root, const SettingsAround& before);

/// The directory in the state directory, and the record in it, of a run that has not ended.
inline constexpr std::string_view kRunningSettings = "config-runs";
std::filesystem::path running_record(const std::filesystem::path& state,
                                     const std::filesystem::path& root);
/// What a ralph that was killed did not record.
Result<> recover_settings_around(const std::filesystem::path& state);
/// What the file held before a run that goes on now, where that is something else. Call recover_settings_around() first.
std::optional<SettingsContent> changed_in_live_run(const std::filesystem::path& state,
                                                   const std::filesystem::path& file);

}  // namespace ralph::run
