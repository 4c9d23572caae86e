#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ralph::git {

/// The rules of `.gitignore` files, read once: what such files say later has no effect.
class IgnoreRules {
 public:
  /// The text of the `.gitignore` in `folder` (empty: the root). Rules of a directory come before those of directories
  /// below it.
  void add(std::string_view folder, std::string_view text);
  bool empty() const { return rules_.empty(); }

  /// For a path whose directories are not ignored: what is in an ignored directory is ignored with it.
  bool ignores(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    std::string folder;   // "" or "a/b/": where it is from
    std::string pattern;  // below that, for glob_matches()
    bool negated = false, only_folders = false;
    /// Most rules are a name, or "*" and the end of one: these are compared without glob_matches().
    enum class Kind { name, name_end, glob } kind = Kind::glob;
    bool matches(std::string_view path) const;
  };
  std::vector<Rule> rules_;
};

}  // namespace ralph::git
