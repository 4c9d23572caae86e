#include "tool/command_table.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace ralph::tool {
namespace {

using Words = std::span<const ShellWord>;

enum class Operands { any, no_arguments, one, plus_only };

struct Known {
  std::string_view name;
  bool names_files;
  bool pattern_first = false;
  std::string_view letters = "";  // forbidden, in "-abc"
  std::string_view options = "";  // forbidden, in "--option", parted by blanks
  Operands operands = Operands::any;
};

constexpr std::array kReading = std::to_array<Known>({
    {":", false},
    {"[", true, false, "vR"},
    {"basename", false},
    {"cat", true},
    {"cd", true},
    {"cksum", true},
    {"cmp", true},
    {"column", true},
    {"comm", true},
    {"cut", true},
    {"date", false, false, "sfr", "set file reference", Operands::plus_only},
    {"df", true},
    {"diff", true},
    {"dirname", false},
    {"du", true},
    {"echo", false},
    {"env", false, false, "", "", Operands::no_arguments},
    {"expand", true},
    {"false", false},
    {"file", true, false, "Cz", "compile uncompress"},
    {"fold", true},
    {"free", false},
    {"grep", true, true},
    {"head", true},
    {"hexdump", true},
    {"hostname", false, false, "", "", Operands::no_arguments},
    {"id", false},
    {"jq", true, true},
    {"ls", true},
    {"md5sum", true},
    {"nl", true},
    {"nproc", false},
    {"od", true},
    {"paste", true},
    {"printenv", false},
    {"printf", false, false, "v"},
    {"pwd", false},
    {"readlink", true},
    {"realpath", true},
    {"rev", true},
    {"rg", true, true, "z", "pre search-zip hostname-bin"},
    {"seq", false},
    {"sha1sum", true},
    {"sha256sum", true},
    {"sha512sum", true},
    {"sleep", false},
    {"sort", true, false, "oT", "output compress-program temporary-directory"},
    {"stat", true},
    {"strings", true},
    {"tac", true},
    {"tail", true},
    {"test", true, false, "vR"},
    {"tr", false},
    {"tree", true, false, "oR"},
    {"true", false},
    {"type", false},
    {"uname", false},
    {"uniq", true, false, "", "", Operands::one},
    {"uptime", false},
    {"wc", true},
    {"which", false},
    {"whoami", false},
});

/// What makes a reading command read more than its operands and what is below them.
struct Further {
  std::string_view name;
  std::string_view letters;
  std::string_view options;
};
constexpr std::array kFurther = std::to_array<Further>({
    {"diff", "r", "recursive"},
    {"du", "L", "dereference files0-from"},
    {"file", "f", "files-from"},
    {"grep", "R", "dereference-recursive"},
    {"ls", "L", "dereference"},
    {"md5sum", "c", "check"},
    {"rg", "L", "follow"},
    {"sha1sum", "c", "check"},
    {"sha256sum", "c", "check"},
    {"sha512sum", "c", "check"},
    {"sort", "", "files0-from"},
    {"tree", "l", ""},
    {"wc", "", "files0-from"},
});

/// Of git: what it may be followed by. `only`: nothing but these.
struct GitCommand {
  std::string_view name;
  std::string_view only = "";
};
constexpr std::string_view kValuesOfGit = "-C -c --git-dir --work-tree --namespace --config-env";
constexpr std::string_view kGitShowing =
    "grep show cat-file diff blame annotate archive format-patch whatchanged difftool diff-tree "
    "diff-index diff-files stash";
constexpr std::string_view kHarmlessOfGitLog =
    "-- -i -s -sb -b --short --branch --porcelain --untracked-files --ignored --oneline --stat "
    "--graph --all --decorate --no-decorate --max-count --format --pretty --author --since --until "
    "--after --before --reverse --name-only --name-status --shortstat --numstat --no-merges "
    "--merges --grep --date --abbrev-commit --follow --first-parent --no-color";
constexpr std::string_view kForbiddenOfGit =
    "output ext-diff textconv filters exec-path open-files-in-pager no-index show-signature dirty "
    "broken";
constexpr std::array kGit = std::to_array<GitCommand>({
    {"blame"},
    {"branch", "-a -r -v -vv -l --all --remotes --list --verbose --show-current --no-color"},
    {"cat-file"},
    {"check-ignore"},
    {"count-objects"},
    {"describe"},
    {"diff"},
    {"for-each-ref"},
    {"grep"},
    {"log"},
    {"ls-files"},
    {"ls-tree"},
    {"merge-base"},
    {"name-rev"},
    {"reflog", "show"},
    {"remote", "-v --verbose"},
    {"rev-list"},
    {"rev-parse"},
    {"shortlog"},
    {"show"},
    {"stash", "list"},
    {"status"},
    {"tag", "-l --list -n"},
    {"worktree", "list"},
});

/// Arguments that make a reading command read what none of its words names.
struct Refused {
  std::string_view name;
  std::string_view letters;  // in "-abc"
  std::string_view options;  // in "--option", parted by blanks
  std::string_view words;    // anywhere in an argument, parted by blanks
  std::string_view first;    // what an argument begins with
};
constexpr std::array kRefused = std::to_array<Refused>({
    {"jq", "fL", "from-file library-path", "import include", ""},
    {"strings", "", "", "", "@"},  // a file with further arguments
});

/// The letters of ps that take the next word, if they end theirs.
constexpr std::string_view kValuesOfPs = "oOCuUpqgGsk";
constexpr std::string_view kBareValuesOfPs = "oOUpqk";
constexpr std::string_view kLongValuesOfPs = "--sort --format --pid --ppid --user --group";

constexpr std::array<std::string_view, 9> kFindActions{
    "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"};

bool contains_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const auto one = list.substr(0, list.find(' '));
    if (one == word) return true;
    list.remove_prefix(std::min(list.size(), one.size() + 1));
  }
  return false;
}

