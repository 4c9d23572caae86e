#include "base/log.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "base/file.h"
#include "base/time.h"

namespace ralph::log {
namespace {

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

void configure(std::string (*mask)(std::string_view)) {
  if (environment("RALPH_LOG") != "debug") return;
  sink.mask = mask;
  if (const auto path = environment("RALPH_LOG_FILE"); !path.empty()) {
    const int fd =
        ::open(std::string(path).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0) sink.fd = fd;
  }
  sink.on = true;
}

bool enabled() { return sink.on; }

void debug(std::string_view room, std::string_view text) {
  if (!enabled()) return;
  const std::string masked = sink.mask == nullptr ? std::string(text) : sink.mask(text);
  std::string line = fmt::format("{} debug {}: {}", iso_utc(now_utc()), room, masked);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  // A log that cannot be written must not stop the work.
  [[maybe_unused]] const auto written = write_all(sink.fd, line, "debug log");
}

}  // namespace ralph::log
