#include "system/git/work.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "core/base/path.h"
#include "system/git/fields.h"
#include "system/git/folder_scan.h"
#include "system/git/index.h"
#include "system/git/old_files.h"
#include "system/git/position.h"
#include "system/git/ref.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostDiff = std::size_t{4} << 20;

Result<> check_id(std::string_view id) {
  if (is_commit_id(id)) return {};
  return fail(Code::usage, fmt::format("'{}' is not the id of a commit or a tree", id));
}

/// A folder of the repository that `folder` lies in; nullopt: in none.
Result<std::optional<fs::path>> ask_folder(const Program& git, const std::string& option) {
  const Call call{{"rev-parse", "--path-format=absolute", option}};
  TRY_ASSIGN(const auto captured, git.run(call));
  if (captured.err.find("not a git repository (or any") != std::string::npos) return std::nullopt;
  if (!captured.ok()) return std::unexpected(git.explain(call, captured));
  return fs::path(captured.out.substr(0, captured.out.size() - 1));
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != text.npos; at = end + 1) {
    lines.emplace_back(text.substr(at, end - at));
  }
  return lines;
}

/// The words of diff-tree, between two ids.
Result<Call> diff_call(std::initializer_list<std::string> form, std::string_view from,
                       std::string_view to) {
  TRY(check_id(from));
  TRY(check_id(to));
  Call call{{"diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"}};
  call.words.insert(call.words.end(), form);
  call.words.insert(call.words.end(), {std::string(from), std::string(to), "--"});
  return call;
}

}  // namespace

Result<std::optional<Work>> Work::open(const fs::path& folder, std::string& why_not,
                                       CallLimits limits) {
  auto program = Program::find();
  if (!program && program.error().code == Code::not_found) {
    why_not = "git is not installed: " + program.error().message;
    return std::nullopt;
  }
  TRY_ASSIGN(auto git, std::move(program));
  git.set_limits(std::move(limits));
  git.start_in(folder);
  TRY_ASSIGN(auto own, ask_folder(git, "--absolute-git-dir"));
  if (!own) {
    why_not = fmt::format("'{}' is not in a git repository", folder.native());
    return std::nullopt;
  }
  TRY_ASSIGN(auto root, ask_folder(git, "--show-toplevel"));
  TRY_ASSIGN(const auto common, ask_folder(git, "--git-common-dir"));
  if (!root || !common) {
    return fail(Code::unavailable,
                fmt::format("the repository of '{}' went away", folder.native()));
  }
  git.pin(*std::move(root), *std::move(own));
  TRY_ASSIGN(auto settings, Settings::read(git, *common));
  TRY(refuse_blocking_files(git.root(), settings.git_folders()));
  return Work(std::move(git), std::move(settings));
}

Result<> Work::check_settings() const {
  TRY(refuse_blocking_files(root(), settings_.git_folders()));
  return settings_.check(git_);
}

Result<std::vector<Entry>> Work::entries() const {
  TRY_ASSIGN(const auto index, PrivateIndex::rebuild(git_, *known_));
  TRY_ASSIGN(auto entries, list_entries(git_, index.path()));
  TRY(leave_out(git_, left_alone_, entries));
  return entries;
}

Result<> Work::leave_out_paths(const std::vector<std::string>& paths) {
  TRY(refuse_blocking_files(root(), settings_.git_folders()));
  TRY_ASSIGN(const auto entries, this->entries());
  for (const auto& path : paths) {
    const auto found = std::ranges::find(entries, path, &Entry::path);
    if (found != entries.end() && found->staged != ' ' && found->staged != '?') {
      return fail(Code::usage, fmt::format("'{}' is staged and not committed", path),
                  fmt::format("commit it, or unstage it: git restore --staged {}", path));
    }
  }
  left_alone_.paths.insert(paths.begin(), paths.end());
  return {};
}

void Work::leave_out_own(const std::vector<fs::path>& paths) {
  for (const auto& path : paths) {
    std::error_code error;
    const auto real = fs::weakly_canonical(path, error);
    if (error || path.empty() || real == root() || !is_below(real, root())) continue;
    left_alone_.own.push_back(real.lexically_relative(root()).native());
  }
}

Result<std::string> Work::branch() const { return read_branch(git_); }

