#include "agent/permission/path_resolver.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ralph::permission {
namespace {

constexpr int kMostLinks = 40;
constexpr std::string_view kProcesses = "/proc/";

/// /proc/self/… and /proc/123/…: links there lead to a different place in each process.
bool is_of_process(std::string_view path) {
  if (!path.starts_with(kProcesses)) return false;
  path.remove_prefix(kProcesses.size());
  return path == "self" || path == "thread-self" ||
         (!path.empty() && path[0] >= '0' && path[0] <= '9');
}

void leave(std::string& folder) {
  const auto slash = folder.rfind('/');
  folder.resize(slash == std::string::npos ? 0 : slash);
}

/// Removes and returns the first part of a path.
std::string_view next_part(std::string_view& path) {
  path.remove_prefix(std::min(path.size(), path.find_first_not_of('/')));
  const auto part = path.substr(0, path.find('/'));
  path.remove_prefix(part.size());
  return part;
}

std::string_view without_last_slash(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace

const PathResolver::Entry& PathResolver::look(const std::string& path) {
  const auto [found, is_new] = known_.try_emplace(path);
  auto& entry = found->second;
  if (!is_new) return entry;
  if (lookups_ >= most_lookups_) return entry;
  ++lookups_;
  std::array<char, PATH_MAX> target{};
  const auto length = ::readlink(path.c_str(), target.data(), target.size());
  if (length >= 0) {
    if (static_cast<std::size_t>(length) < target.size()) {
      entry = {Kind::link, std::string(target.data(), static_cast<std::size_t>(length))};
    }
  } else if (errno == EINVAL) {
    entry.kind = Kind::plain;
  } else if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) {
    entry.kind = Kind::missing;
  }
  return entry;
}

/// Appends in place, so that the cost is linear in the length of the path.
bool PathResolver::enter(Walk& walk, std::string_view name) {
  const auto before = walk.at.size();
  walk.at += '/';
  walk.at += name;
  if (walk.missing) return true;
  if (is_of_process(walk.at)) return false;
  const auto& entry = look(walk.at);
  switch (entry.kind) {
    case Kind::unknown: return false;
    case Kind::missing: walk.missing = true; return true;
    case Kind::plain: return true;
    case Kind::link: break;
  }
  if (++walk.links > kMostLinks) return false;
  walk.at.resize(entry.target.starts_with('/') ? 0 : before);
  return follow(walk, entry.target);
}

bool PathResolver::follow(Walk& walk, std::string_view path) {
  while (!path.empty()) {
    const auto part = next_part(path);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (walk.missing) return false;
      leave(walk.at);
    } else if (!enter(walk, part)) {
      return false;
    }
  }
  return true;
}

std::optional<std::string> PathResolver::resolve(std::string_view base, std::string_view path) {
  Walk walk;
  if (!path.starts_with('/')) walk.at = without_last_slash(base);
  if (!follow(walk, path)) return std::nullopt;
  return walk.at.empty() ? "/" : std::move(walk.at);
}

bool PathResolver::is_link(std::string_view base, std::string_view path) {
  path = without_last_slash(path);
  const auto slash = path.rfind('/');
  const auto name = path.substr(slash == path.npos ? 0 : slash + 1);
  if (name.empty() || name == "." || name == "..") return false;
  const auto folder = resolve(base, path.substr(0, slash == path.npos ? 0 : slash + 1));
  if (!folder) return true;
  const auto kind = look((*folder == "/" ? "" : *folder) + "/" + std::string(name)).kind;
  return kind == Kind::link || kind == Kind::unknown;
}

std::string logical_path(std::string_view base, std::string_view path) {
  std::string at;
  for (auto rest : {path.starts_with('/') ? std::string_view() : base, path}) {
    while (!rest.empty()) {
      const auto part = next_part(rest);
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        leave(at);
      } else {
        at += '/';
        at += part;
      }
    }
  }
  return at.empty() ? "/" : at;
}

}  // namespace ralph::permission
