#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ralph::permission {

/// Resolves paths as the kernel would. Caches each name: many paths in few directories cost one lookup each.
class PathResolver {
 public:
  explicit PathResolver(std::size_t most_lookups) : most_lookups_(most_lookups) {}

  /// `base` is absolute with links resolved. Names that do not exist are taken literally. nullopt: where the path leads
  /// is unknown (".." after a missing name, circular links, links in /proc), or the lookup limit was reached.
  std::optional<std::string> resolve(std::string_view base, std::string_view path);

  /// Whether the path itself is a link; true if unknown.
  bool is_link(std::string_view base, std::string_view path);

  /// The number of system calls so far.
  std::size_t lookups() const { return lookups_; }

 private:
  enum class Kind { missing, plain, link, unknown };
  struct Entry {
    Kind kind = Kind::unknown;
    std::string target;  // of a link
  };
  struct Walk {
    std::string at;  // empty: the root
    int links = 0;
    bool missing = false;
  };
  bool follow(Walk& walk, std::string_view path);
  bool enter(Walk& walk, std::string_view name);
  const Entry& look(const std::string& path);

  std::size_t most_lookups_;
  std::size_t lookups_ = 0;
  std::unordered_map<std::string, Entry> known_;
};

/// Without ".", ".." and double slashes, ignoring links: how `cd` interprets a path.
std::string logical_path(std::string_view base, std::string_view path);

}  // namespace ralph::permission
