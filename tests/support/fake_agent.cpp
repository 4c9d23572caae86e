// A scripted, hostile agent for the tests. Needs nothing of ralph.
//
// The script is the file named by the environment variable RALPH_FAKE_SCRIPT (so that this program
// can be installed under the name of an agent and take any arguments), otherwise by the first
// argument; "-" is stdin. One instruction per line; empty lines and lines that start with # are
// skipped. ESCAPED text knows \n \r \t \0 \\ \xNN \uNNNN. At the end of the script it exits with 0;
// an unknown instruction is reported on stderr and exits with 97.
//
//   line TEXT      stdout: TEXT, newline        half TEXT      stdout: TEXT, no newline
//   raw ESCAPED    stdout: these bytes          file PATH      stdout: the bytes of a file
//   stderr TEXT    stderr: TEXT, newline        longline N     stdout: a JSON line of N bytes
//   flood N        stdout: N bytes of JSON      flood-stderr N
//   surrogate, bad-utf8, nul     stdout: a JSON line with such a thing in it
//   print-args     stdout: a line per argument, newlines and backslashes escaped
//   print-env NAME     stdout: NAME=value or "NAME is not set"
//   print-cwd, print-tty, print-session     stdout: where it runs, on what, in whose session
//   echo-stdin     stdin to stdout, to its end  wait-stdin-eof reads to the end, prints "stdin BYTES"
//   read-stdin N   reads N bytes, prints "read N CHECKSUM"
//   read-stdin-slowly N MS     as wait-stdin-eof, N bytes at a time with MS between
//   save-stdin PATH   writes what comes on stdin into a file
//   save-args PATH    writes its arguments into a file, NUL behind each
//   copy-prompt PATH  copies the .ralph/tmp/… file that an argument names
//   once PATH … end-once   what stands between is done when PATH does not exist, which then does
//   relink PATH TARGET   replaces a folder by a link to another; remove PATH   removes a folder
//   busy MS        uses the processor for MS
//   delay MS       waits                        hang           never exits
//   notify PATH    creates a file               wait-file PATH waits for a file, 60 s at most
//   exit N         exits at once                signal N       dies by signal N
//   ignore-term    ignores SIGTERM              stop           stops itself (SIGSTOP)
//   on-term ESCAPED, on-int ESCAPED     a later hang is ended by that signal: writes, exits with 0
//   note-int PATH  a later hang creates PATH at every SIGINT and goes on
//   close-stdin, close-stdout
//   grandchild-holds-stdout     a child that keeps stdout and stderr and sleeps for ever
//   endless-grandchild          a child that writes to stdout for ever
//   late-grandchild ESCAPED     a child that writes when we have ended, then leaves
//   leaving-grandchild MS       a child that leaves MS after we have ended
//   daemon                      double-forked, in its own session, ignores SIGTERM, sleeps for ever
//   spawn-tool                  a child in its own session and group that sleeps for ever
//   forkloop MS    eight chains of processes that fork into new sessions and exit, for MS at most
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "support/fake_agent_basics.h"
#include "support/fake_agent_processes.h"

namespace {

using namespace std::string_literals;

std::vector<std::string> arguments;
int awaited_signal = 0;  // blocked, and waited for by hang: no handler, nothing asynchronous
std::string last_words;
std::string noted_in;   // instead of last words: a file that is created
bool skipping = false;  // between once and end-once

// ---- output

void do_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    put(2, "fake_agent: cannot read " + path + "\n");
    ::_exit(97);
  }
  out(std::string(std::istreambuf_iterator<char>(file), {}));
}

void flood(int fd, std::size_t bytes) {
  std::string block;
  for (int i = 0; i < 1000; ++i) {
    block += R"({"type":"assistant","n":)" + std::to_string(1000 + i) +
             R"(,"text":"flood"})"
             "\n";
  }
  while (bytes > 0) {
    const std::size_t now = bytes < block.size() ? bytes : block.size();
    put(fd, std::string_view(block).substr(0, now));
    bytes -= now;
  }
}

void do_longline(const std::string& bytes) {
  const std::string start = R"({"type":"assistant","text":")";
  const std::size_t frame = start.size() + 3;
  const std::size_t size = number(bytes) > frame ? number(bytes) - frame : 0;
  out(start + std::string(size, 'x') + "\"}\n");
}

void do_surrogate(const std::string&) {
  out(R"({"type":"assistant","text":"\ud83d alone"})"
      "\n");
}
void do_bad_utf8(const std::string&) { out("{\"type\":\"assistant\",\"text\":\"\xff\xc3(\"}\n"); }
void do_nul(const std::string&) { out("{\"type\":\"assistant\",\"text\":\"\0\"}\n"s); }

