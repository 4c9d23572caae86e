#include "harness/loop/start_files.h"

#include <algorithm>
#include <functional>
#include <ranges>

#include <fmt/core.h>

#include "core/base/path.h"
#include "core/base/sha256.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;
using Kind = FileVersion::Kind;

constexpr std::size_t kMostProtectedFiles = 20'000;
constexpr std::size_t kMostProtectedBytes = std::size_t{256} << 20;

std::unexpected<Error> too_many(std::string_view what) {
  return fail(Code::limit, fmt::format("--protect matches {}", what),
              "use a narrower --protect pattern");
}

/// Calls `visit` with the path of everything but directories; those of repositories inside too, but neither `.git` nor
/// ralph's own directory. What cannot be read is left out: verification cannot read it either.
Result<> walk(const fs::path& root, const fs::path& below,
              const std::function<Result<>(const std::string&)>& visit) {
  std::error_code error;
  fs::recursive_directory_iterator at(root / below, fs::directory_options::skip_permission_denied,
                                      error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    const auto name = at->path().filename();
    const auto path = at->path().lexically_relative(root).native();
    if (name == ".git" || path == ".ralph") {
      at.disable_recursion_pending();
      continue;
    }
    std::error_code each;
    if (at->symlink_status(each).type() == fs::file_type::directory) continue;
    TRY(visit(path));
  }
  if (!error) return {};
  return fail(Code::unavailable,
              fmt::format("cannot list the files of '{}': {}", root.native(), error.message()));
}

}  // namespace

bool is_cache(std::string_view path) {
  const auto has = [&](std::string_view folder) {
    return path.starts_with(folder) || path.contains(fmt::format("/{}", folder));
  };
  return has("__pycache__/") || has(".pytest_cache/") || has(".mypy_cache/") || has(".ruff_cache/");
}

bool holds(const fs::path& folder, const std::string& path, const FileVersion& version) {
  const auto now = read_version(folder, path);
  return now && now->kind == version.kind && now->bytes == version.bytes;
}

void allow_execution(const fs::path& folder, std::span<FileSwap::Wanted> scripts) {
  for (auto& [path, version] : scripts) {
    const auto now = read_version(folder, path);
    if (now && now->kind == version.kind && now->bytes == version.bytes) version.mode |= now->mode;
  }
}

bool StartFiles::matches(const std::string& path) const {
  if (globs_.matches(path)) return true;
  return !globs_.excludes(path) && std::ranges::any_of(folders_, [&](const auto& folder) {
    return path.starts_with(folder);
  });
}

Result<> StartFiles::add(const fs::path& workspace, const std::string& path) {
  if (is_cache(path) || files_.contains(path)) return {};
  TRY_ASSIGN(auto version, read_version(workspace, path));
  if (version.kind != Kind::file && version.kind != Kind::link) return {};
  bytes_ += version.bytes.size();
  const bool link = version.kind == Kind::link;
  files_.emplace(path, std::move(version));
  if (files_.size() > kMostProtectedFiles) {
    return too_many(fmt::format("more than {} files", kMostProtectedFiles));
  }
  if (bytes_ > kMostProtectedBytes) {
    return too_many(fmt::format("more than {} MiB", kMostProtectedBytes >> 20));
  }
  return link ? add_target(workspace, path) : Result<>();
}

/// Every link on the way is protected too: another one in its place would lead elsewhere.
Result<> StartFiles::add_target(const fs::path& workspace, const std::string& link) {
  std::error_code error;
  const auto root = fs::canonical(workspace, error);
  if (error) return {};
  const auto inside = [&](const fs::path& path) { return is_below(path, root) && path != root; };
  auto end = root / link;
  for (const auto& each : resolve_links(end).links) {
    if (!inside(each)) break;
    const auto path = each.lexically_relative(root).native();
    TRY_ASSIGN(auto version, read_version(workspace, path));
    end = (each.parent_path() / version.bytes).lexically_normal();
    files_.emplace(path, std::move(version));
  }
  if (const auto real = fs::canonical(root / link, error); !error) end = real;
  if (!inside(end)) {
    leading_out_.push_back(link);
    return {};
  }
  if (error) return {};  // it leads nowhere
  const auto relative = end.lexically_relative(root).native();
  if (!fs::is_directory(end, error)) return add(workspace, relative);
  if (std::ranges::find(folders_, relative + "/") != folders_.end()) return {};
  folders_.push_back(relative + "/");
  return walk(workspace, relative, [&](const std::string& file) -> Result<> {
    return globs_.excludes(file) ? Result<>() : add(workspace, file);
  });
}

Result<StartFiles> StartFiles::read(const fs::path& workspace, const git::PathGlobs& globs) {
  StartFiles files;
  files.globs_ = globs;
  if (globs.empty()) return files;
  TRY(walk(workspace, {}, [&](const std::string& path) -> Result<> {
    return globs.matches(path) ? files.add(workspace, path) : Result<>();
  }));
  return files;
}

std::vector<std::string> StartFiles::paths() const {
  const auto keys = std::views::keys(files_);
  return {keys.begin(), keys.end()};
}

std::string StartFiles::digest() const {
  if (globs_.empty()) return {};
  std::string all;
  for (const auto& [path, version] : files_) {
    all += fmt::format("{}:{} {} {} {}\n", path.size(), path, static_cast<int>(version.kind),
                       version.mode & 0100U, sha256_hex(version.bytes));
  }
  return sha256_hex(all);
}

void StartFiles::put(const std::string& path, FileVersion version) {
  if (version.kind == Kind::missing) {
    files_.erase(path);
  } else {
    files_[path] = std::move(version);
  }
}

Result<std::vector<FileSwap::Wanted>> StartFiles::wanted(
    const fs::path& folder, const std::set<std::string>& optional) const {
  std::vector<FileSwap::Wanted> wanted;
  if (globs_.empty()) return wanted;
  for (const auto& [path, version] : files_) {
    std::error_code ignored;
    if (optional.contains(path) && !fs::exists(fs::symlink_status(folder / path, ignored))) {
      continue;
    }
    wanted.push_back({path, version});
  }
  std::size_t added = 0;
  TRY(walk(folder, {}, [&](const std::string& path) -> Result<> {
    if (files_.contains(path) || !matches(path)) return {};
    if (++added > kMostProtectedFiles) {
      return too_many(fmt::format("more than {} new files", kMostProtectedFiles));
    }
    wanted.push_back({path, {}});
    return {};
  }));
  return wanted;
}

}  // namespace ralph::loop
