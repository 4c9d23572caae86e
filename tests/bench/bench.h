#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::bench {

/// One measured number beside its peer and its goal.
struct Row {
  std::string what;
  std::string ours;
  std::string peer;
  std::string goal;
  bool met = false;
  std::string skipped = {};  // why there is no verdict
};

/// Prints the row as it comes in and remembers misses.
class Table {
 public:
  Table();
  void add(const Row& row);
  void add_misses(int count) { misses_ += count; }
  int misses() const { return misses_; }

 private:
  int misses_ = 0;
};

/// CPU seconds of this thread.
double cpu_seconds();
/// Wall seconds of a steady clock.
double wall_seconds();
/// The least of `rounds` measurements of work().
double best_of(int rounds, const std::function<void()>& work);
double median(std::vector<double> values);

/// What an ended program used.
struct Used {
  int status = -1;
  double wall = 0;
  std::int64_t max_rss_kb = 0;
};
/// Runs a program in this environment (empty: ours), without input and with its output to /dev/null.
/// Our own size counts as its size at the start, so call this before allocating much.
Used run_program(const std::vector<std::string>& argv,
                 const std::vector<std::string>& environment = {});

/// Lines as Claude Code writes them, always the same ones.
std::string small_lines(std::size_t bytes);  // about 400 bytes each: text deltas
std::string mixed_lines(
    std::size_t bytes);  // deltas, messages, tool calls and results of all sizes
std::string megabyte_lines(std::size_t bytes);  // tool results of 1 MB

void measure_programs(Table& table, const std::filesystem::path& folder);
void measure_run(Table& table, const std::filesystem::path& folder);
void measure_memory(Table& table, const std::filesystem::path& self);
/// A network with nothing in it but ourselves: the real agent must not leave this machine. Says why not.
std::string leave_the_network();
/// Our agent beside the real one, offline, both against the mock.
void measure_agent(Table& table, const std::filesystem::path& folder);
/// Memory of long sessions and many subagents of our agent.
void measure_sessions(Table& table, const std::filesystem::path& folder);
/// An iteration of the loop beside a turn of our agent.
void measure_loop(Table& table, const std::filesystem::path& folder);
/// `ralph bench`: overhead, memory, ends, a grader.
void measure_trials(Table& table, const std::filesystem::path& folder);
void measure_streams(Table& table);
void measure_supervision(Table& table);
void measure_terminal(Table& table, const std::filesystem::path& folder);

/// Child mode of measure_memory(): decodes one line of `bytes` with this limit and prints its own
/// growth.
int memory_child(std::size_t bytes, std::size_t max_line);

}  // namespace ralph::bench
