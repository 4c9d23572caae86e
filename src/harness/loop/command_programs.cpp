#include "harness/loop/command_programs.h"

#include <algorithm>
#include <array>

#include "core/base/path.h"
#include "core/base/text.h"

namespace ralph::loop {
namespace {

constexpr std::string_view kKeywords = "if then else elif while until do ! { } fi done";

struct Wrapper {
  std::string_view name;
  OptionValues values = {};
  int operands = 0;               // words between the options and the command
  std::string_view subcommand{};  // it wraps only with this word
};
constexpr auto kWrappers = std::to_array<Wrapper>({
    {"env", {"uCS", "unset chdir split-string"}},
    {"timeout", {"ks", "kill-after signal"}, 1},
    {"nice", {"n", "adjustment"}},
    {"ionice", {"cnpPu", "class classdata"}},
    {"nohup"},
    {"setsid"},
    {"stdbuf", {"ioe", "input output error"}},
    {"time", {"fo", "format output"}},
    {"command"},
    {"builtin"},
    {"exec", {"a", ""}},
    {"sudo", {"ughpCDRTUrt", "user group host prompt chdir chroot role type"}},
    {"doas", {"uC", ""}},
    {"xargs", {"InLPsdEa", "max-args max-lines max-procs max-chars delimiter arg-file replace"}},
    {"xvfb-run", {"nsefpw", "server-num server-args error-file auth-file wait"}},
    {"flock", {"wE", "timeout conflict-exit-code"}, 1},
    {"taskset", {}, 1},
    {"chrt", {"TPD", ""}, 1},
    {"strace", {"oespubEaIOPSU", "output trace"}},
    {"ltrace", {"oespuaAlnx", "output"}},
    {"watch", {"n", "interval"}},
    {"prlimit"},
    {"unbuffer"},
    {"eatmydata"},
    {"fakeroot", {"lsib", ""}},
    {"dbus-run-session", {"", "config-file dbus-daemon"}},
    {"poetry", {"C", "directory project"}, 0, "run"},
    {"pipenv", {}, 0, "run"},
    {"pdm", {"p", "project"}, 0, "run"},
    {"uv", {"", "project directory with python"}, 0, "run"},
    {"bundle", {}, 0, "exec"},
    {"direnv", {}, 1, "exec"},
});

constexpr auto kInterpreters = std::to_array<Interpreter>({
    {"sh bash dash zsh ksh", {"oO", "rcfile init-file"}, "", "--rcfile --init-file"},
    {"python pypy", {"cmWXQ", ""}, "-c -m"},
    {"node deno bun tsx ts-node",
     {"repCc", "eval print require import loader env-file conditions config"},
     "-e -p --eval --print",
     "-r --require --import --loader"},
    {"perl", {"eEI", ""}, "-e -E"},
    {"ruby", {"eIrC", ""}, "-e", "-r"},
    {"php", {"rdcf", ""}, "-r", "-f"},
    {"lua luajit", {"el", ""}, "-e"},
    {"awk gawk mawk sed", {"fve", "file"}, "", "-f --file", false},
    {"source . fish tclsh expect Rscript julia elixir guile pwsh"},
});

/// Files that a program reads by itself.
struct Reads {
  std::string_view program, file;
};
constexpr auto kReads = std::to_array<Reads>({
    {"make", "GNUmakefile"},      {"make", "Makefile"},
    {"make", "makefile"},         {"gmake", "Makefile"},
    {"npm", "package.json"},      {"npx", "package.json"},
    {"yarn", "package.json"},     {"pnpm", "package.json"},
    {"bun", "package.json"},      {"jest", "package.json"},
    {"jest", "jest.config.js"},   {"pytest", "pytest.ini"},
    {"pytest", "pyproject.toml"}, {"pytest", "setup.cfg"},
    {"pytest", "tox.ini"},        {"pytest", "conftest.py"},
    {"tox", "tox.ini"},           {"nox", "noxfile.py"},
    {"cargo", "Cargo.toml"},      {"go", "go.mod"},
    {"cmake", "CMakeLists.txt"},  {"ctest", "CMakeLists.txt"},
    {"mvn", "pom.xml"},           {"gradle", "build.gradle"},
    {"just", "justfile"},         {"rake", "Rakefile"},
    {"bundle", "Gemfile"},        {"composer", "composer.json"},
    {"meson", "meson.build"},     {"bazel", "BUILD"},
    {"phpunit", "phpunit.xml"},   {"rspec", ".rspec"},
    {"mix", "mix.exs"},           {"vitest", "package.json"},
    {"mocha", "package.json"},    {"deno", "deno.json"},
    {"uv", "pyproject.toml"},     {"poetry", "pyproject.toml"},
});

bool is_assignment(std::string_view word) {
  const auto equals = word.find('=');
  return equals != word.npos && equals > 0 &&
         word.substr(0, equals).find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
             "uvwxyz_0123456789") == word.npos;
}

const Wrapper* wrapper_of(ShellWords words) {
  const auto found = std::ranges::find(kWrappers, base_name(words.front().text), &Wrapper::name);
  return words.front().literal && found != kWrappers.end() ? &*found : nullptr;
}

/// Looks at what the options of a wrapper say.
void read_options(const std::vector<Option>& options, Unwrapped& found) {
  for (const auto& [name, value] : options) {
    if (name == "-S" || name == "--split-string") found.texts.push_back(value.text);
    if (has_word("-C -D --chdir --directory --project", name)) found.folders.push_back(value);
  }
}

/// Takes one wrapper off. False: it runs no command.
bool take_wrapper(const Wrapper& wrapper, Unwrapped& found) {
  auto& words = found.words;
  const auto all = words;
  words = words.subspan(1);
  auto options = take_options(words, wrapper.values);
  if (!wrapper.subcommand.empty()) {
    if (words.empty() || !words.front().is(wrapper.subcommand)) {
      words = all;
      return false;
    }
    words = words.subspan(1);
    auto more = take_options(words, wrapper.values);
    options.insert(options.end(), more.begin(), more.end());
  }
  read_options(options, found);
  words = words.subspan(std::min(words.size(), static_cast<std::size_t>(wrapper.operands)));
  if (wrapper.name == "flock" && words.size() > 1 && words.front().is("-c")) {
    found.texts.push_back(words[1].text);
    words = {};
  }
  for (; !words.empty() && is_assignment(words.front().text); words = words.subspan(1)) {
    found.assignments.push_back(words.front().text);
  }
  return true;
}

}  // namespace

