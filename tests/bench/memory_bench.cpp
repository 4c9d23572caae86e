#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "core/base/file.h"
#include "harness/stream/decoder.h"

namespace ralph::bench {
namespace {

constexpr std::size_t kLine = std::size_t{64} << 20;
constexpr std::size_t kLog = std::size_t{1} << 30;

std::int64_t status_kb(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::strtoll(line.c_str() + key.size() + 1, nullptr, 10);
  }
  return 0;
}

class TextSize final : public stream::Handler {
 public:
  void on(const stream::Event&, const stream::Text& text) override { bytes += text.text.size(); }
  std::size_t bytes = 0;
};

std::int64_t growth_kb(const std::filesystem::path& self, std::size_t max_line) {
  const auto command = fmt::format("'{}' --memory-child {} {}", self.native(), kLine, max_line);
  std::FILE* child = ::popen(command.c_str(), "r");
  long long kb = -1;
  if (child != nullptr) {
    if (std::fscanf(child, "%lld", &kb) != 1) kb = -1;
    ::pclose(child);
  }
  return kb;
}

void write_log(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const auto block = mixed_lines(1 << 20);
  for (std::size_t size = 0; fd >= 0 && size < kLog; size += block.size()) {
    if (!write_all(fd, block, path.native())) break;
  }
  ::close(fd);
}

}  // namespace

int memory_child(std::size_t bytes, std::size_t max_line) {
  TextSize size;
  stream::Decoder decoder(stream::make_claude_dialect(), {&size}, "run", max_line);
  const std::string piece(4096, 'x');
  decoder.feed("{\"type\":\"system\",\"subtype\":\"init\"}\n", 0);  // everything is loaded once
  const auto before = status_kb("VmHWM");
  decoder.feed(R"({"type":"assistant","message":{"content":[{"type":"text","text":")", 0);
  for (std::size_t fed = 0; fed < bytes; fed += piece.size()) decoder.feed(piece, 0);
  decoder.feed("\"}]}}\n", 0);
  const bool parsed = size.bytes == bytes;
  if (parsed != (max_line > bytes)) return 1;
  std::printf("%lld\n", static_cast<long long>(status_kb("VmHWM") - before));
  return 0;
}

void measure_memory(Table& table, const std::filesystem::path& self) {
  const auto parsed = growth_kb(self, kLine + 4096);
  const double times = static_cast<double>(parsed) * 1024 / static_cast<double>(kLine);
  table.add({"memory for a 64 MB text line, parsed",
             fmt::format("{:.1f} MB", static_cast<double>(parsed) / 1024),
             fmt::format("the line itself 64 MB ({:.2f} times)", times), "at most 2.5 times",
             parsed > 0 && times <= 2.5});
  const auto skipped = growth_kb(self, 64 << 10);
  table.add({"memory for a 64 MB text line, skipped", fmt::format("{} kB", skipped),
             "line limit 64 kB", "at most 256 kB", skipped >= 0 && skipped <= 256});

  // In a child of our own size: what a child counts as its memory starts with its parent's.
  const auto folder = self.parent_path();
  const auto log = folder / "bench-1gb.ndjson";
  const pid_t writer = ::fork();
  if (writer == 0) {
    write_log(log);
    ::_exit(0);
  }
  ::waitpid(writer, nullptr, 0);
  const auto used = run_program({(folder / "ralph").native(), "replay", log.native()});
  std::filesystem::remove(log);
  table.add({"ralph replay of a 1 GB log, peak memory",
             fmt::format("{:.1f} MB", static_cast<double>(used.max_rss_kb) / 1024),
             fmt::format("in {:.1f} s", used.wall), "under 32 MB",
             used.status == 0 && used.max_rss_kb < 32 * 1024});
}

}  // namespace ralph::bench
