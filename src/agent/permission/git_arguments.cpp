#include "agent/permission/git_arguments.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/base/text.h"

namespace ralph::permission {
namespace {

constexpr std::string_view kGitFlags =
    "--no-pager --no-optional-locks -p -P --paginate --bare --no-replace-objects "
    "--literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --version -v --help "
    "-h --html-path --man-path --info-path";
constexpr std::string_view kValues = "-C --git-dir --work-tree --namespace";
constexpr std::string_view kOtherValues = "-c --config-env --exec-path";

/// Commands of git itself; git looks up aliases only for other names.
constexpr std::string_view kCommands =
    "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore "
    "check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column "
    "commit commit-graph commit-tree config count-objects describe diff diff-files diff-index "
    "diff-tree fast-export fast-import fetch fmt-merge-msg for-each-ref format-patch fsck gc grep "
    "hash-object help index-pack init init-db log ls-files ls-remote ls-tree mailinfo mailsplit "
    "merge merge-base merge-file merge-tree mktag mktree multi-pack-index mv name-rev notes "
    "pack-objects pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase "
    "reflog remote repack replace rerere reset restore rev-list rev-parse revert rm send-pack "
    "shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace "
    "submodule switch symbolic-ref tag unpack-file unpack-objects update-index update-ref "
    "update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree "
    "write-tree";

/// Commands none of whose options names a program.
constexpr std::string_view kPlainCommands =
    "add annotate apply blame branch cat-file check-ignore checkout cherry-pick clean commit "
    "describe diff for-each-ref hash-object init log ls-files ls-tree merge merge-base mv name-rev "
    "notes reflog reset restore rev-list rev-parse revert rm shortlog show show-ref stash status "
    "switch symbolic-ref tag update-ref whatchanged worktree";

/// Settings that name no program and no file: a section ("user.") or a key.
constexpr auto kHarmlessSettings = std::to_array<std::string_view>({"user.",
                                                                    "author.",
                                                                    "committer.",
                                                                    "color.",
                                                                    "advice.",
                                                                    "branch.",
                                                                    "push.",
                                                                    "pull.",
                                                                    "fetch.",
                                                                    "init.defaultbranch",
                                                                    "commit.gpgsign",
                                                                    "tag.gpgsign",
                                                                    "core.quotepath",
                                                                    "core.autocrlf",
                                                                    "core.abbrev",
                                                                    "core.filemode",
                                                                    "core.ignorecase",
                                                                    "http.sslverify",
                                                                    "http.postbuffer",
                                                                    "http.version",
                                                                    "merge.ff",
                                                                    "merge.conflictstyle",
                                                                    "rebase.autostash",
                                                                    "diff.renames",
                                                                    "log.date",
                                                                    "safe.directory",
                                                                    "gc.auto"});

bool is_harmless_setting(const ShellWord& word) {
  if (!word.certain) return false;
  const auto key = to_lower(word.text.substr(0, word.text.find('=')));
  if (!word.literal && (word.several || key.find('$') != std::string::npos)) return false;
  return std::ranges::any_of(kHarmlessSettings, [&](std::string_view setting) {
    return setting.ends_with('.') ? key.starts_with(setting) : key == setting;
  });
}

/// Also true for abbreviations, which git accepts.
bool names_command(const ShellWord& word) {
  const auto option = std::string_view(word.text).substr(0, word.text.find('='));
  return option.size() >= 4 &&
         std::ranges::any_of(
             std::to_array<std::string_view>(
                 {"--exec", "--upload-pack", "--receive-pack", "--open-files-in-pager"}),
             [&](std::string_view full) { return full.starts_with(option); });
}

bool has_start(Words arguments, std::string_view start) {
  return std::ranges::any_of(arguments,
                             [&](const ShellWord& word) { return word.text.starts_with(start); });
}

/// Whether "git config" only reads, or changes a harmless setting of the user or the repository.
bool is_harmless_config(Words arguments) {
  constexpr std::string_view kReading = "--get --get-all --get-regexp --list -l get list";
  constexpr std::string_view kChanging =
      "--global --local --add --unset --unset-all --replace-all set unset";
  while (!arguments.empty() && has_word(kChanging, arguments.front().text))
    arguments = arguments.subspan(1);
  return arguments.empty() || has_word(kReading, arguments.front().text) ||
         is_harmless_setting(arguments.front());
}

bool runs_commands(std::string_view name, Words arguments) {
  if (name == "submodule") return has_start(arguments, "foreach");
  if (name == "bisect") return has_start(arguments, "run");
  if (name == "config") return !is_harmless_config(arguments);
  if (std::ranges::any_of(arguments, names_command)) return true;
  return (name == "rebase" && has_start(arguments, "-x")) ||
         (name == "grep" && has_start(arguments, "-O")) ||
         (name == "clone" && has_start(arguments, "-u"));
}

/// Removes the first option from the arguments; returns why it hides what git runs, or "".
std::string take_option(Words& arguments) {
  const auto& word = arguments.front();
  const auto name = std::string_view(word.text).substr(0, word.text.find('='));
  const bool has_next = arguments.size() > 1;
  const bool in_word = name.size() < word.text.size();
  auto why = fmt::format("the option '{}' may change what git runs", word.text);
  if (word.is("-c")) {
    if (!has_next || !is_harmless_setting(arguments[1])) return why;
    arguments = arguments.subspan(2);
    return {};
  }
  if (word.several || !word.certain) return why;
  if (has_word(kGitFlags, word.text)) {
    arguments = arguments.subspan(1);
    return {};
  }
  if (!has_word(kValues, name) || (!in_word && (!has_next || arguments[1].several))) return why;
  arguments = arguments.subspan(in_word ? 1 : 2);
  return {};
}

}  // namespace

std::string hidden_in_git(Words arguments) {
  while (!arguments.empty() && arguments.front().text.starts_with('-')) {
    if (auto why = take_option(arguments); !why.empty()) return why;
  }
  if (arguments.empty()) return {};
  const auto& command = arguments.front();
  if (!command.literal) return fmt::format("'{}' is not a plain command name", command.text);
  if (!has_word(kCommands, command.text))
    return fmt::format("'git {}' may be an alias", command.text);
  arguments = arguments.subspan(1);
  if (runs_commands(command.text, arguments))
    return fmt::format("'git {}' may run other commands", command.text);
  if (has_word(kPlainCommands, command.text)) return {};
  const auto open = std::ranges::find(arguments, false, &ShellWord::literal);
  if (open == arguments.end()) return {};
  return fmt::format("'{}' may be an option of 'git {}' that runs other commands", open->text,
                     command.text);
}

Words without_git_options(Words arguments) {
  while (!arguments.empty() && arguments.front().text.starts_with('-')) {
    const auto& text = arguments.front().text;
    const bool value = has_word(kValues, text) || has_word(kOtherValues, text);
    arguments = arguments.subspan(std::min<std::size_t>(arguments.size(), value ? 2 : 1));
  }
  return arguments;
}

}  // namespace ralph::permission
