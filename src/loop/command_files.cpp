#include "loop/command_files.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include <sys/stat.h>

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr int kMostNested = 4;  // sh -c "sh -c …"

/// Programs whose first word that is no option is a script.
constexpr auto kInterpreters = std::to_array<std::string_view>(
    {"sh", "bash", "dash", "zsh", "ksh", "python", "python3", "node", "perl", "ruby", "php", "lua",
     "deno", "bun", "source", "."});
/// Words before the command itself.
constexpr auto kPrefixes = std::to_array<std::string_view>(
    {"env",      "exec", "time", "nice", "nohup",  "command", "timeout",
     "xvfb-run", "!",    "if",   "then", "else",   "elif",    "while",
     "until",    "do",   "{",    "sudo", "stdbuf", "setsid"});

/// Files that a program reads by itself.
struct Reads {
  std::string_view program, file;
};
constexpr auto kReads = std::to_array<Reads>({
    {"make", "GNUmakefile"},
    {"make", "Makefile"},
    {"make", "makefile"},
    {"gmake", "Makefile"},
    {"npm", "package.json"},
    {"npx", "package.json"},
    {"yarn", "package.json"},
    {"pnpm", "package.json"},
    {"node", "package.json"},
    {"bun", "package.json"},
    {"jest", "package.json"},
    {"jest", "jest.config.js"},
    {"pytest", "pytest.ini"},
    {"pytest", "pyproject.toml"},
    {"pytest", "setup.cfg"},
    {"pytest", "tox.ini"},
    {"pytest", "conftest.py"},
    {"python", "pyproject.toml"},
    {"python3", "pyproject.toml"},
    {"tox", "tox.ini"},
    {"nox", "noxfile.py"},
    {"cargo", "Cargo.toml"},
    {"go", "go.mod"},
    {"cmake", "CMakeLists.txt"},
    {"ctest", "CMakeLists.txt"},
    {"mvn", "pom.xml"},
    {"gradle", "build.gradle"},
    {"just", "justfile"},
    {"rake", "Rakefile"},
    {"bundle", "Gemfile"},
    {"composer", "composer.json"},
    {"meson", "meson.build"},
    {"bazel", "BUILD"},
});

bool is_one_of(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// A command without what joins it to others.
struct Simple {
  std::vector<std::string> words = {};
  bool output_used = false;  // by a pipe, a file or $(…): others judge what it prints
};

/// Cuts a line into simple commands, quotes taken away. What a shell would compute is not known and stays as it is.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<Simple> split() {
    for (; at_ < text_.size(); ++at_) {
      if (quote_ != 0) {
        in_quotes(text_[at_]);
      } else {
        plain(text_[at_]);
      }
    }
    end_command(false);
    return std::move(commands_);
  }

 private:
  void in_quotes(char c) {
    if (c == quote_) {
      quote_ = 0;
    } else {
      word_ += c;
    }
  }
  void plain(char c) {
    if (c == '\'' || c == '"') {
      quote_ = c;
      in_word_ = true;
    } else if (text_.substr(at_).starts_with("\\\n")) {
      ++at_;
    } else if (c == '#' && !in_word_) {
      at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
    } else if (c == '\\' && at_ + 1 < text_.size()) {
      add(text_[++at_]);
    } else if (c == ' ' || c == '\t' || c == '<') {
      end_word();
    } else if (c == '>') {
      redirect();
    } else if (c == '(' || c == ')' || c == '`') {
      bracket(c);
    } else if (c == '\n' || c == ';' || c == '&' || c == '|') {
      const bool pipe =
          c == '|' && !text_.substr(at_).starts_with("||") && (at_ == 0 || text_[at_ - 1] != '|');
      end_command(pipe);
    } else {
      add(c);
    }
  }
  void add(char c) {
    word_ += c;
    in_word_ = true;
  }
  /// "2>file" and ">/dev/null" leave nothing to judge.
  void redirect() {
    const auto target = text_.find_first_not_of("> ", at_);
    const bool errors = word_ == "2";
    const bool nowhere = target == text_.npos || text_.substr(target).starts_with("/dev/null") ||
                         text_.substr(target).starts_with("&2");
    if (errors) word_.clear(), in_word_ = false;
    end_word();
    if (!errors && !nowhere) command_.output_used = true;
  }
  void bracket(char c) {
    const bool computed = c == '(' && word_.ends_with('$');
    end_command(false);
    if (c == '(') computed_.push_back(computed);
    if (c == ')' && !computed_.empty()) computed_.pop_back();
    if (c == '`') backtick_ = !backtick_;
  }
  void end_word() {
    if (in_word_) command_.words.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }
  void end_command(bool pipe) {
    end_word();
    const bool computed = backtick_ || std::ranges::find(computed_, true) != computed_.end();
    if (pipe || computed) command_.output_used = true;
    if (!command_.words.empty()) commands_.push_back(std::move(command_));
    command_ = {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  char quote_ = 0;
  std::string word_;
  bool in_word_ = false, backtick_ = false;
  std::vector<bool> computed_;  // open brackets: "$(" or "("
  Simple command_;
  std::vector<Simple> commands_;
};

/// The path of a file in the workspace, relative and plain; empty: it is none.
std::string file_in(const fs::path& workspace, std::string_view word) {
  for (const std::string_view here : {"$PWD/", "${PWD}/"}) {
    if (word.starts_with(here)) word.remove_prefix(here.size());
  }
  fs::path path(word);
  if (path.is_absolute()) path = path.lexically_normal().lexically_relative(workspace);
  auto name = path.lexically_normal().native();
  if (name.empty() || name == "." || name.starts_with("..") || name.starts_with(".ralph/") ||
      name.starts_with(".git/")) {
    return {};
  }
  struct stat info{};
  if (::lstat((workspace / name).c_str(), &info) != 0) return {};
  return S_ISREG(info.st_mode) || S_ISLNK(info.st_mode) ? name : std::string();
}

bool is_assignment(std::string_view word) {
  const auto equals = word.find('=');
  return equals != word.npos && equals > 0 &&
         word.substr(0, equals).find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
             "uvwxyz_0123456789") == word.npos;
}

