#include <algorithm>
#include <array>
#include <string_view>

#include "agent/permission/read_only_impl.h"
#include "core/base/text.h"

namespace ralph::permission {
namespace {

constexpr std::string_view kDigits = "0123456789";

/// Removes leading characters of a set.
void skip(std::string_view& text, std::string_view set) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(set)));
}

/// Parses what follows "%" in a printf format. "%n" is not allowed: bash stores a number in a variable.
bool is_plain_conversion(std::string_view& text) {
  skip(text, "-+ #0'");
  skip(text, "0123456789*");
  if (text.starts_with('.')) text.remove_prefix(1);
  skip(text, "0123456789*");
  if (text.starts_with('(')) {  // %(format)T
    const auto end = text.find_first_of("()", 1);
    if (end == std::string_view::npos || text.substr(end, 2) != ")T") return false;
    text.remove_prefix(end + 2);
    return true;
  }
  skip(text, "hlLjzt");
  if (text.empty() || std::string_view("diouxXeEfFgGaAcsbqQ%").find(text[0]) == text.npos)
    return false;
  text.remove_prefix(1);
  return true;
}

constexpr std::string_view kTestOperators =
    "-e -f -d -r -w -x -s -L -h -b -c -p -S -g -k -u -O -G -N -z -n -t -eq -ne -lt -le -gt -ge -nt "
    "-ot -ef -a -o";
constexpr std::string_view kTestSymbols = "! ( ) = == != < >";

/// Arguments of find: without a value, with a value that is not a file, with a file.
constexpr std::string_view kFindPlain =
    "-P -empty -depth -d -mount -xdev -nouser -nogroup -print -print0 -ls -prune -quit -not ! -a "
    "-and -o -or ( ) , -true -false -daystart -readable -writable -executable -noleaf";
constexpr std::string_view kFindValue =
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size "
    "-mtime -mmin -atime -amin -ctime -cmin -newermt -newerat -newerct -maxdepth -mindepth -perm "
    "-user -group -uid -gid -links -inum -printf -lname -ilname -fstype -used";
constexpr std::string_view kFindFile = "-newer -anewer -cnewer -samefile";

constexpr OptionTable kJq{
    "nrcsSeaCMjR",
    "null-input raw-output compact-output slurp sort-keys exit-status ascii-output color-output "
    "monochrome-output join-output raw-input tab seq stream"};

/// Words with which a jq program reads other files or environment variables.
constexpr std::string_view kJqReading = "import include env ENV modulemeta";

/// The letters of ps, with and without a dash; those that take a value, at the end of a word the next word.
constexpr std::string_view kLettersOfPs = "aAdefFHjlLMNTuUxwcovOpqCtsgGkyZ";
constexpr std::string_view kBareLettersOfPs = "aAfHjlLmrSTuUvwxcopOqtkngX";
constexpr std::string_view kValuesOfPs = "oOCuUpqgGstk";
constexpr std::string_view kBareValuesOfPs = "oOUpqtk";
constexpr std::string_view kLongOptionsOfPs =
    "--sort --format --pid --ppid --user --group --forest --no-headers --headers --width --cols";
constexpr std::string_view kLongValuesOfPs = "--sort --format --pid --ppid --user --group";

bool takes_next_word(std::string_view word) {
  if (word.starts_with("--")) return has_word(kLongValuesOfPs, word);
  const bool bare = !word.starts_with('-');
  return word.find_first_of(bare ? kBareValuesOfPs : kValuesOfPs, bare ? 0 : 1) == word.size() - 1;
}

bool is_word_of_ps(std::string_view word) {
  if (word.starts_with("--")) return has_word(kLongOptionsOfPs, word.substr(0, word.find('=')));
  if (word.find_first_not_of("0123456789,") == word.npos) return true;  // process ids
  const bool bare = !word.starts_with('-');
  if (!bare) word.remove_prefix(1);
  // After a letter that takes a value, the rest of the word is the value.
  const auto value = word.find_first_of(bare ? kBareValuesOfPs : kValuesOfPs);
  const auto letters = word.substr(0, value == word.npos ? word.npos : value + 1);
  return letters.find_first_not_of(bare ? kBareLettersOfPs : kLettersOfPs) == letters.npos;
}

/// "12p", "1,20p", "$p".
bool is_print_script(std::string_view script) {
  return script.size() > 1 && script.ends_with('p') &&
         script.find_first_not_of("0123456789,$") == script.size() - 1;
}

}  // namespace

/// One directory by name; "-" and no operand depend on variables. CommandFiles follows it.
std::optional<ReadingCommand> reading_cd(Words arguments) {
  if (arguments.size() != 1 || !arguments[0].literal || arguments[0].text.empty() ||
      arguments[0].text.starts_with('-')) {
    return std::nullopt;
  }
  return ReadingCommand{};
}

