#include <cstring>

#include <fmt/core.h>
#include <simdjson.h>

#include "bench/bench.h"
#include "harness/stream/decoder.h"
#include "harness/stream/line_splitter.h"

namespace ralph::bench {
namespace {

constexpr int kRounds = 9;
constexpr std::size_t kChunk = 64 << 10;

double gigabytes_per_second(std::size_t bytes, double seconds) {
  return static_cast<double>(bytes) / seconds / 1e9;
}

std::size_t count_with_memchr(std::string_view bytes) {
  std::size_t lines = 0;
  for (const char *at = bytes.data(), *end = at + bytes.size(); at < end; ++lines) {
    const auto* newline =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    at = newline == nullptr ? end : newline + 1;
  }
  return lines;
}

std::size_t count_with_splitter(std::string_view bytes) {
  stream::LineSplitter splitter(64 << 20);
  std::size_t lines = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
    splitter.feed(bytes.substr(at, kChunk));
    while (splitter.next()) ++lines;
  }
  return lines;
}

/// The least a parser can do: simdjson's DOM over lines that lie in memory with padding behind
/// them.
std::size_t parse_with_simdjson(std::string_view bytes) {
  simdjson::dom::parser parser;
  std::size_t good = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto newline = bytes.find('\n', at);
    if (parser.parse(bytes.data() + at, newline - at, false).error() == simdjson::SUCCESS) ++good;
    at = newline + 1;
  }
  return good;
}

class CountEvents final : public stream::Handler {
 public:
  void on_any(const stream::Event&) override { ++events; }
  std::size_t events = 0;
};

std::size_t decode(std::string_view bytes) {
  CountEvents count;
  stream::Decoder decoder(stream::make_claude_dialect(), {&count}, "run");
  for (std::size_t at = 0; at < bytes.size(); at += kChunk)
    decoder.feed(bytes.substr(at, kChunk), 0);
  decoder.finish(0);
  return count.events;
}

void measure(Table& table, std::string_view name, std::string bytes, double least_share) {
  bytes.reserve(bytes.size() + simdjson::SIMDJSON_PADDING);
  std::size_t sum = 0;
  const double split = best_of(kRounds, [&] { sum += count_with_splitter(bytes); });
  const double scan = best_of(kRounds, [&] { sum += count_with_memchr(bytes); });
  const double ours = best_of(kRounds, [&] { sum += decode(bytes); });
  const double dom = best_of(kRounds, [&] { sum += parse_with_simdjson(bytes); });
  const auto speed = [&](double seconds) { return gigabytes_per_second(bytes.size(), seconds); };
  table.add({fmt::format("split into lines, {}", name), fmt::format("{:.1f} GB/s", speed(split)),
             fmt::format("memchr {:.1f} GB/s", speed(scan)), "(shown)", sum > 0});
  const double share = dom / ours;
  table.add({fmt::format("bytes to events, {}", name), fmt::format("{:.2f} GB/s", speed(ours)),
             fmt::format("simdjson DOM {:.2f} GB/s ({:.0f} %)", speed(dom), share * 100),
             fmt::format("at least {:.0f} % of simdjson", least_share * 100),
             share >= least_share});
}

}  // namespace

void measure_streams(Table& table) {
  measure(table, "400 B lines", small_lines(32 << 20), 0.35);
  measure(table, "mixed lines", mixed_lines(64 << 20), 0.6);
  measure(table, "1 MB lines", megabyte_lines(32 << 20), 0.6);
}

}  // namespace ralph::bench