/// A long option may be shortened: "--out" is "--output".
bool is_forbidden_option(std::string_view word, std::string_view options) {
  const auto name = word.substr(2, word.find('=') - 2);
  while (!options.empty()) {
    const auto one = options.substr(0, options.find(' '));
    if (!name.empty() && one.starts_with(name)) return true;
    options.remove_prefix(std::min(options.size(), one.size() + 1));
  }
  return false;
}

bool is_forbidden(std::string_view word, std::string_view letters, std::string_view options) {
  if (word.starts_with("--")) return is_forbidden_option(word, options);
  if (!word.starts_with('-')) return false;
  return word.find_first_of(letters, 1) != std::string_view::npos;
}

/// Whether the shell cannot make an option of it that we do not see.
bool is_plain(const ShellWord& word) {
  return word.literal || (word.pattern && word.certain && !word.text.starts_with('-'));
}

bool operands_are_fine(Words arguments, Operands operands) {
  if (operands == Operands::no_arguments) return arguments.empty();
  std::size_t count = 0;
  for (const auto& word : arguments) {
    if (!word.literal || word.text == "--") return false;
    if (word.text.starts_with('-') && word.text != "-") continue;
    ++count;
    if (operands == Operands::plus_only && !word.text.starts_with('+')) return false;
  }
  return operands != Operands::one || count <= 1;
}

bool arguments_are_fine(const Known& known, Words arguments) {
  const bool choosy = !known.letters.empty() || !known.options.empty();
  if (choosy && !std::ranges::all_of(arguments, is_plain)) return false;
  for (const auto& word : arguments) {
    if (is_forbidden(word.text, known.letters, known.options)) return false;
  }
  return known.operands == Operands::any || operands_are_fine(arguments, known.operands);
}

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether a text has the word somewhere, not as a part of a longer one.
bool has_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool begins = at == 0 || !is_of_word(text[at - 1]);
    if (begins && (end == text.size() || !is_of_word(text[end]))) return true;
  }
  return false;
}

bool has_some_word(std::string_view text, std::string_view words) {
  while (!words.empty()) {
    const auto one = words.substr(0, words.find(' '));
    if (has_word(text, one)) return true;
    words.remove_prefix(std::min(words.size(), one.size() + 1));
  }
  return false;
}

bool is_refused(std::string_view name, Words arguments) {
  const auto refused = std::ranges::find(kRefused, name, &Refused::name);
  return refused != kRefused.end() && std::ranges::any_of(arguments, [&](const ShellWord& word) {
           return is_forbidden(word.text, refused->letters, refused->options) ||
                  has_some_word(word.text, refused->words) ||
                  (!refused->first.empty() && word.text.starts_with(refused->first));
         });
}