/// `command -v NAME`.
std::optional<ReadingCommand> reading_command_builtin(Words arguments) {
  if (arguments.empty() || !(arguments[0].is("-v") || arguments[0].is("-V"))) return std::nullopt;
  return ReadingCommand{.names_files = false};
}

std::optional<ReadingCommand> reading_date(Words arguments) {
  const auto read =
      read_arguments(arguments, {"uRI?d:", "utc universal iso-8601 rfc-3339 rfc-email date"});
  if (!read) return std::nullopt;
  for (const auto& word : read->operands) {
    if (!word.literal || !word.text.starts_with('+')) return std::nullopt;
  }
  for (const auto& value : read->values) {
    if (value.find("TZ") != std::string::npos) return std::nullopt;  // may name a file
  }
  return ReadingCommand{.names_files = false};
}

std::optional<ReadingCommand> reading_find(Words arguments) {
  ReadingCommand found;
  bool expression = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& word = arguments[i];
    const auto& text = word.text;
    if (!is_plain(word)) return std::nullopt;
    const bool starts = text.starts_with('-') || has_word("! ( ) ,", text);
    if (!starts) {
      if (expression) return std::nullopt;
      found.files.push_back(word);
      continue;
    }
    if (!word.literal) return std::nullopt;
    expression = expression || text != "-P";
    if (has_word(kFindPlain, text)) continue;
    const bool file = has_word(kFindFile, text);
    if (!file && !has_word(kFindValue, text)) return std::nullopt;
    ++i;
    if (i >= arguments.size() || !arguments[i].literal) return std::nullopt;
    if (file) found.files.push_back(arguments[i]);
  }
  return found;
}

std::optional<ReadingCommand> reading_jq(Words arguments) {
  std::vector<ShellWord> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool binds = arguments[i].is("--arg") || arguments[i].is("--argjson");
    if (arguments[i].is("--")) return std::nullopt;
    if (binds && i + 2 < arguments.size() && arguments[i + 1].literal && arguments[i + 2].literal) {
      i += 2;
    } else {
      rest.push_back(arguments[i]);
    }
  }
  auto read = read_arguments(rest, kJq);
  if (!read || read->operands.empty() || !read->operands[0].literal) return std::nullopt;
  for (const auto& word : read->operands) {
    if (mentions_word(word.text, kJqReading)) return std::nullopt;
  }
  return ReadingCommand{{read->operands.begin() + 1, read->operands.end()}};
}

std::optional<ReadingCommand> reading_printf(Words arguments) {
  if (arguments.empty() || !arguments[0].literal || arguments[0].text.starts_with('-'))
    return std::nullopt;
  std::string_view format = arguments[0].text;
  for (auto at = format.find('%'); at != format.npos; at = format.find('%')) {
    format.remove_prefix(at + 1);
    if (!is_plain_conversion(format)) return std::nullopt;
  }
  return ReadingCommand{.names_files = false};
}

/// "e" among letters without a dash shows the environment of every process.
std::optional<ReadingCommand> reading_ps(Words arguments) {
  bool is_value = false;
  for (const auto& word : arguments) {
    if (!word.literal || word.text.empty()) return std::nullopt;
    if (word.text.find("env") != std::string::npos) return std::nullopt;
    if (!is_value && !is_word_of_ps(word.text)) return std::nullopt;
    const bool letters = !is_value && !word.text.starts_with('-');
    if (letters && word.text.find('e') != std::string::npos) return std::nullopt;
    is_value = !is_value && takes_next_word(word.text);
  }
  return ReadingCommand{.names_files = false};
}

std::optional<ReadingCommand> reading_sed(Words arguments) {
  if (arguments.size() < 2 || !arguments[0].is("-n") || !arguments[1].literal ||
      !is_print_script(arguments[1].text)) {
    return std::nullopt;
  }
  for (const auto& word : arguments.subspan(2)) {
    if (!is_plain(word) || word.text.starts_with('-')) return std::nullopt;
  }
  const auto files = arguments.subspan(2);
  return ReadingCommand{{files.begin(), files.end()}};
}

/// "-v" and "-R" are not allowed: bash evaluates the subscript of their operand.
std::optional<ReadingCommand> reading_test(Words arguments) {
  ReadingCommand found;
  for (const auto& word : arguments) {
    if (word.text == "$?" || word.text == "$#") continue;
    if (!word.literal) return std::nullopt;
    if (has_word(kTestOperators, word.text) || has_word(kTestSymbols, word.text)) continue;
    const bool number = word.text.starts_with('-') && word.text.size() > 1 &&
                        word.text.find_first_not_of(kDigits, 1) == std::string::npos;
    if (number) continue;
    if (word.text.starts_with('-')) return std::nullopt;
    if (!word.text.empty()) found.files.push_back(word);
  }
  return found;
}

}  // namespace ralph::permission