// ---- what it was given

void do_print_args(const std::string&) {
  for (const std::string& argument : arguments) out(escaped(argument) + "\n");
}

void do_print_env(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  out(value != nullptr ? name + "=" + value + "\n" : name + " is not set\n");
}

void do_print_cwd(const std::string&) {
  char path[4096];
  out(std::string(::getcwd(path, sizeof path) != nullptr ? path : "?") + "\n");
}

void do_print_tty(const std::string&) {
  const auto tty = [](int fd) { return std::string(::isatty(fd) != 0 ? "tty" : "no"); };
  const int control = ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  winsize size{};
  termios mode{};
  ::ioctl(1, TIOCGWINSZ, &size);
  const bool raw = ::tcgetattr(1, &mode) == 0 && (mode.c_lflag & (ICANON | ECHO | ISIG)) == 0;
  out("stdin=" + tty(0) + " stdout=" + tty(1) + " stderr=" + tty(2) +
      " ctty=" + (control >= 0 ? "yes" : "no") + " size=" + std::to_string(size.ws_col) + "x" +
      std::to_string(size.ws_row) + " raw=" + (raw ? "yes" : "no") + "\n");
  if (control >= 0) ::close(control);
}

void do_print_session(const std::string&) {
  const pid_t session = ::getsid(0);
  out(std::string("session=") + (session == ::getpid() ? "own" : "inherited") +
      " pid=" + std::to_string(::getpid()) + " sid=" + std::to_string(session) + "\n");
}

// ---- stdin

std::size_t read_to_end(std::size_t at_once, long pause_ms, bool echo) {
  std::string buffer(at_once, '\0');
  std::size_t total = 0;
  for (;;) {
    const ssize_t n = ::read(0, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return total;
    total += static_cast<std::size_t>(n);
    if (echo) put(1, std::string_view(buffer).substr(0, static_cast<std::size_t>(n)));
    if (pause_ms > 0) wait_ms(pause_ms);
  }
}

void report_stdin(std::size_t bytes) { out("stdin " + std::to_string(bytes) + "\n"); }

void do_read_stdin_slowly(const std::string& text) {
  std::istringstream words(text);
  std::size_t at_once = 1;
  long pause_ms = 0;
  words >> at_once >> pause_ms;
  report_stdin(read_to_end(at_once, pause_ms, false));
}

void do_read_stdin(const std::string& text) {
  const std::size_t wanted = number(text);
  std::uint64_t sum = 0;
  char buffer[4096];
  for (std::size_t left = wanted; left > 0;) {
    const ssize_t n = ::read(0, buffer, left < sizeof buffer ? left : sizeof buffer);
    if (n <= 0) break;
    for (ssize_t i = 0; i < n; ++i) sum = sum * 31 + static_cast<unsigned char>(buffer[i]);
    left -= static_cast<std::size_t>(n);
  }
  out("read " + std::to_string(wanted) + " " + std::to_string(sum) + "\n");
}

// ---- time and events

void do_notify(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd);
}

void do_wait_file(const std::string& path) {
  const auto deadline = Clock::now() + std::chrono::seconds(60);
  struct stat status{};
  while (::stat(path.c_str(), &status) != 0 && Clock::now() < deadline) wait_ms(2);
}

void save(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void do_save_stdin(const std::string& path) {
  save(path, std::string(std::istreambuf_iterator<char>(std::cin), {}));
}

void do_save_args(const std::string& path) {
  std::string all;
  for (const std::string& argument : arguments) all += argument + '\0';
  save(path, all);
}

void do_copy_prompt(const std::string& path) {
  for (const std::string& argument : arguments) {
    const std::size_t begin = argument.find(".ralph/tmp/");
    if (begin == std::string::npos) continue;
    const std::size_t end = argument.find(".md", begin) + 3;
    std::ifstream file(argument.substr(begin, end - begin), std::ios::binary);
    return save(path, std::string(std::istreambuf_iterator<char>(file), {}));
  }
}

void do_once(const std::string& path) {
  struct stat status{};
  skipping = ::stat(path.c_str(), &status) == 0;
  if (!skipping) do_notify(path);
}

void do_relink(const std::string& words) {
  const std::size_t space = words.find(' ');
  std::filesystem::remove_all(words.substr(0, space));
  std::filesystem::create_symlink(words.substr(space + 1), words.substr(0, space));
}

void do_busy(const std::string& ms) {
  const auto end = Clock::now() + std::chrono::milliseconds(std::atol(ms.c_str()));
  while (Clock::now() < end) {
  }
}

// ---- ways to end, and not to end

void do_signal(const std::string& name) {
  const int number_of_signal = std::atoi(name.c_str());
  ::signal(number_of_signal, SIG_DFL);
  ::raise(number_of_signal);
}

void await(int signal_number, const std::string& text) {
  awaited_signal = signal_number;
  last_words = unescaped(text);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal_number);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

[[noreturn]] void do_hang(const std::string&) {
  if (awaited_signal == 0) sleep_for_ever();
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, awaited_signal);
  for (;;) {
    if (::sigwaitinfo(&set, nullptr) < 0) continue;
    if (noted_in.empty()) break;
    do_notify(noted_in);
  }
  out(last_words);
  ::_exit(0);
}

