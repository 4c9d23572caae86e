#include "system/git/all_files.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <deque>
#include <memory>
#include <optional>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/unique_fd.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLimitHint = "name generated files in .gitignore";
constexpr std::size_t kLargestIgnoreFile = std::size_t{1} << 20;

struct Name {
  std::string name;
  mode_t mode = 0;
  std::uint64_t size = 0;
};

/// What a directory holds, sorted; nullopt: it cannot be read, or its path is too long.
std::optional<std::vector<Name>> names_in(int root, const std::string& path, UniqueFd& folder) {
  folder = UniqueFd(::openat(root, path.empty() ? "." : path.c_str(),
                             O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return std::nullopt;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(::dup(folder.get())), ::closedir);
  if (!stream) return std::nullopt;
  std::vector<Name> names;
  for (const dirent* entry; (entry = ::readdir(stream.get())) != nullptr;) {
    const std::string_view name = entry->d_name;
    struct stat info{};
    if (name == "." || name == "..") continue;
    if (::fstatat(folder.get(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    names.push_back({std::string(name), info.st_mode, static_cast<std::uint64_t>(info.st_size)});
  }
  std::ranges::sort(names, {}, &Name::name);
  return names;
}

/// git stores no path with such a part.
bool is_git_name(std::string_view name) { return to_lower(name) == ".git"; }

/// Goes through a directory from the top. `collected`: gets the rules of each `.gitignore` on the way, and they count.
class Walk {
 public:
  Walk(const fs::path& root, const FileChoice& choice, IgnoreRules* collected = nullptr)
      : path_(root),
        root_(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        choice_(choice),
        collected_(collected) {}

  Result<AllFiles> run() {
    if (!root_) return fail_errno(errno, "cannot open the directory");
    std::deque<Place> waiting{{"", false}};
    while (!waiting.empty()) {
      const auto place = std::move(waiting.front());
      waiting.pop_front();
      look_at(place, waiting);
      TRY(check_limits(waiting.size()));
    }
    std::ranges::sort(files_.paths);
    return std::move(files_);
  }

 private:
  struct Place {
    std::string path;
    bool ignored;  // only known files count
  };

  Result<> check_limits(std::size_t waiting) const {
    if (files_.paths.size() + files_.left_out.size() + waiting > choice_.most_files) {
      return fail(Code::limit, fmt::format("there are more than {} files", choice_.most_files),
                  kLimitHint);
    }
    if (files_.bytes <= choice_.most_bytes) return {};
    return fail(Code::limit,
                fmt::format("the files have more than {} bytes; the largest is '{}'",
                            choice_.most_bytes, largest_),
                kLimitHint);
  }

  void look_at(const Place& place, std::deque<Place>& waiting) {
    UniqueFd folder;
    const auto names = names_in(root_.get(), place.path, folder);
    if (!names) {
      if (!place.ignored) files_.left_out.push_back(place.path + "/");
      return;
    }
    if (collected_ != nullptr && !place.ignored) collect(place.path, *names);
    const auto& rules = collected_ != nullptr ? *collected_ : choice_.rules;
    for (const auto& [name, mode, size] : *names) {
      auto path = place.path.empty() ? name : place.path + '/' + name;
      if (is_git_name(name)) {
        if (!place.path.empty() || name != ".git") files_.left_out.push_back(std::move(path));
        continue;
      }
      const bool ignored = place.ignored || rules.ignores(path, S_ISDIR(mode));
      if (S_ISDIR(mode)) {
        if (!ignored || has_more_below(path)) waiting.push_back({std::move(path), ignored});
      } else if (!ignored || choice_.known.contains(path) || choice_.always.matches(path)) {
        if (S_ISREG(mode)) count(size, path);
        add(folder.get(), name, mode, std::move(path));
      }
    }
  }

  void collect(const std::string& folder, const std::vector<Name>& names) {
    const auto found = std::ranges::find(names, ".gitignore", &Name::name);
    if (found == names.end() || !S_ISREG(found->mode)) return;
    const auto text = read_file(path_ / folder / found->name, kLargestIgnoreFile);
    if (text) collected_->add(folder, *text);
  }

  bool has_more_below(const std::string& path) const {
    const auto next = choice_.known.lower_bound(path + '/');
    return !choice_.always.empty() ||
           (next != choice_.known.end() && next->starts_with(path + '/'));
  }

  void add(int folder, const std::string& name, mode_t mode, std::string path) {
    const bool readable =
        S_ISLNK(mode) || (S_ISREG(mode) && ::faccessat(folder, name.c_str(), R_OK, 0) == 0);
    // git opens files by their whole path.
    const bool stored = readable && path.size() < PATH_MAX;
    (stored ? files_.paths : files_.left_out).push_back(std::move(path));
  }

  void count(std::uint64_t size, const std::string& path) {
    files_.bytes += size;
    if (size <= largest_size_) return;
    largest_size_ = size;
    largest_ = path;
  }

  fs::path path_;
  UniqueFd root_;
  const FileChoice& choice_;
  IgnoreRules* collected_;
  AllFiles files_;
  std::string largest_;
  std::uint64_t largest_size_ = 0;
};

}  // namespace

Result<AllFiles> list_all_files(const fs::path& root, const FileChoice& choice) {
  return Walk(root, choice).run();
}

Result<IgnoreRules> read_ignore_rules(const fs::path& root) {
  IgnoreRules rules;
  const FileChoice everything;
  TRY(Walk(root, everything, &rules).run());
  return rules;
}

}  // namespace ralph::git
