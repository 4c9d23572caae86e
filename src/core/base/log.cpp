#include "core/base/log.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/safe_text.h"
#include "core/base/time.h"
#include "core/base/utf8.h"

namespace ralph::log {
namespace {

constexpr std::size_t kLongestLogLine = 400;  // code points of a line

// The one global of the code base: where debug lines go.
struct Sink {
  std::atomic<bool> on = false;
  int fd = STDERR_FILENO;
  std::string (*mask)(std::string_view) = nullptr;
};
Sink sink;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

Result<> configure(std::string (*mask)(std::string_view)) {
  const auto level = environment("RALPH_LOG");
  if (level.empty() || level == "0" || level == "off") return {};
  if (level != "debug" && level != "1") {
    return fail(Code::usage, fmt::format("unknown level RALPH_LOG='{}'", level),
                "the only level is 'debug'");
  }
  sink.mask = mask;
  sink.on = true;
  const std::string path(environment("RALPH_LOG_FILE"));
  if (path.empty()) return {};
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) {
    return fail_errno(errno, fmt::format("cannot open RALPH_LOG_FILE '{}'", path),
                      "the debug log goes to stderr");
  }
  sink.fd = fd;
  return {};
}

bool enabled() { return sink.on; }

int descriptor() { return sink.fd; }

void debug(std::string_view module_name, std::string_view text) {
  if (!enabled()) return;
  std::string line = sink.mask == nullptr ? std::string(text) : sink.mask(text);
  line = one_line(safe_text(utf8::shortened(line, 4 * kLongestLogLine)), kLongestLogLine);
  line = fmt::format("{} debug {}: {}\n", iso_utc(now_utc()), module_name, line);
  // A log that cannot be written must not stop the work.
  try_write_all(sink.fd, line);
}

}  // namespace ralph::log