bool takes_next_word(std::string_view word) {
  if (word.starts_with("--")) return contains_word(kLongValuesOfPs, word);
  const bool bare = !word.starts_with('-');
  return word.find_first_of(bare ? kBareValuesOfPs : kValuesOfPs, bare ? 0 : 1) == word.size() - 1;
}

/// "e" among letters without a dash shows the variables of every process.
std::optional<ReadingCommand> reading_ps(Words arguments) {
  bool is_value = false;
  for (const auto& word : arguments) {
    if (!word.literal || word.text.empty()) return std::nullopt;
    const bool letters = !is_value && !word.text.starts_with('-');
    if (letters && word.text.find('e') != std::string::npos) return std::nullopt;
    is_value = !is_value && takes_next_word(word.text);
  }
  return ReadingCommand{false, false};
}

std::optional<ReadingCommand> reading_find(Words arguments) {
  for (const auto& word : arguments) {
    if (!is_plain(word)) return std::nullopt;
    for (const auto action : kFindActions) {
      if (word.text == action) return std::nullopt;
    }
    if (word.text.starts_with("-files0")) return std::nullopt;
  }
  return ReadingCommand{};
}

std::optional<ReadingCommand> reading_git(Words arguments) {
  if (!std::ranges::all_of(arguments, is_plain)) return std::nullopt;
  while (!arguments.empty() && arguments.front().is("--no-pager")) arguments = arguments.subspan(1);
  if (arguments.empty()) return std::nullopt;
  const auto known =
      std::ranges::find(kGit, std::string_view(arguments.front().text), &GitCommand::name);
  if (known == kGit.end()) return std::nullopt;
  arguments = arguments.subspan(1);
  const bool must_say = known->name == "stash" || known->name == "worktree";
  if (must_say && arguments.empty()) return std::nullopt;
  for (const auto& word : arguments) {
    if (!known->only.empty() && !contains_word(known->only, word.text)) return std::nullopt;
    if (is_forbidden(word.text, "O", kForbiddenOfGit)) return std::nullopt;
    if (word.text.find("%G") != std::string::npos) return std::nullopt;  // asks gpg
  }
  return ReadingCommand{};
}

/// "12p", "1,20p", "$p".
bool is_print_script(std::string_view script) {
  return script.size() > 1 && script.ends_with('p') &&
         script.find_first_not_of("0123456789,$") == script.size() - 1;
}

std::optional<ReadingCommand> reading_sed(Words arguments) {
  if (arguments.size() < 2 || !arguments[0].is("-n") || !arguments[1].literal ||
      !is_print_script(arguments[1].text)) {
    return std::nullopt;
  }
  for (const auto& word : arguments.subspan(2)) {
    if (!is_plain(word) || word.text.starts_with('-')) return std::nullopt;
  }
  return ReadingCommand{true, true};
}

/// "s/a/b/g": a substitution that writes no file and runs nothing.
bool is_plain_substitution(std::string_view script) {
  if (script.size() < 4 || script[0] != 's') return false;
  const char delimiter = script[1];
  if (delimiter == '\\' || delimiter == '\n' || script.find('\n') != std::string_view::npos)
    return false;
  int seen = 0;
  std::size_t at = 1;
  for (; at < script.size() && seen < 3; ++at) {
    if (script[at] == '\\') {
      ++at;
    } else if (script[at] == delimiter) {
      ++seen;
    }
  }
  return seen == 3 && at <= script.size() &&
         script.find_first_not_of("gIip0123456789", at) == std::string_view::npos;
}

std::optional<FileCommand> changing_sed(Words words) {
  bool in_place = false;
  std::size_t at = 1;
  for (; at < words.size() && words[at].text.starts_with('-'); ++at) {
    const auto& option = words[at].text;
    if (option == "-i") in_place = true;
    if (option != "-i" && option != "-E" && option != "-r") return std::nullopt;
  }
  if (!in_place || at + 1 >= words.size()) return std::nullopt;
  if (!is_plain_substitution(words[at].text)) return std::nullopt;
  const auto is_option = [](const ShellWord& word) { return word.text.starts_with('-'); };
  if (std::ranges::any_of(words.subspan(at + 1), is_option)) return std::nullopt;
  return FileCommand{at + 1, false};
}

