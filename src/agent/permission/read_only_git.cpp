#include "agent/permission/read_only_git.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include "agent/permission/read_only_impl.h"
#include "core/base/text.h"

namespace ralph::permission {
namespace {

/// A read-only subcommand with its allowed options. None of them starts a program that the repository names, writes,
/// reads a file given as its value, or contacts another repository.
struct GitCommand {
  std::string_view name;
  std::string_view letters = {};
  std::string_view names = {};  // options
  std::string_view more = {};   // further options
  std::string_view only = {};   // if not empty: only these words are allowed
  bool needs_word = false;      // without "list" it changes something
};

constexpr std::string_view kDiffNames =
    "patch no-patch unified raw patch-with-raw patch-with-stat minimal patience histogram anchored "
    "diff-algorithm stat compact-summary numstat shortstat dirstat summary name-only name-status "
    "color no-color color-moved no-color-moved word-diff word-diff-regex color-words no-renames "
    "check full-index binary abbrev find-renames find-copies find-copies-harder diff-filter "
    "pickaxe-all pickaxe-regex relative no-relative text ignore-cr-at-eol ignore-space-at-eol "
    "ignore-space-change ignore-all-space ignore-blank-lines inter-hunk-context function-context "
    "exit-code quiet no-ext-diff no-textconv src-prefix dst-prefix no-prefix ignore-submodules";

constexpr std::string_view kLogNames =
    "oneline max-count skip since after until before author committer grep all-match invert-grep "
    "regexp-ignore-case extended-regexp fixed-strings perl-regexp merges no-merges min-parents "
    "max-parents first-parent branches tags remotes all glob exclude walk-reflogs cherry-pick "
    "cherry-mark cherry left-right left-only right-only boundary date relative-date parents "
    "children graph no-graph topo-order date-order author-date-order reverse abbrev-commit "
    "no-abbrev-commit decorate no-decorate decorate-refs source follow format pretty encoding "
    "notes no-notes no-walk simplify-by-decoration full-history ancestry-path show-pulls count cc "
    "root "
    "no-show-signature no-mailmap";

constexpr std::string_view kDiffLetters = "psuzabwWRDU?S:G:l:M?C?B?";
constexpr std::string_view kLogLetters = "psuzabwWRDU?S:G:l:M?C?B?n:L:iEFPgmctq0123456789";

constexpr std::array kGit = std::to_array<GitCommand>({
    {"blame", "bcltfnsepwhL:M?C?",
     "root show-stats show-name show-number show-email porcelain line-porcelain date abbrev "
     "first-parent color-lines color-by-age"},
    {.name = "branch",
     .only = "-a -r -v -vv -l --all --remotes --list --verbose --show-current --no-color"},
    {"cat-file", "ptse"},
    {"check-ignore", "qvnz", "quiet verbose non-matching no-index"},
    {"count-objects", "vH", "verbose human-readable"},
    {"describe", "",
     "all tags always long abbrev exact-match match exclude contains first-parent candidates"},
    {"diff", kDiffLetters, kDiffNames, "cached staged merge-base cc base ours theirs"},
    {"for-each-ref", "",
     "format sort count points-at merged no-merged contains no-contains ignore-case exclude"},
    {"grep", "niIwvhHEGFPlLcqoazpWA:B:C:e:m:",
     "cached untracked line-number column ignore-case word-regexp invert-match count "
     "files-with-matches files-without-match name-only show-function function-context heading "
     "break and or not all-match max-depth max-count color no-color text exclude-standard "
     "extended-regexp basic-regexp fixed-strings perl-regexp after-context before-context context "
     "only-matching null full-name quiet"},
    {"log", kLogLetters, kDiffNames, kLogNames},
    {"ls-files", "cdmoisuktvfzx:",
     "cached deleted modified others ignored stage unmerged killed exclude exclude-standard "
     "error-unmatch full-name abbrev eol directory no-empty-directory deduplicate"},
    {"ls-tree", "drtlz", "name-only name-status full-name full-tree abbrev long object-only"},
    {"merge-base", "a", "all octopus is-ancestor fork-point independent"},
    {"name-rev", "", "tags refs exclude all name-only always"},
    {.name = "reflog", .only = "show"},
    {.name = "remote", .only = "-v --verbose"},
    {"rev-list", kLogLetters, "objects no-object-names left-right", kLogNames},
    {"rev-parse", "q",
     "abbrev-ref short verify quiet show-toplevel git-dir absolute-git-dir git-common-dir "
     "is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository show-prefix "
     "show-cdup symbolic-full-name symbolic all branches tags remotes path-format git-path "
     "show-superproject-working-tree default"},
    {"shortlog", "nsecw?", "numbered summary email group committer", kLogNames},
    {"show", kLogLetters, kDiffNames, kLogNames},
    {.name = "stash", .only = "list", .needs_word = true},
    {"status", "sbzvu?M?",
     "short branch porcelain long show-stash ahead-behind no-ahead-behind renames no-renames "
     "find-renames untracked-files ignored column no-column ignore-submodules verbose"},
    {.name = "tag", .only = "-l --list -n"},
    {.name = "worktree", .only = "list --porcelain -v", .needs_word = true},
});

constexpr std::string_view kGlobalOptions = "--no-pager --no-optional-locks";
constexpr std::string_view kValuesOfGit = "-C -c --git-dir --work-tree --namespace --config-env";
constexpr std::string_view kGitShowing =
    "grep show cat-file diff blame annotate archive format-patch whatchanged difftool diff-tree "
    "diff-index diff-files stash checkout-index unpack-file fast-export bundle pack-objects "
    "merge-file merge-tree range-diff";
constexpr std::string_view kHarmlessOfGitLog =
    "-- -i -s -sb -b --short --branch --porcelain --untracked-files --ignored --oneline --stat "
    "--graph --all --decorate --no-decorate --max-count --format --pretty --author --since --until "
    "--after --before --reverse --name-only --name-status --shortstat --numstat --no-merges "
    "--merges --grep --date --abbrev-commit --follow --first-parent --no-color";

/// Placeholders that verify a signature with the program named in the settings. "+", "-" or a blank may follow the "%".
bool asks_for_signature(const ShellWord& word) {
  std::string_view text = word.text;
  for (auto at = text.find('%'); at != text.npos; at = text.find('%')) {
    text.remove_prefix(at + 1);
    const auto placeholder = text.substr(std::min(text.size(), text.find_first_not_of("+- ")));
    if (placeholder.starts_with('G') || placeholder.starts_with("(signature")) return true;
  }
  return false;
}

bool has_only(const GitCommand& known, Words arguments) {
  return std::ranges::all_of(
      arguments, [&](const ShellWord& word) { return has_word(known.only, word.text); });
}

/// Whether an option of `git log` may show file contents; not "-5" and the options known to show none.
bool shows(const ShellWord& word) {
  const std::string_view text = word.text;
  if (!is_plain(word)) return true;
  if (!text.starts_with('-')) return false;
  const bool number = text.find_first_not_of("0123456789", text.starts_with("-n") ? 2 : 1) ==
                      std::string_view::npos;
  return !number && !has_word(kHarmlessOfGitLog, text.substr(0, text.find('=')));
}

/// "%(raw)" shows the whole object of a ref, which may be a file.
bool formats_contents(const ShellWord& word) {
  return !word.literal || word.text.find("raw") != std::string::npos ||
         word.text.find("contents") != std::string::npos;
}

}  // namespace

std::optional<ReadingCommand> reading_git(Words arguments) {
  while (!arguments.empty() && has_word(kGlobalOptions, arguments.front().text))
    arguments = arguments.subspan(1);
  if (arguments.empty() || !std::ranges::all_of(arguments, is_plain) ||
      std::ranges::any_of(arguments, asks_for_signature)) {
    return std::nullopt;
  }
  const auto known =
      std::ranges::find(kGit, std::string_view(arguments.front().text), &GitCommand::name);
  if (known == kGit.end()) return std::nullopt;
  arguments = arguments.subspan(1);
  if (!known->only.empty()) {
    if (!has_only(*known, arguments)) return std::nullopt;
    if (known->needs_word && (arguments.empty() || !arguments.front().is("list")))
      return std::nullopt;
    return ReadingCommand{};
  }
  const std::string names = std::string(known->names) + " " + std::string(known->more);
  auto read = read_arguments(arguments, {known->letters, names});
  if (!read) return std::nullopt;
  // Which options take the next word depends on the version, so it is also checked as an operand.
  std::ranges::move(read->separate, std::back_inserter(read->operands));
  return ReadingCommand{std::move(read->operands)};
}

bool git_shows_contents(const ShellCommand& command) {
  auto arguments = Words(command.words);
  if (arguments.empty() || !arguments[0].is("git")) return false;
  arguments = arguments.subspan(1);
  while (!arguments.empty() && arguments.front().text.starts_with('-')) {
    const bool value = has_word(kValuesOfGit, arguments.front().text);
    arguments = arguments.subspan(std::min<std::size_t>(arguments.size(), value ? 2 : 1));
  }
  if (arguments.empty()) return false;
  const auto name = std::string_view(arguments.front().text);
  if (!arguments.front().literal || has_word(kGitShowing, name)) return true;
  if (has_word("for-each-ref tag branch", name))
    return std::ranges::any_of(arguments, formats_contents);
  return has_word("log status reflog", name) && std::ranges::any_of(arguments, shows);
}

}  // namespace ralph::permission
