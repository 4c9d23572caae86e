#include "system/git/tree_files.h"

#include <charconv>

#include "system/git/fields.h"
#include "system/git/ref.h"

namespace ralph::git {
namespace {

/// ":100644 100755 <old id> <new id> M".
bool read_raw(std::string_view field, TreeDifference& difference) {
  const auto mode_end = field.find(' ');
  const auto old_begin = mode_end == field.npos ? mode_end : field.find(' ', mode_end + 1);
  const auto old_end = old_begin == field.npos ? old_begin : field.find(' ', old_begin + 1);
  if (old_end == field.npos) return false;
  std::from_chars(field.data() + 1, field.data() + mode_end, difference.old_mode, 8);
  difference.old_id = field.substr(old_begin + 1, old_end - old_begin - 1);
  return is_commit_id(difference.old_id);
}

}  // namespace

Result<std::vector<TreeDifference>> tree_differences(const Program& git, std::string_view from,
                                                     std::string_view to) {
  TRY_ASSIGN(const auto text,
             git.ask({{"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames",
                       "--no-ext-diff", std::string(from), std::string(to), "--"}}));
  std::vector<TreeDifference> found;
  for (Fields fields(text); !fields.done();) {
    TreeDifference difference;
    if (!read_raw(fields.next(), difference)) {
      return fail(Code::malformed, "cannot parse git's diff output",
                  "check that 'git' in PATH is git 2.31 or newer");
    }
    difference.path = fields.next();
    found.push_back(std::move(difference));
  }
  return found;
}

Result<std::string> read_blob(const Program& git, const std::string& id) {
  return git.ask({{"cat-file", "blob", id}});
}

Result<std::set<std::string>> paths_in_tree(const Program& git, const std::string& tree,
                                            const std::vector<std::string>& paths) {
  TRY_ASSIGN(const auto text,
             git.ask({{"ls-tree", "-r", "-z", "--name-only", "--full-tree", tree}}));
  std::set<std::string_view> known;
  for (Fields fields(text); !fields.done();) known.insert(fields.next());
  std::set<std::string> found;
  for (const auto& path : paths) {
    if (known.contains(path)) found.insert(path);
  }
  return found;
}

Result<std::vector<std::string>> ignored_files(const Program& git,
                                               const std::filesystem::path& folder,
                                               const std::vector<std::string>& paths) {
  std::string list;
  for (const auto& path : paths) {
    list += (folder / path).lexically_relative(git.root()).native() + '\0';
  }
  const Call call{{"check-ignore", "-z", "--stdin"}, list};
  TRY_ASSIGN(const auto captured, git.run(call));
  if (captured.exit.exit_code == 1) return std::vector<std::string>();
  if (!captured.ok()) return std::unexpected(git.explain(call, captured));
  std::vector<std::string> ignored;
  for (Fields fields(captured.out); !fields.done();) {
    ignored.push_back((git.root() / fields.next()).lexically_relative(folder).native());
  }
  return ignored;
}

}  // namespace ralph::git
