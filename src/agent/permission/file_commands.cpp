#include "agent/permission/file_commands.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "agent/permission/command_options.h"

namespace ralph::permission {
namespace {

using Kind = FileCommand::Kind;

struct FileCommandRow {
  std::string_view name;
  Kind kind;
  OptionTable options;
};

constexpr std::array kFileCommands = std::to_array<FileCommandRow>({
    {"cp",
     Kind::copy,
     {"rRfpvadinuTt:", "recursive force verbose no-clobber archive preserve update"}},
    {"mkdir", Kind::make, {"pvm:", "parents verbose"}},
    {"mv", Kind::move, {"finuvTt:", "force no-clobber verbose update"}},
    {"rm", Kind::remove, {"rRfdvi", "recursive force dir verbose"}},
    {"rmdir", Kind::remove, {"v", "verbose"}},
    {"touch", Kind::make, {"acmd:t:", "no-create"}},
});

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
  const auto files = words.subspan(at + 1);
  const auto is_option = [](const ShellWord& word) { return word.text.starts_with('-'); };
  if (std::ranges::any_of(files, is_option)) return std::nullopt;
  return FileCommand{Kind::edit, {files.begin(), files.end()}};
}

/// Sets the target of a copy or move: the last operand, or the value of "-t".
bool find_target(FileCommand& command, const Arguments& arguments) {
  if (arguments.has("-t")) {
    if (arguments.values.size() != 1) return false;
    command.target = ShellWord{arguments.values.front()};
    return true;
  }
  if (command.files.size() < 2) return false;
  command.target = std::move(command.files.back());
  command.files.pop_back();
  return true;
}

bool copies_folders(const Arguments& arguments) {
  constexpr std::array<std::string_view, 5> kOptions{"-r", "-R", "-a", "--recursive", "--archive"};
  return std::ranges::any_of(kOptions,
                             [&](std::string_view option) { return arguments.has(option); });
}

}  // namespace

std::optional<FileCommand> file_command(const ShellCommand& command) {
  if (!command.assignments.empty() || command.words.size() < 2) return std::nullopt;
  const auto literal = [](const ShellWord& word) { return word.literal; };
  if (!std::ranges::all_of(command.words, literal)) return std::nullopt;
  const std::string_view name = command.words[0].text;
  if (name == "sed") return changing_sed(command.words);
  const auto row = std::ranges::find(kFileCommands, name, &FileCommandRow::name);
  if (row == kFileCommands.end()) return std::nullopt;
  auto arguments = read_arguments(Words(command.words).subspan(1), row->options);
  if (!arguments) return std::nullopt;
  FileCommand found{row->kind, std::move(arguments->operands)};
  if (row->kind != Kind::copy && row->kind != Kind::move) return found;
  if (!find_target(found, *arguments)) return std::nullopt;
  found.copies_folders = row->kind == Kind::move || copies_folders(*arguments);
  return found;
}

}  // namespace ralph::permission
