#include "system/git/history.h"

#include <fmt/core.h>

#include "system/git/position.h"
#include "system/git/ref.h"

namespace ralph::git {
namespace {

constexpr std::size_t kMostDiff = std::size_t{4} << 20;

Result<> check_id(std::string_view id) {
  if (is_commit_id(id)) return {};
  return fail(Code::usage, fmt::format("'{}' is not the id of a commit or a tree", id));
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

Result<std::string> commit_of(const Program& git, const std::string& ref) {
  if (is_ref_name(ref)) return read_commit(git, ref);
  return fail(Code::usage, fmt::format("'{}' is not a valid ref name", ref));
}

Result<std::string> parent(const Program& git, std::string_view commit) {
  TRY(check_id(commit));
  TRY_ASSIGN(const auto line,
             git.ask_line({{"rev-list", "--max-count=1", "--parents", std::string(commit), "--"}}));
  const auto space = line.find(' ');
  if (space == line.npos) return std::string();
  return line.substr(space + 1, line.find(' ', space + 1) - space - 1);
}

Result<std::vector<std::string>> commits_since(const Program& git, std::string_view commit) {
  TRY(check_id(commit));
  const Call ask{{"merge-base", "--is-ancestor", std::string(commit), "HEAD"}};
  TRY_ASSIGN(const auto captured, git.run(ask));
  if (captured.exit.exit_code == 1) {
    return fail(Code::usage, fmt::format("the branch in '{}' does not come from {}",
                                         git.root().native(), commit));
  }
  if (!captured.ok()) return std::unexpected(git.explain(ask, captured));
  TRY_ASSIGN(const auto text, git.ask({{"rev-list", "HEAD", "^" + std::string(commit), "--"}}));
  return lines_of(text);
}

Result<std::vector<std::string>> commits_between(const Program& git, std::string_view from,
                                                 std::string_view to) {
  TRY(check_id(from));
  TRY(check_id(to));
  TRY_ASSIGN(const auto text,
             git.ask({{"rev-list", std::string(to), "^" + std::string(from), "--"}}));
  return lines_of(text);
}

Result<std::vector<std::string>> commits_to(const Program& git, std::string_view commit) {
  TRY(check_id(commit));
  TRY_ASSIGN(const auto text, git.ask({{"rev-list", std::string(commit), "--"}}));
  return lines_of(text);
}

Result<std::string> subject(const Program& git, std::string_view commit) {
  TRY(check_id(commit));
  TRY_ASSIGN(
      const auto text,
      git.ask_line({{"rev-list", "--max-count=1", "--format=%s", std::string(commit), "--"}}));
  // Before it is "commit ID".
  const auto end = text.find('\n');
  return end == text.npos ? std::string() : text.substr(end + 1);
}

Result<std::vector<FileChange>> changes(const Program& git, std::string_view from,
                                        std::string_view to) {
  TRY_ASSIGN(const auto call, diff_call({"-z", "--raw", "--numstat"}, from, to));
  TRY_ASSIGN(const auto text, git.ask(call));
  return parse_changes(text);
}

Result<std::string> diff(const Program& git, std::string_view from, std::string_view to) {
  TRY_ASSIGN(const auto call, diff_call({"-p"}, from, to));
  TRY_ASSIGN(auto text, git.ask(call));
  if (text.size() <= kMostDiff) return text;
  text.resize(text.rfind('\n', kMostDiff) + 1);
  return text + "[the rest is left out]\n";
}

}  // namespace ralph::git
