// `make bench`: what the README claims, measured beside its peer in one run. Exits non-zero on a
// miss. `bench NAME` measures one part.
#include <cstdio>
#include <cstdlib>

#include "bench/bench.h"

using namespace ralph::bench;

int main(int count, char** words) {
  if (count == 4 && std::string_view(words[1]) == "--memory-child") {
    return memory_child(std::strtoull(words[2], nullptr, 10), std::strtoull(words[3], nullptr, 10));
  }
  const auto self = std::filesystem::canonical("/proc/self/exe");
  const auto folder = self.parent_path();
  Table table;
  const std::pair<std::string_view, std::function<void()>> parts[] = {
      {"programs", [&] { measure_programs(table, folder); }},  // first, while we are small
      {"agent", [&] { measure_agent(table, folder); }},
      {"sessions", [&] { measure_sessions(table, folder); }},
      {"run", [&] { measure_run(table, folder); }},
      {"loop", [&] { measure_loop(table, folder); }},
      {"trials", [&] { measure_trials(table, folder); }},
      {"memory", [&] { measure_memory(table, self); }},
      {"supervision", [&] { measure_supervision(table); }},
      {"terminal", [&] { measure_terminal(table, folder); }},
      {"streams", [&] { measure_streams(table); }},
  };
  for (const auto& [name, measure] : parts) {
    if (count < 2 || name == words[1]) measure();
  }
  if (table.misses() > 0) std::printf("\n%d missed\n", table.misses());
  return table.misses() > 0 ? 1 : 0;
}
