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

/// Whether --setting-sources lets this one count: "user", "project" or "local".
bool wants(const Options& options, std::string_view source);

/// A file with instructions or settings for the agent.
struct SourceFile {
  std::filesystem::path path;  // links resolved
  std::string text;            // UTF-8
};

/// Files that rules keep from being read (permission::unreadable_patterns).
class DeniedFiles {
 public:
  DeniedFiles() = default;
  DeniedFiles(const std::vector<std::string>& patterns, const std::filesystem::path& root);
  /// `named` is absolute; a rule may be about either name.
  bool contains(const std::filesystem::path& named, const std::filesystem::path& resolved) const;

 private:
  std::vector<permission::AnchoredPattern> patterns_;
};

/// `boundary`: the file must lie below, and belong to this user or the system; empty: the user's own file, which may be
/// anywhere. nullopt: it is missing, no regular file, elsewhere, too large, or no text. Never waits.
std::optional<SourceFile> read_source_file(const std::filesystem::path& path,
                                           const std::filesystem::path& boundary,
                                           std::size_t max_bytes = std::size_t{256} << 10);

}  // namespace ralph::settings