std::vector<Option> take_options(ShellWords& words, const OptionValues& values) {
  std::vector<Option> options;
  const auto add = [&](std::string name, bool has_value) {
    Option option{std::move(name), {}};
    if (has_value && !words.empty()) {
      option.value = words.front();
      words = words.subspan(1);
    }
    options.push_back(std::move(option));
  };
  while (!words.empty() && words.front().text.size() > 1 &&
         (words.front().text.front() == '-' || words.front().text.front() == '+')) {
    const auto word = words.front();
    const std::string_view text = word.text;
    words = words.subspan(1);
    if (text == "--") break;
    if (text.starts_with("--")) {
      const auto equals = text.find('=');
      const auto name = text.substr(0, equals);
      add(std::string(name), equals == text.npos && has_word(values.names, name.substr(2)));
      if (equals != text.npos) options.back().value.text = text.substr(equals + 1);
      continue;
    }
    const auto letter = text.find_first_of(values.letters, 1);
    for (std::size_t i = 1; i < std::min(letter, text.size()); ++i) {
      add(std::string{'-', text[i]}, false);
    }
    if (letter == text.npos) continue;
    add(std::string{'-', text[letter]}, letter + 1 == text.size());
    if (letter + 1 < text.size()) options.back().value.text = text.substr(letter + 1);
  }
  return options;
}

const Interpreter* interpreter_of(std::string_view name) {
  // "python3.11" is python.
  const auto plain = name.substr(0, name.find_last_not_of("0123456789.") + 1);
  const auto found = std::ranges::find_if(kInterpreters, [&](const Interpreter& each) {
    return has_word(each.names, name) || (!plain.empty() && has_word(each.names, plain));
  });
  return found != kInterpreters.end() ? &*found : nullptr;
}

std::vector<std::string_view> files_read_by(std::string_view program) {
  std::vector<std::string_view> files;
  for (const auto& reads : kReads) {
    if (reads.program == program) files.push_back(reads.file);
  }
  return files;
}

Unwrapped unwrap(ShellWords words) {
  Unwrapped found{words, {}, {}, {}};
  while (!found.words.empty()) {
    const auto& first = found.words.front();
    const bool assignment = is_assignment(first.text);
    if (assignment) found.assignments.push_back(first.text);
    if (assignment || (first.literal && has_word(kKeywords, first.text))) {
      found.words = found.words.subspan(1);
      continue;
    }
    const auto* wrapper = wrapper_of(found.words);
    if (wrapper == nullptr || !take_wrapper(*wrapper, found)) break;
  }
  return found;
}

}  // namespace ralph::loop
