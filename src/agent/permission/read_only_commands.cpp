#include "agent/permission/read_only_commands.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "agent/permission/read_only_impl.h"
#include "core/base/text.h"

namespace ralph::permission {
namespace {

/// The meaning of the operands.
enum class Operands {
  words,     // no files, and all options only read
  no_words,  // no arguments allowed
  files,
  one_file,       // a second one would be written
  pattern_files,  // the first is a pattern unless an option gives it
};

struct ReadingRow {
  std::string_view name;
  Operands operands;
  OptionTable options = {};
};

constexpr OptionTable kSums{"btz", "binary text tag zero"};

constexpr OptionTable kDiff{
    "qscueynabBEitTwZpdrN0123456789C:U:W:I:F:x:",
    "brief report-identical-files context unified side-by-side width left-column "
    "suppress-common-lines show-c-function show-function-line expand-tabs initial-tab tabsize "
    "ignore-case ignore-space-change ignore-blank-lines ignore-trailing-space ignore-all-space "
    "ignore-tab-expansion ignore-matching-lines text strip-trailing-cr minimal "
    "speed-large-files color recursive no-dereference new-file exclude normal ed rcs label"};

constexpr OptionTable kGrep{
    "EFGPivwxcLloqsbHhnTZaIrUzy0123456789e:m:A:B:C:",
    "extended-regexp fixed-strings basic-regexp perl-regexp regexp ignore-case no-ignore-case "
    "invert-match word-regexp line-regexp count color colour files-without-match "
    "files-with-matches max-count only-matching quiet silent no-messages byte-offset "
    "with-filename no-filename line-number initial-tab null after-context before-context context "
    "text binary-files exclude exclude-dir include recursive line-buffered null-data"};

constexpr OptionTable kLs{
    "aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ1I:T:w:",
    "all almost-all author escape block-size color directory classify file-type full-time "
    "group-directories-first no-group human-readable si hide ignore inode indicator-style literal "
    "numeric-uid-gid quote-name quoting-style reverse recursive size sort time time-style width"};

constexpr OptionTable kRg{
    "FHINPSUacilnopqsuvwx0.A:B:C:E:M:d:e:g:j:m:r:t:T:",
    "after-context before-context context case-sensitive color colors column count count-matches "
    "files files-with-matches files-without-match fixed-strings glob heading no-heading hidden "
    "iglob ignore-case invert-match json line-number no-line-number line-regexp max-columns "
    "max-count max-depth max-filesize multiline multiline-dotall no-ignore no-ignore-vcs "
    "no-filename with-filename null only-matching passthru pcre2 pretty quiet regexp replace "
    "smart-case sort sortr stats text trim type type-not type-list unrestricted vimgrep "
    "word-regexp no-messages no-config no-follow"};

constexpr OptionTable kSort{
    "bdfghiMnRrVuszcCmk:t:S:",
    "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort "
    "ignore-nonprinting month-sort numeric-sort random-sort reverse version-sort sort check key "
    "field-separator unique stable zero-terminated merge buffer-size parallel debug"};

constexpr std::array kReadingCommands = std::to_array<ReadingRow>({
    {":", Operands::words},
    {"basename", Operands::words},
    {"cat",
     Operands::files,
     {"AbeEnstTuv",
      "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting"}},
    {"cksum", Operands::files, {"za:l:", "algorithm length tag untagged zero"}},
    {"cmp", Operands::files, {"blsi:n:", "print-bytes ignore-initial verbose bytes quiet silent"}},
    {"column",
     Operands::files,
     {"txeLJdc:s:o:N:R:H:T:O:W:l:",
      "table columns separator output-separator table-columns table-right json fillrows"}},
    {"comm",
     Operands::files,
     {"123z", "check-order nocheck-order output-delimiter total zero-terminated"}},
    {"cut",
     Operands::files,
     {"nszb:c:d:f:",
      "bytes characters delimiter fields complement only-delimited output-delimiter "
      "zero-terminated"}},
    {"df",
     Operands::files,
     {"ahHiklmPTB:t:x:",
      "all block-size human-readable si inodes local portability total type print-type "
      "exclude-type output"}},
    {"diff", Operands::files, kDiff},
    {"dirname", Operands::words},
    {"du",
     Operands::files,
     {"0abchklmsSxd:t:B:",
      "null all apparent-size block-size bytes total max-depth human-readable si summarize "
      "separate-dirs threshold one-file-system exclude time time-style"}},
    {"echo", Operands::words},
    {"expand", Operands::files, {"it:", "initial tabs"}},
    {"false", Operands::words},
    {"file",
     Operands::files,
     {"bikNrLh0", "brief mime mime-type mime-encoding keep-going no-pad raw dereference print0"}},
    {"fold", Operands::files, {"bsw:", "bytes spaces width"}},
    {"free", Operands::words},
    {"grep", Operands::pattern_files, kGrep},
    {"head",
     Operands::files,
     {"qvz0123456789n:c:", "lines bytes quiet silent verbose zero-terminated"}},
    {"hexdump", Operands::files, {"bcCdovxn:s:", "canonical length skip no-squeezing"}},
    {"hostname", Operands::no_words},
    {"id", Operands::words},
    {"ls", Operands::files, kLs},
    {"md5sum", Operands::files, kSums},
    {"nl",
     Operands::files,
     {"pb:d:f:h:i:l:n:s:v:w:",
      "body-numbering section-delimiter footer-numbering header-numbering line-increment "
      "number-format number-separator starting-line-number number-width"}},
    {"nproc", Operands::words},
    {"od",
     Operands::files,
     {"abcdfilosvxA:j:N:S:t:w?",
      "address-radix endian skip-bytes read-bytes strings format output-duplicates width"}},
    {"paste", Operands::files, {"szd:", "delimiters serial zero-terminated"}},
    {"pwd", Operands::words},
    {"readlink",
     Operands::files,
     {"femnqsvz",
      "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent zero"}},
    {"realpath",
     Operands::files,
     {"emLPqsz",
      "canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero"}},
    {"rev", Operands::files},
    {"rg", Operands::pattern_files, kRg},
    {"seq", Operands::words},
    {"sha1sum", Operands::files, kSums},
    {"sha256sum", Operands::files, kSums},
    {"sha512sum", Operands::files, kSums},
    {"sleep", Operands::words},
    {"sort", Operands::files, kSort},
    {"stat", Operands::files, {"Lftc:", "dereference file-system format printf terse"}},
    {"strings", Operands::files, {"afw0123456789n:t:e:s:", "all print-file-name bytes radix"}},
    {"tac", Operands::files, {"brs:", "before regex separator"}},
    {"tail",
     Operands::files,
     {"fqvz0123456789n:c:s:", "lines bytes quiet silent verbose zero-terminated pid"}},
    {"tr", Operands::words},
    {"tree",
     Operands::files,
     {"adfipshugDFqNQCnxrtcUvSAJXL:P:I:",
      "dirsfirst filesfirst filelimit noreport prune du si inodes device sort charset matchdirs "
      "ignore-case gitignore metafirst"}},
    {"true", Operands::words},
    {"type", Operands::words},
    {"uname", Operands::words},
    {"uniq",
     Operands::one_file,
     {"cdDuizf:s:w:",
      "count repeated all-repeated skip-fields group ignore-case skip-chars unique "
      "zero-terminated check-chars"}},
    {"uptime", Operands::words},
    {"wc", Operands::files, {"cmlLw", "bytes chars lines max-line-length words total"}},
    {"which", Operands::words},
    {"whoami", Operands::words},
});

struct Special {
  std::string_view name;
  std::optional<ReadingCommand> (*judge)(Words arguments);
};
constexpr std::array kSpecial = std::to_array<Special>({
    {"cd", reading_cd},
    {"command", reading_command_builtin},
    {"date", reading_date},
    {"find", reading_find},
    {"git", reading_git},
    {"jq", reading_jq},
    {"printf", reading_printf},
    {"ps", reading_ps},
    {"sed", reading_sed},
    {"test", reading_test},
});

/// Variables whose values are not secret. The model needs permission to see any other.
constexpr std::string_view kShownVariables =
    "HOME USER LOGNAME PWD OLDPWD PATH SHELL LANG LANGUAGE LC_ALL LC_CTYPE TERM TMPDIR HOSTNAME "
    "HOSTTYPE MACHTYPE OSTYPE UID EUID PPID GROUPS SHLVL RANDOM SECONDS LINENO EPOCHSECONDS "
    "EPOCHREALTIME BASH BASH_VERSION BASHPID COLUMNS LINES EDITOR VISUAL PAGER TZ VIRTUAL_ENV "
    "CONDA_PREFIX NODE_ENV GOPATH GOROOT JAVA_HOME CARGO_HOME RUSTUP_HOME XDG_CONFIG_HOME "
    "XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR DISPLAY CI";

bool shows_only_known(const std::vector<ShellWord>& words) {
  return std::ranges::all_of(words, [](const ShellWord& word) {
    return !word.captures && std::ranges::all_of(word.variables, [](const std::string& name) {
      return has_word(kShownVariables, name);
    });
  });
}

bool gives_pattern(std::string_view name, const Arguments& arguments) {
  if (arguments.has("-e") || arguments.has("--regexp")) return true;
  return name == "rg" && (arguments.has("--files") || arguments.has("--type-list"));
}

/// For "@FILE" programs of binutils read further arguments from FILE.
bool names_arguments(const ShellWord& word) { return word.text.starts_with('@'); }

std::optional<ReadingCommand> read_row(const ReadingRow& row, Words words) {
  if (row.operands == Operands::words) return ReadingCommand{.names_files = false};
  if (row.operands == Operands::no_words && !words.empty()) return std::nullopt;
  auto arguments = read_arguments(words, row.options);
  if (!arguments) return std::nullopt;
  auto& files = arguments->operands;
  if (row.operands == Operands::one_file && files.size() > 1) return std::nullopt;
  if (row.operands == Operands::one_file && !files.empty() && !files[0].literal)
    return std::nullopt;
  if (row.operands == Operands::pattern_files && !gives_pattern(row.name, *arguments)) {
    if (files.empty() || !files.front().literal) return std::nullopt;
    files.erase(files.begin());
  }
  if (row.name == "strings" && std::ranges::any_of(files, names_arguments)) return std::nullopt;
  const bool recursive = arguments->has("-r") || arguments->has("--recursive");
  if (row.name == "diff") {
    const bool follows = !arguments->has("--no-dereference");
    if (recursive && follows) return std::nullopt;
    return ReadingCommand{std::move(files), true, true, follows};
  }
  const bool below = row.operands == Operands::pattern_files && (row.name == "rg" || recursive);
  return ReadingCommand{std::move(files), true, below};
}

}  // namespace

std::optional<ReadingCommand> reading_command(const ShellCommand& command) {
  if (!command.assignments.empty() || command.words.empty() || !command.words[0].literal ||
      !shows_only_known(command.words) || !shows_only_known(command.here_strings)) {
    return std::nullopt;
  }
  const std::string_view name = command.words[0].text;
  auto words = Words(command.words).subspan(1);
  if (name == "[") {
    if (words.empty() || !words.back().is("]")) return std::nullopt;
    return reading_test(words.first(words.size() - 1));
  }
  if (const auto special = std::ranges::find(kSpecial, name, &Special::name);
      special != kSpecial.end()) {
    return special->judge(words);
  }
  const auto row = std::ranges::find(kReadingCommands, name, &ReadingRow::name);
  return row == kReadingCommands.end() ? std::nullopt : read_row(*row, words);
}

}  // namespace ralph::permission