constexpr std::array<std::string_view, 6> kChanging{"cp", "mkdir", "mv", "rm", "rmdir", "touch"};
constexpr std::string_view kHarmlessLetters = "rRfpvadinumT";
constexpr std::string_view kHarmlessOptions =
    "-- -t --recursive --force --parents --verbose --no-clobber --archive --preserve";

/// Its value, if it has one, is a word of its own, which is then looked at like a file.
bool is_harmless_option(std::string_view word) {
  if (contains_word(kHarmlessOptions, word)) return true;
  return !word.starts_with("--") &&
         word.find_first_not_of(kHarmlessLetters, 1) == std::string_view::npos;
}

}  // namespace

std::optional<ReadingCommand> reading_command(const ShellCommand& command) {
  if (!command.assignments.empty() || command.words.empty() || !command.words[0].literal) {
    return std::nullopt;
  }
  const std::string_view name = command.words[0].text;
  const auto arguments = Words(command.words).subspan(1);
  if (name == "find") return reading_find(arguments);
  if (name == "git") return reading_git(arguments);
  if (name == "sed") return reading_sed(arguments);
  if (name == "ps") return reading_ps(arguments);
  if (is_refused(name, arguments)) return std::nullopt;
  const auto known = std::ranges::find(kReading, name, &Known::name);
  if (known == kReading.end() || !arguments_are_fine(*known, arguments)) return std::nullopt;
  return ReadingCommand{known->names_files, known->pattern_first};
}

bool git_shows_contents(const ShellCommand& command) {
  auto arguments = Words(command.words);
  if (arguments.empty() || !arguments[0].is("git")) return false;
  arguments = arguments.subspan(1);
  while (!arguments.empty() && arguments.front().text.starts_with('-')) {
    const bool value = contains_word(kValuesOfGit, arguments.front().text);
    arguments = arguments.subspan(std::min<std::size_t>(arguments.size(), value ? 2 : 1));
  }
  if (arguments.empty()) return false;
  const auto name = std::string_view(arguments.front().text);
  if (!arguments.front().literal || contains_word(kGitShowing, name)) return true;
  const auto shows = [](const ShellWord& word) {
    const std::string_view text = word.text;
    if (!word.literal && !is_plain(word)) return true;
    if (!text.starts_with('-')) return false;
    const bool number = text.find_first_not_of("0123456789", text.starts_with("-n") ? 2 : 1) ==
                        std::string_view::npos;
    return !number && !contains_word(kHarmlessOfGitLog, text.substr(0, text.find('=')));
  };
  return (name == "log" || name == "status") && std::ranges::any_of(arguments, shows);
}

bool reads_further(const ShellCommand& command) {
  if (command.words.empty()) return false;
  const std::string_view name = command.words[0].text;
  const auto has = [&](std::string_view option) {
    return std::ranges::any_of(command.words,
                               [&](const ShellWord& word) { return word.is(option); });
  };
  if (name == "find") return has("-L") || has("-H") || has("-follow");
  if (name == "diff" && has("--no-dereference")) return false;
  const auto known = std::ranges::find(kFurther, name, &Further::name);
  return known != kFurther.end() && std::ranges::any_of(command.words, [&](const ShellWord& word) {
           return is_forbidden(word.text, known->letters, known->options);
         });
}

std::optional<FileCommand> file_command(const ShellCommand& command) {
  if (!command.assignments.empty() || command.words.size() < 2) return std::nullopt;
  const auto literal = [](const ShellWord& word) { return word.literal; };
  if (!std::ranges::all_of(command.words, literal)) return std::nullopt;
  const std::string_view name = command.words[0].text;
  if (name == "sed") return changing_sed(command.words);
  if (std::ranges::find(kChanging, name) == kChanging.end()) return std::nullopt;
  for (const auto& word : command.words) {
    if (word.text == "--") break;
    if (word.text.starts_with('-') && !is_harmless_option(word.text)) return std::nullopt;
  }
  return FileCommand{1, name == "rm" || name == "rmdir"};
}

}  // namespace ralph::tool
