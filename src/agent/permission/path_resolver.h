#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ralph::permission {

/// Follows paths as the kernel would, and asks it about each name once: many paths in few folders cost one look each.
class PathResolver {
 public:
  explicit PathResolver(std::size_t most_lookups) : most_lookups_(most_lookups) {}

  /// `base` is absolute with links resolved. What does not exist is taken as it is written. nullopt: unknown
  /// where the path will lead (".." behind a name that does not exist yet, links in a circle, the links of /proc), or
  /// too much was looked at.
  std::optional<std::string> resolve(std::string_view base, std::string_view path);

  /// Whether the path itself is a link; also true when that is unknown.
  bool is_link(std::string_view base, std::string_view path);

  /// How often the kernel was asked.
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

/// Without ".", ".." and double slashes, whatever is a link: what `cd` makes of a path.
std::string logical_path(std::string_view base, std::string_view path);

}  // namespace ralph::permission