using Text = const std::string&;

struct Instruction {
  std::string_view name;
  void (*run)(Text text);
};

constexpr Instruction kInstructions[] = {
    {"line", [](Text text) { out(text + "\n"); }},
    {"half", [](Text text) { out(text); }},
    {"raw", [](Text text) { out(unescaped(text)); }},
    {"file", do_file},
    {"stderr", [](Text text) { put(2, text + "\n"); }},
    {"flood", [](Text text) { flood(1, number(text)); }},
    {"flood-stderr", [](Text text) { flood(2, number(text)); }},
    {"longline", do_longline},
    {"surrogate", do_surrogate},
    {"bad-utf8", do_bad_utf8},
    {"nul", do_nul},
    {"print-args", do_print_args},
    {"print-env", do_print_env},
    {"print-cwd", do_print_cwd},
    {"print-tty", do_print_tty},
    {"print-session", do_print_session},
    {"echo-stdin", [](Text) { read_to_end(65536, 0, true); }},
    {"wait-stdin-eof", [](Text) { report_stdin(read_to_end(65536, 0, false)); }},
    {"read-stdin", do_read_stdin},
    {"read-stdin-slowly", do_read_stdin_slowly},
    {"save-stdin", do_save_stdin},
    {"save-args", do_save_args},
    {"copy-prompt", do_copy_prompt},
    {"once", do_once},
    {"end-once", [](Text) { skipping = false; }},
    {"relink", do_relink},
    {"remove", [](Text text) { std::filesystem::remove_all(text); }},
    {"busy", do_busy},
    {"delay", [](Text text) { wait_ms(std::atol(text.c_str())); }},
    {"hang", do_hang},
    {"notify", do_notify},
    {"wait-file", do_wait_file},
    {"exit", [](Text text) { ::_exit(std::atoi(text.c_str())); }},
    {"signal", do_signal},
    {"ignore-term", [](Text) { ::signal(SIGTERM, SIG_IGN); }},
    {"on-term", [](Text text) { await(SIGTERM, text); }},
    {"on-int", [](Text text) { await(SIGINT, text); }},
    {"note-int", [](Text text) { await(SIGINT, ""), noted_in = text; }},
    {"stop", [](Text) { ::raise(SIGSTOP); }},
    {"close-stdin", [](Text) { ::close(0); }},
    {"close-stdout", [](Text) { ::close(1); }},
    {"grandchild-holds-stdout", do_grandchild_holds_stdout},
    {"endless-grandchild", do_endless_grandchild},
    {"daemon", do_daemon},
    {"spawn-tool", do_spawn_tool},
    {"late-grandchild", do_late_grandchild},
    {"leaving-grandchild", do_leaving_grandchild},
    {"forkloop", do_forkloop},
};

void obey(const std::string& line) {
  if (line.empty() || line[0] == '#') return;
  const std::size_t space = line.find(' ');
  const std::string_view name = std::string_view(line).substr(0, space);
  const std::string text = space == std::string::npos ? "" : line.substr(space + 1);
  if (skipping && name != "end-once") return;
  for (const Instruction& instruction : kInstructions) {
    if (instruction.name == name) return instruction.run(text);
  }
  put(2, "fake_agent: unknown instruction '" + std::string(name) + "'\n");
  ::_exit(97);
}

std::vector<std::string> read_script(std::istream& stream) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  arguments.assign(argv, argv + argc);
  const char* from_environment = std::getenv("RALPH_FAKE_SCRIPT");
  const std::string path = from_environment != nullptr ? from_environment : argc > 1 ? argv[1] : "";
  std::ifstream file(path);
  if (path != "-" && !file) {
    put(2, "fake_agent: no script: give a file as first argument or in RALPH_FAKE_SCRIPT\n");
    return 97;
  }
  for (const std::string& line : read_script(path == "-" ? std::cin : file)) obey(line);
  ::_exit(0);
}
