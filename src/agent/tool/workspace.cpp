#include "agent/tool/workspace.h"

#include <system_error>
#include <utility>

#include "system/process/environment.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

fs::path resolved_from(const fs::path& base, const fs::path& path) {
  std::error_code error;
  auto resolved = fs::weakly_canonical(base / path, error);
  return error ? (base / path).lexically_normal() : resolved;
}

}  // namespace

Workspace::Workspace(Setup setup) : setup_(std::move(setup)), cwd_(setup_.root) {}

fs::path Workspace::cwd() const {
  const std::lock_guard lock(mutex_);
  return cwd_;
}

bool Workspace::change_to(const fs::path& folder) {
  const auto resolved = resolved_from(setup_.root, folder);
  if (!contains(resolved)) return false;
  const std::lock_guard lock(mutex_);
  cwd_ = resolved;
  return true;
}

fs::path Workspace::resolve(std::string_view path) const {
  return resolved_from(cwd(), fs::path(path));
}

void Workspace::remember(const fs::path& resolved, const FileStamp& stamp) {
  const std::lock_guard lock(mutex_);
  seen_[resolved] = stamp;
}

std::optional<FileStamp> Workspace::seen(const fs::path& resolved) const {
  const std::lock_guard lock(mutex_);
  const auto found = seen_.find(resolved);
  if (found == seen_.end()) return std::nullopt;
  return found->second;
}

void Workspace::set_read_room(std::int64_t tokens) {
  const std::lock_guard lock(mutex_);
  read_room_ = tokens;
}

bool Workspace::reserve_read_room(std::int64_t tokens) {
  const std::lock_guard lock(mutex_);
  if (tokens > read_room_) return false;
  read_room_ -= tokens;
  return true;
}

void Workspace::set_media_room(const Media& room) {
  const std::lock_guard lock(mutex_);
  media_room_ = room;
}

bool Workspace::reserve_media_room(const Media& media) {
  const std::lock_guard lock(mutex_);
  if (media.items == 0) return true;
  if (media.bytes > media_room_.bytes || media.items > media_room_.items) return false;
  media_room_.bytes -= media.bytes;
  media_room_.items -= media.items;
  return true;
}

std::string Workspace::variable(std::string_view name) const {
  return std::string(process::variable(setup_.variables, name).value_or(""));
}

}  // namespace ralph::tool
