#include "agent/permission/hidden_commands.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "agent/permission/command_options.h"
#include "agent/permission/file_commands.h"
#include "agent/permission/git_arguments.h"
#include "agent/permission/read_only_impl.h"
#include "core/base/path.h"
#include "core/base/text.h"

namespace ralph::permission {
namespace {

/// Programs that run commands given as text, as input or for later.
constexpr std::string_view kOpaque =
    "bash sh dash zsh ksh mksh ash fish csh tcsh busybox toybox coproc trap xargs env watch script "
    "su sg eval source . alias hash enable shopt [[ chroot function runuser parallel unshare at "
    "batch crontab compgen complete bind fc let mapfile readarray rbash nsenter systemd-run";

/// Programs that run one of their arguments as a command.
constexpr std::string_view kWrappers =
    "sudo doas pkexec timeout nice ionice nohup time command builtin exec setsid stdbuf setpriv "
    "taskset flock chrt strace ltrace prlimit numactl gdb perf valgrind rlwrap fakeroot firejail "
    "bwrap ssh sshpass dbus-run-session xvfb-run runcon cgexec chpst softlimit setarch linux32 "
    "linux64 i386 x86_64 unbuffer expect catchsegv eatmydata proxychains torsocks newgrp";

/// Options with which sudo starts a shell that reads commands from its input.
constexpr std::string_view kShellOptions = "-s -i --shell --login";

/// Builtins that evaluate the subscript in the name of a variable.
constexpr std::string_view kNaming =
    "declare typeset local readonly export read getopts unset wait";
/// Variables whose value the shell evaluates or runs.
constexpr std::string_view kEvaluated =
    "PS4 PS0 PS1 PS2 BASH_ENV ENV PROMPT_COMMAND BASH_LOADABLES_PATH";

/// Commands that never run an argument.
constexpr std::string_view kStartNothing =
    "basename cat cd chgrp chmod chown cmp comm continue cp curl cut date dd declare df diff "
    "dirname "
    "du echo exit export file fold for getopts grep head id join kill ln local ls md5sum mkdir "
    "mkfifo mktemp mv nl od paste popd printf pushd pwd read readlink readonly realpath return rev "
    "rm rmdir seq set sha1sum sha256sum sha512sum shift sleep stat tac tail tee test touch tr "
    "truncate typeset umask uname unset wait wc [ : true false break";
/// Words that expand to a number.
constexpr std::string_view kNumbers = "-j$(nproc) $(nproc)";

std::string_view program_of(const ShellWord& word) { return base_name(word.text); }

std::string why_not_clear(const ShellWord& word) {
  if (has_word(kOpaque, program_of(word)))
    return fmt::format("'{}' runs other commands", word.text);
  if (!word.literal) return fmt::format("'{}' is not a plain command name", word.text);
  return {};
}

bool may_evaluate(std::string_view name, Words arguments) {
  if (name == "printf") return !reading_printf(arguments);
  const auto has = [&](auto test) { return std::ranges::any_of(arguments, test); };
  if (name == "test" || name == "[") {
    return has([](const ShellWord& word) { return word.text == "-v" || word.text == "-R"; });
  }
  return has_word(kNaming, name) && has([](const ShellWord& word) {
           const std::string_view text = word.text;
           const bool attributes = text.starts_with('-') && text.find_first_of("in") != text.npos;
           const auto variable = text.substr(0, text.find('='));
           return attributes || variable.find_first_of("[$") != variable.npos;
         });
}

/// Checks the arguments of an unknown program, which may run them.
std::string why_carries(Words arguments) {
  for (const auto& word : arguments) {
    if (word.literal && has_word(kOpaque, program_of(word)) && word.text != ".")
      return fmt::format("'{}' runs other commands", word.text);
  }
  return {};
}

std::string why_wraps(std::string_view name, Words arguments) {
  const bool changes_user = name == "sudo" || name == "doas";
  for (const auto& word : arguments) {
    if (changes_user && has_word(kShellOptions, word.text))
      return fmt::format("'{}' may start a shell", word.text);
    if (auto why = why_not_clear(word); !why.empty()) return why;
    if (program_of(word) == "find") return "a command before 'find' hides what 'find' runs";
  }
  return {};
}

std::string why_opaque(Words words) {
  words = without_keywords(words);
  if (words.empty()) return {};
  const auto name = program_of(words.front());
  const auto arguments = words.subspan(1);
  if (name == "env" && arguments.empty()) return {};
  if (auto why = why_not_clear(words.front()); !why.empty()) return why;
  if (name == "command" && reading_command_builtin(arguments)) return {};
  if (may_evaluate(name, arguments)) return fmt::format("'{}' may evaluate text", name);
  const auto runs = [](const ShellWord& word) {
    return word.text.starts_with("-exec") || word.text.starts_with("-ok") || !word.literal;
  };
  if (name == "find") {
    return std::ranges::any_of(words, runs) ? "'find' with -exec or wildcards runs other commands"
                                            : "";
  }
  return has_word(kWrappers, name) ? why_wraps(name, arguments) : why_carries(arguments);
}

/// Checks a command, alone or after a program that may start it.
std::string why_word_hides(Words words) {
  words = without_keywords(words);
  if (words.empty()) return {};
  const auto name = program_of(words.front());
  if (has_word(kStartNothing, name)) return {};
  const auto git = std::ranges::find(words, std::string_view("git"), program_of);
  if (git != words.end()) {
    const auto arguments = words.subspan(static_cast<std::size_t>(git - words.begin()) + 1);
    if (auto why = hidden_in_git(arguments); !why.empty()) return why;
    if (git == words.begin()) return {};
    if (std::ranges::find(arguments, std::string_view("git"), program_of) != arguments.end())
      return fmt::format("'git' occurs more than once after '{}'", name);
  }
  for (const auto& word : words.subspan(1)) {
    if (!word.literal && !has_word(kNumbers, word.text))
      return fmt::format("'{}' may expand to a command that '{}' runs", word.text, name);
  }
  return {};
}

bool sets_evaluated(const ShellCommand& command) {
  const auto names = [](std::string_view text) { return mentions_word(text, kEvaluated); };
  return std::ranges::any_of(command.assignments, names) ||
         std::ranges::any_of(command.words, names, &ShellWord::text);
}

}  // namespace

std::string hidden_commands(const ShellLine& line) {
  if (!line.understood) return "the command line is too complex to analyze";
  for (const auto& command : line.commands) {
    if (reading_command(command)) continue;
    if (auto why = why_opaque(command.words); !why.empty()) return why;
    if (command.quoted_code) return "it contains text that looks like a command substitution";
    if (sets_evaluated(command)) return "it sets a variable that the shell evaluates";
  }
  return {};
}

std::string hidden_words(const ShellLine& line) {
  for (const auto& command : line.commands) {
    if (reading_command(command) || file_command(command)) continue;
    if (auto why = why_word_hides(command.words); !why.empty()) return why;
  }
  return {};
}

}  // namespace ralph::permission
