#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/permission/rule.h"
#include "agent/settings/options.h"

namespace ralph::settings {

/// Whether --setting-sources includes this one: "user", "project" or "local".
bool wants(const Options& options, std::string_view source);

/// The largest settings file that is read.
inline constexpr std::size_t kLargestSettingsFile = std::size_t{1} << 20;

/// A file with instructions or settings for the agent.
struct SourceFile {
  std::filesystem::path path;  // links resolved
  std::string text;            // UTF-8
};

/// Files that rules deny to read (permission::unreadable_patterns).
class DeniedFiles {
 public:
  DeniedFiles() = default;
  DeniedFiles(const std::vector<std::string>& patterns, const std::filesystem::path& root);
  /// `named` is absolute; rules match either path.
  bool contains(const std::filesystem::path& named, const std::filesystem::path& resolved) const;

 private:
  std::vector<permission::AnchoredPattern> patterns_;
};

/// `boundary`: the file must be below it and belong to this user or root; empty: no restriction. nullopt: missing, not a
/// regular file, outside, too large, or not text. Never blocks.
std::optional<SourceFile> read_source_file(const std::filesystem::path& path,
                                           const std::filesystem::path& boundary,
                                           std::size_t max_bytes = std::size_t{256} << 10);

}  // namespace ralph::settings