Result<std::string> Work::commit_of(const std::string& ref) const {
  if (is_ref_name(ref)) return read_commit(git_, ref);
  return fail(Code::usage, fmt::format("'{}' is not a valid ref name", ref));
}

/// The last value is that of our own command line.
bool Work::wants_signatures() const {
  const auto captured = git_.run({{"config", "--type=bool", "--get-all", "commit.gpgsign"}});
  return captured && captured->out.ends_with("true\nfalse\n");
}

Result<std::string> Work::head() const {
  const Call call{{"rev-parse", "--verify", "--quiet", "HEAD"}};
  TRY_ASSIGN(const auto captured, git_.run(call));
  if (captured.exit.exit_code == 1 && captured.err.empty()) return std::string();
  if (!captured.ok()) return std::unexpected(git_.explain(call, captured));
  return captured.out.substr(0, captured.out.find('\n'));
}

Result<std::string> Work::parent(std::string_view commit) const {
  TRY(check_id(commit));
  TRY_ASSIGN(
      const auto line,
      git_.ask_line({{"rev-list", "--max-count=1", "--parents", std::string(commit), "--"}}));
  const auto space = line.find(' ');
  if (space == line.npos) return std::string();
  return line.substr(space + 1, line.find(' ', space + 1) - space - 1);
}

Result<std::vector<std::string>> Work::commits_since(std::string_view commit) const {
  TRY(check_id(commit));
  const Call ask{{"merge-base", "--is-ancestor", std::string(commit), "HEAD"}};
  TRY_ASSIGN(const auto captured, git_.run(ask));
  if (captured.exit.exit_code == 1) {
    return fail(Code::usage,
                fmt::format("the branch in '{}' does not come from {}", root().native(), commit));
  }
  if (!captured.ok()) return std::unexpected(git_.explain(ask, captured));
  TRY_ASSIGN(const auto text, git_.ask({{"rev-list", "HEAD", "^" + std::string(commit), "--"}}));
  return lines_of(text);
}

Result<std::vector<std::string>> Work::commits_between(std::string_view from,
                                                       std::string_view to) const {
  TRY(check_id(from));
  TRY(check_id(to));
  TRY_ASSIGN(const auto text,
             git_.ask({{"rev-list", std::string(to), "^" + std::string(from), "--"}}));
  return lines_of(text);
}

Result<std::vector<std::string>> Work::commits_to(std::string_view commit) const {
  TRY(check_id(commit));
  TRY_ASSIGN(const auto text, git_.ask({{"rev-list", std::string(commit), "--"}}));
  return lines_of(text);
}

Result<std::string> Work::subject(std::string_view commit) const {
  TRY(check_id(commit));
  TRY_ASSIGN(
      const auto text,
      git_.ask_line({{"rev-list", "--max-count=1", "--format=%s", std::string(commit), "--"}}));
  // Before it is "commit ID".
  const auto end = text.find('\n');
  return end == text.npos ? std::string() : text.substr(end + 1);
}

Result<std::string> Work::tree() const {
  TRY(check_settings());
  TRY_ASSIGN(const auto index, PrivateIndex::rebuild(git_, *known_));
  TRY_ASSIGN(auto entries, list_entries(git_, index.path()));
  TRY(leave_out(git_, left_alone_, entries));
  TRY(take_in(git_, entries, index.path()));
  return git_.ask_line({{"write-tree"}, {}, index.path()});
}

Result<std::vector<std::string>> Work::dirty() const {
  TRY(check_settings());
  TRY_ASSIGN(const auto entries, this->entries());
  std::vector<std::string> paths;
  for (const auto& entry : entries) {
    if (!entry.ours()) paths.push_back(entry.path);
  }
  return paths;
}

Result<std::vector<FileChange>> Work::changes(std::string_view from, std::string_view to) const {
  TRY_ASSIGN(const auto call, diff_call({"-z", "--raw", "--numstat"}, from, to));
  TRY_ASSIGN(const auto text, git_.ask(call));
  return parse_changes(text);
}

Result<std::string> Work::diff(std::string_view from, std::string_view to) const {
  TRY_ASSIGN(const auto call, diff_call({"-p"}, from, to));
  TRY_ASSIGN(auto text, git_.ask(call));
  if (text.size() <= kMostDiff) return text;
  text.resize(text.rfind('\n', kMostDiff) + 1);
  return text + "[the rest is left out]\n";
}

}  // namespace ralph::git