struct Found {
  std::set<std::string> programs, scripts, inputs;
};

void look_at_text(std::string_view text, const fs::path& workspace, Found& found, int depth);

/// From the place of a command on.
void look_at(const Simple& simple, const fs::path& workspace, Found& found, int depth) {
  std::span<const std::string> words = simple.words;
  auto& scripts = simple.output_used ? found.inputs : found.scripts;
  while (!words.empty()) {
    const auto& word = words.front();
    const bool number = !word.empty() && word.front() >= '0' && word.front() <= '9' &&
                        word.find_first_not_of("0123456789.smhd") == word.npos;
    if (!is_assignment(word) && !is_one_of(kPrefixes, word) && !word.starts_with('-') && !number) {
      break;
    }
    words = words.subspan(1);
  }
  if (words.empty()) return;
  const auto& command = words.front();
  const auto name = fs::path(command).filename().native();
  if (command.find('/') == command.npos) found.programs.insert(command);
  if (command.find('/') != command.npos) {
    if (auto file = file_in(workspace, command); !file.empty()) scripts.insert(file);
  }
  for (const auto& reads : kReads) {
    const bool module = name.starts_with("python") && reads.program == "pytest";
    if (reads.program != name && !module) continue;
    if (auto file = file_in(workspace, reads.file); !file.empty()) found.inputs.insert(file);
  }
  // "python3.11" is python.
  const auto plain_name = name.substr(0, name.find_last_not_of("0123456789.") + 1);
  bool script = is_one_of(kInterpreters, name) || is_one_of(kInterpreters, plain_name);
  bool shell_code = false;
  for (const auto& word : words.subspan(1)) {
    if (shell_code) look_at_text(word, workspace, found, depth + 1);
    const bool shell = name.ends_with("sh");
    shell_code = shell && word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
    // Of a shell -e is no code.
    const bool code =
        shell_code || word == "-c" || word == "-m" || (word == "-e" && !name.ends_with("sh"));
    if (code) script = false;
    if (word.starts_with('-')) continue;
    auto file = file_in(workspace, word);
    if (file.empty()) continue;  // it may be the value of an option
    (script ? scripts : found.inputs).insert(std::move(file));
    script = false;
  }
}

void look_at_text(std::string_view text, const fs::path& workspace, Found& found, int depth) {
  if (depth > kMostNested) return;
  for (const auto& simple : Splitter(text).split()) look_at(simple, workspace, found, depth);
}

}  // namespace

CommandFiles files_of(const std::vector<std::string>& commands, const fs::path& workspace) {
  Found found;
  for (const auto& command : commands) look_at_text(command, workspace, found, 0);
  for (const auto& script : found.scripts) found.inputs.erase(script);
  return {{found.programs.begin(), found.programs.end()},
          {found.scripts.begin(), found.scripts.end()},
          {found.inputs.begin(), found.inputs.end()}};
}

bool is_test_file(std::string_view path) {
  constexpr auto kFolders =
      std::to_array<std::string_view>({"test", "tests", "spec", "specs", "__tests__", "testing",
                                       "testdata", "e2e", ".github", ".gitlab", ".circleci"});
  constexpr auto kNames = std::to_array<std::string_view>(
      {"conftest.py", "Makefile", "GNUmakefile", "makefile", "tox.ini", "pytest.ini", "noxfile.py",
       "package.json", "jest.config.js", "vitest.config.ts", ".gitlab-ci.yml", "Jenkinsfile",
       ".travis.yml", "justfile", "Rakefile", ".coveragerc"});
  const auto slash = path.rfind('/');
  const auto name = slash == path.npos ? path : path.substr(slash + 1);
  for (std::size_t at = 0; slash != path.npos && at <= slash;) {
    const auto end = path.find('/', at);
    if (is_one_of(kFolders, path.substr(at, end - at))) return true;
    at = end + 1;
  }
  if (is_one_of(kNames, name) || name.starts_with("test_")) return true;
  for (const auto part : {"_test.", ".test.", "_spec.", ".spec.", "-test.", "Test.", "Tests."}) {
    if (name.contains(part)) return true;
  }
  return false;
}

}  // namespace ralph::loop
