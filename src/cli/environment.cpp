#include "cli/environment.h"

#include <cstdlib>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

namespace ralph::cli {
namespace {

bool wants_colour(int fd) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return ::isatty(fd) == 1;
}

/// Whether stdout and stderr are the same terminal, file or pipe.
bool one_screen() {
  struct stat out{}, err{};
  if (::fstat(1, &out) != 0 || ::fstat(2, &err) != 0) return false;
  const bool terminal = ::isatty(1) == 1 && ::isatty(2) == 1;
  return terminal ? out.st_rdev == err.st_rdev
                  : out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

}  // namespace

std::vector<std::string> environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

Masker& log_masker() {
  static Masker masker(environment());
  return masker;
}

Masker masker_for(const config::Settings& settings, const std::vector<process::EnvChange>& more) {
  auto entries = environment();
  for (const auto& change : more) {
    if (change.value) entries.push_back(change.name + "=" + *change.value);
  }
  for (const auto& pair : settings.map(config::Key::env)) {
    entries.push_back(pair.name + "=" + pair.value);
  }
  return Masker(entries);
}

console::ConsoleOptions console_options(console::VerbosityWish flags) {
  return console_options(console::resolve_verbosity(
      {flags, console::verbosity_from_environment(std::getenv("RALPH_QUIET"),
                                                  std::getenv("RALPH_VERBOSE"))}));
}

console::ConsoleOptions console_options(console::Verbosity verbosity) {
  console::ConsoleOptions options;
  options.verbosity = verbosity;
  options.colour_out = wants_colour(1);
  options.colour_err = wants_colour(2);
  options.one_screen = one_screen();
  return options;
}

}  // namespace ralph::cli
