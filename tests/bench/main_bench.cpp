// `make bench`: what the README claims, measured beside its peer in one run. Exits non-zero on a
// miss.
#include <cstdio>
#include <cstdlib>

#include "bench/bench.h"

using namespace ralph::bench;

int main(int count, char** words) {
  if (count == 4 && std::string_view(words[1]) == "--memory-child") {
    return memory_child(std::strtoull(words[2], nullptr, 10), std::strtoull(words[3], nullptr, 10));
  }
  const auto self = std::filesystem::canonical("/proc/self/exe");
  Table table;
  measure_programs(table, self.parent_path());  // first, while we are small
  measure_agent(table, self.parent_path());
  measure_run(table, self.parent_path());
  measure_loop(table, self.parent_path());
  measure_trials(table, self.parent_path());
  measure_memory(table, self);
  measure_supervision(table);
  measure_terminal(table, self.parent_path());
  measure_streams(table);
  if (table.misses() > 0) std::printf("\n%d missed\n", table.misses());
  return table.misses() > 0 ? 1 : 0;
}
