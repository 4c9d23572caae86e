#include <fmt/core.h>

#include "bench/bench.h"
#include "system/process/child.h"
#include "system/process/supervise.h"

namespace ralph::bench {
namespace {

constexpr int kRuns = 200;

constexpr double kMostTimes = 5;

double wall_ms(const std::function<void()>& work) {
  const double begin = wall_seconds();
  work();
  return (wall_seconds() - begin) * 1000;
}

/// Medians in milliseconds, measured by turns: a busy machine is busy for both.
struct Beside {
  double ours = 0, peer = 0;
};
Beside medians(const std::function<void()>& ours, const std::function<void()>& peer) {
  std::vector<double> our_times, peer_times;
  for (int i = 0; i < kRuns; ++i) {
    our_times.push_back(wall_ms(ours));
    peer_times.push_back(wall_ms(peer));
  }
  return {median(std::move(our_times)), median(std::move(peer_times))};
}

std::string goal() { return fmt::format("at most {:.0f} times it", kMostTimes); }

bool run_supervised() {
  process::Command command;
  command.argv = {"/bin/true"};
  auto child = process::start(command);
  if (!child) return false;
  process::RunHandle watch;
  const auto ignore = [](std::string_view) -> Result<> { return {}; };
  const auto exit = process::supervise(std::move(*child), {ignore, ignore}, watch, {});
  return exit.exit_code == 0;
}

}  // namespace

void measure_supervision(Table& table) {
  bool good = true;
  const auto [ours, peer] = medians([&] { good = run_supervised() && good; },
                                    [&] { good = run_program({"/bin/true"}).status == 0 && good; });
  table.add({"start and end 'true' under supervision", fmt::format("{:.2f} ms", ours),
             fmt::format("posix_spawn and wait {:.2f} ms", peer), goal(),
             good && ours <= kMostTimes * peer});
}

void measure_programs(Table& table, const std::filesystem::path& folder) {
  const auto ralph = (folder / "ralph").native();
  const auto bare = (folder / "bench_bare").native();
  bool good = true;
  const auto [ours, peer] =
      medians([&] { good = run_program({ralph, "--version"}).status == 0 && good; },
              [&] { good = run_program({bare}).status == 0 && good; });
  table.add({"ralph --version", fmt::format("{:.2f} ms", ours),
             fmt::format("bare C program {:.2f} ms", peer), goal(),
             good && ours <= kMostTimes * peer});
}

}  // namespace ralph::bench
