#include "agent/settings/source_file.h"

#include <algorithm>
#include <iterator>

#include <sys/stat.h>
#include <unistd.h>

#include "agent/tool/safe_file.h"
#include "core/base/path.h"
#include "core/base/utf8.h"

namespace ralph::settings {
namespace {

/// Owned by this user or the system, not by another user of this machine.
bool is_ours(const std::filesystem::path& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && (info.st_uid == ::geteuid() || info.st_uid == 0);
}

}  // namespace

bool wants(const Options& options, std::string_view source) {
  return !options.setting_sources ||
         std::ranges::find(*options.setting_sources, source) != options.setting_sources->end();
}

DeniedFiles::DeniedFiles(const std::vector<std::string>& patterns,
                         const std::filesystem::path& root) {
  for (const auto& pattern : patterns) {
    std::ranges::move(permission::restricting_patterns(pattern, root),
                      std::back_inserter(patterns_));
  }
}

bool DeniedFiles::contains(const std::filesystem::path& named,
                           const std::filesystem::path& resolved) const {
  return permission::matches_path(patterns_, resolved.native()) ||
         permission::matches_path(patterns_, named.lexically_normal().native());
}

std::optional<SourceFile> read_source_file(const std::filesystem::path& path,
                                           const std::filesystem::path& boundary,
                                           std::size_t max_bytes) {
  std::error_code error;
  auto real = std::filesystem::canonical(path, error);
  if (error) return std::nullopt;
  if (!boundary.empty() && (!is_below(real, boundary) || !is_ours(real))) return std::nullopt;
  const auto text = tool::read_regular_file(real, max_bytes);
  if (!text || text->find('\0') != text->npos) return std::nullopt;
  return SourceFile{std::move(real), utf8::repaired(*text)};
}

}  // namespace ralph::settings
