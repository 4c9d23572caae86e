#include "agent/tool/denied_paths.h"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "agent/permission/rule.h"
#include "core/base/path.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntriesDenied = 100'000;
constexpr std::size_t kMostPaths = 2000;
constexpr int kMostAttempts = 5;

bool is_literal(const std::string& part) {
  return part.find_first_of("*?[\\") == std::string::npos;
}

std::vector<fs::path> working_folders(const Workspace& workspace) {
  auto folders = workspace.setup().directories;
  folders.push_back(workspace.setup().root);
  return folders;
}

/// Finds the paths that the patterns match. Walks the working directories at most twice, for any number of patterns.
class Finder {
 public:
  explicit Finder(const Workspace& workspace) : workspace_(workspace) {}

  Result<std::vector<fs::path>> run() {
    for (const auto& text : workspace_.setup().unreadable) {
      for (const auto& pattern : permission::restricting_patterns(text, workspace_.setup().root)) {
        add_pattern(pattern);
      }
    }
    if (!wild_.empty()) TRY(find_matching());
    TRY(find_links());
    if (found_.size() > kMostPaths)
      return too_many("paths with a rule that denies reading", kMostPaths);
    return std::vector<fs::path>(found_.begin(), found_.end());
  }

 private:
  static std::unexpected<Error> too_many(std::string_view what, std::size_t most) {
    return fail(Code::limit,
                fmt::format("there are more than {} {}: a rule that denies reading cannot be "
                            "enforced for commands",
                            most, what),
                "deny whole directories, or use a smaller working directory");
  }

  /// False: the path disappeared.
  bool add(const fs::path& path) {
    std::error_code error;
    const auto real = fs::canonical(path, error);
    if (!error) {
      found_.insert(real);
      return true;
    }
    return fs::is_symlink(path, error);
  }

  /// While files are moved a walk may miss one, so it is repeated.
  Result<> find_matching() {
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
      moved_ = false;
      looked_at_ = 0;
      TRY(walk([this](const fs::path& path) { return add_if_matching(path); }));
      if (!moved_) return {};
    }
    return fail(Code::busy,
                "files in the working directories keep being moved: a rule that denies reading "
                "cannot be enforced for commands",
                "try again when no other program moves them");
  }

  /// A pattern without wildcards, or with "**" only at its end, names one path.
  void add_pattern(const permission::AnchoredPattern& pattern) {
    auto [base, parts] = pattern;
    while (!parts.empty() && (parts.back() == "**" || parts.back() == "*") && parts.size() > 1) {
      if (parts.back() == "*" && !is_literal(parts[parts.size() - 2])) break;
      parts.pop_back();
    }
    if (!std::ranges::all_of(parts, is_literal)) {
      wild_.push_back(pattern);
      return;
    }
    fs::path path = base;
    for (const auto& part : parts) path /= part;
    (void)add(path);  // it may not exist
  }

  /// True: nothing below needs a check.
  bool add_if_matching(const fs::path& path) {
    if (!permission::matches_path(wild_, path.native())) return false;
    if (!add(path)) moved_ = true;
    return true;
  }

  /// Calls `visit` for everything in the working directories; if it returns true, skips what is below.
  template <typename Visit>
  Result<> walk(Visit visit) {
    for (const auto& folder : working_folders(workspace_)) TRY(walk_below(folder, visit));
    return {};
  }
  template <typename Visit>
  Result<> walk_below(const fs::path& folder, Visit visit) {
    std::error_code error;
    for (fs::recursive_directory_iterator
             entry(folder, fs::directory_options::skip_permission_denied, error),
         end;
         !error && entry != end; entry.increment(error)) {
      if (++looked_at_ > kMostEntriesDenied) {
        return too_many("files in the working directories", kMostEntriesDenied);
      }
      if (visit(entry->path())) entry.disable_recursion_pending();
    }
    if (error) moved_ = true;  // a directory disappeared before it was opened
    return {};
  }

  using Inode = std::pair<dev_t, ino_t>;
  void note_links(const fs::path& path) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 1) {
      linked_.insert({status.st_dev, status.st_ino});
    }
  }

  /// Adds the other hard links of denied files.
  Result<> find_links() {
    const auto denied = found_;
    for (const auto& path : denied) {
      note_links(path);
      if (!workspace_.contains(path)) continue;
      TRY(walk_below(path, [this](const fs::path& below) {
        note_links(below);
        return false;
      }));
    }
    if (linked_.empty()) return {};
    return walk([&](const fs::path& path) {
      struct stat status{};
      if (denied.contains(path)) return true;
      if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
          linked_.contains({status.st_dev, status.st_ino})) {
        found_.insert(path);
      }
      return false;
    });
  }

  const Workspace& workspace_;
  std::vector<permission::AnchoredPattern> wild_;
  std::set<fs::path> found_;
  std::set<Inode> linked_;
  std::size_t looked_at_ = 0;
  bool moved_ = false;
};

}  // namespace

Result<std::vector<fs::path>> denied_paths(const Workspace& workspace) {
  if (workspace.setup().unreadable.empty()) return std::vector<fs::path>{};
  return Finder(workspace).run();
}

}  // namespace ralph::tool
