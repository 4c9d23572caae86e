#include <fmt/core.h>

#include "bench/bench.h"
#include "process/child.h"
#include "process/supervise.h"

namespace ralph::bench {
namespace {

constexpr int kRuns = 200;

double median_wall(const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < kRuns; ++i) {
    const double begin = wall_seconds();
    work();
    times.push_back(wall_seconds() - begin);
  }
  return median(std::move(times)) * 1000;
}

bool run_supervised() {
  process::Command command;
  command.argv = {"/bin/true"};
  auto child = process::start(command);
  if (!child) return false;
  process::Watch watch;
  const auto ignore = [](std::string_view) -> Result<> { return {}; };
  const auto exit = process::supervise(std::move(*child), {ignore, ignore}, watch, {});
  return exit.exit_code == 0;
}

}  // namespace

void measure_supervision(Table& table) {
  bool good = true;
  const double ours = median_wall([&] { good = run_supervised() && good; });
  const double bare = median_wall([&] { good = run_program({"/bin/true"}).status == 0 && good; });
  table.add({"start and end 'true' under supervision", fmt::format("{:.2f} ms", ours),
             fmt::format("posix_spawn and wait {:.2f} ms", bare), "within 5 ms of it",
             good && ours - bare <= 5});
}

void measure_programs(Table& table, const std::filesystem::path& folder) {
  const auto ralph = (folder / "ralph").native();
  const auto bare = (folder / "bench_bare").native();
  bool good = true;
  const double ours =
      median_wall([&] { good = run_program({ralph, "--version"}).status == 0 && good; });
  const double peer = median_wall([&] { good = run_program({bare}).status == 0 && good; });
  table.add({"ralph --version", fmt::format("{:.2f} ms", ours),
             fmt::format("bare C program {:.2f} ms", peer), "within 4 ms of it",
             good && ours - peer <= 4});
}

}  // namespace ralph::bench
