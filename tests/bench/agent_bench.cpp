#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "core/base/file.h"
#include "mock/server.h"
#include "system/process/capture.h"
#include "system/process/child.h"
#include "system/process/supervise.h"

namespace ralph::bench {
namespace {

using Folder = std::filesystem::path;
using Words = std::vector<std::string>;

constexpr int kTextRounds = 7, kDeltaRounds = 3, kTurnRounds = 3;
constexpr double kTimesFaster = 30, kTimesSmaller = 10, kTimesFasterInDeltas = 10;
constexpr std::size_t kDeltas = 12'000, kDeltaBytes = 20;
constexpr int kTurns = 40;
constexpr std::size_t kHistory = 1'000'000;
constexpr double kMostTimesATurn = 6;
constexpr int kToolTurns = 100, kSearchTurns = 20, kToolRounds = 5;
constexpr int kTreeFiles = 2000;
constexpr double kTimesFasterInTools = 10, kMostMbInTools = 32;
constexpr double kMostTimesRipgrep = 1.6;

/// Of differences the least is taken: whatever else the machine does only adds.
double least(const std::vector<double>& values) { return *std::ranges::min_element(values); }

std::unique_ptr<mock::Server> start_mock(std::string_view scenario) {
  auto read = mock::read_scenario(scenario, "scenario");
  if (!read) return nullptr;
  auto server = mock::Server::start(*std::move(read), {});
  return server ? *std::move(server) : nullptr;
}

/// Both agents are asked the same in a home of their own.
class Agents {
 public:
  Agents(const Folder& build, Folder scratch, std::string no_peer)
      : build_(build),
        ours_{(build / "ralph").native(), "agent"},
        real_{(build / "conformance" / "bin" / "claude").native()},
        scratch_(std::move(scratch)),
        no_peer_(std::move(no_peer)) {
    std::error_code error;
    if (no_peer_.empty() && !std::filesystem::exists(real_.front(), error)) {
      no_peer_ = "no real agent (make conformance installs it)";
    }
  }

  void text_turn(Table& table) const;
  void first_result(Table& table) const;
  void deltas(Table& table) const;
  void history(Table& table) const;
  void tool_turns(Table& table) const;
  void search(Table& table) const;
  void enforcement(Table& table) const;

 private:
  struct Measured {
    std::vector<double> ms, mb;
    bool good = true;
    void add(const Used& used) {
      ms.push_back(used.wall * 1000);
      mb.push_back(static_cast<double>(used.max_rss_kb) / 1024);
      good = good && used.status == 0;
    }
  };
  struct Pair {
    Measured ours, real;
    bool good() const { return ours.good && real.good; }
  };

  Words environment(const mock::Server& server, std::string_view name) const {
    return {fmt::format("HOME={}", (scratch_ / name).native()),
            "PATH=/usr/local/bin:/usr/bin:/bin",
            "LANG=C.UTF-8",
            "ANTHROPIC_API_KEY=sk-ant-fake-bench-0000000000",
            fmt::format("ANTHROPIC_BASE_URL={}", server.url()),
            "IS_SANDBOX=1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
            "DISABLE_TELEMETRY=1",
            "DISABLE_AUTOUPDATER=1"};
  }
  /// By turns, so that a busy machine is busy for both.
  Pair compare(std::string_view scenario, int rounds, const Words& words) const;
  /// So many turns with this call, and a last one that says "Done.".
  Pair compare_turns(std::string_view call, int turns) const;
  void tool_turn(Table& table, std::string_view what, std::string_view call) const;
  double cpu_ms(std::string_view first, int turns) const;
  double cpu_ms_a_turn(std::string_view first) const;
  static double first_result_ms(const Folder& clients, const std::string& agent,
                                const Words& environment);

  Folder build_;
  Words ours_, real_;
  Folder scratch_;
  std::string no_peer_;  // why
};

Agents::Pair Agents::compare(std::string_view scenario, int rounds, const Words& words) const {
  Pair pair;
  const auto server = start_mock(scenario);
  if (server == nullptr) return {.ours = {{0}, {0}, false}, .real = {{0}, {0}, false}};
  const auto run = [&](Words argv, std::string_view name) {
    argv.insert(argv.end(), words.begin(), words.end());
    return run_program(argv, environment(*server, name));
  };
  for (int i = 0; i < rounds; ++i) {
    pair.ours.add(run(ours_, "ours"));
    if (no_peer_.empty()) pair.real.add(run(real_, "real"));
  }
  if (!no_peer_.empty()) pair.real = {{0}, {0}, true};
  return pair;
}

void Agents::text_turn(Table& table) const {
  const auto pair = compare(R"({"steps":[{"text":"Hello."}]})", kTextRounds,
                            {"-p", "hi", "--output-format", "stream-json", "--verbose"});
  const double ours = median(pair.ours.ms), real = median(pair.real.ms);
  const double our_mb = median(pair.ours.mb), real_mb = median(pair.real.mb);
  table.add({"ralph agent, one text turn", fmt::format("{:.1f} ms", ours),
             fmt::format("the real agent {:.0f} ms ({:.0f} times)", real, real / ours),
             fmt::format("{:.0f} times faster", kTimesFaster),
             pair.good() && ours * kTimesFaster <= real, no_peer_});
  table.add({"its memory", fmt::format("{:.1f} MB", our_mb),
             fmt::format("the real agent {:.0f} MB ({:.1f} times)", real_mb, real_mb / our_mb),
             fmt::format("{:.0f} times smaller", kTimesSmaller),
             pair.good() && our_mb * kTimesSmaller <= real_mb, no_peer_});
}

/// As a program on the TypeScript SDK sees it: from query() to the result. Negative: it went wrong.
double Agents::first_result_ms(const Folder& clients, const std::string& agent,
                               const Words& environment) {
  process::Command command;
  command.argv = {"/usr/bin/env", "-i"};
  command.argv.insert(command.argv.end(), environment.begin(), environment.end());
  const auto program = clients / "programs" / "first_result.mjs";
  command.argv.insert(command.argv.end(), {"node", program.native(), agent});
  const auto ran = process::capture(command, {.wall = Millis(60'000)});
  return ran && ran->ok() ? std::strtod(ran->out.c_str(), nullptr) : -1;
}

void Agents::first_result(Table& table) const {
  constexpr double kTimesSooner = 8;
  const auto clients = build_ / "clients" / "npm";
  std::error_code error;
  auto skipped = no_peer_;
  if (skipped.empty() && !std::filesystem::exists(clients / "installed", error)) {
    skipped = "no TypeScript SDK (make conformance installs it)";
  }
  const auto server = start_mock(R"({"steps":[{"text":"Hello."}]})");
  std::vector<double> ours, real;
  for (int i = 0; i < kTextRounds; ++i) {
    const bool runs = server != nullptr && skipped.empty();
    const auto measure = [&](const std::string& agent, std::string_view name) {
      return runs ? first_result_ms(clients, agent, environment(*server, name)) : -1;
    };
    ours.push_back(measure((build_ / "claude").native(), "ours"));
    real.push_back(measure(real_.front(), "real"));
  }
  const bool good = least(ours) > 0 && least(real) > 0;
  const double our_ms = median(ours), real_ms = median(real);
  table.add({"ralph agent, first result of a TypeScript SDK query()",
             fmt::format("{:.0f} ms", our_ms),
             fmt::format("the real agent {:.0f} ms ({:.1f} times)", real_ms, real_ms / our_ms),
             fmt::format("{:.0f} times sooner", kTimesSooner),
             good && our_ms * kTimesSooner <= real_ms, skipped});
}

void Agents::deltas(Table& table) const {
  std::string text;
  while (text.size() < kDeltas * kDeltaBytes) text += "nineteen characters ";
  const auto pair = compare(
      fmt::format(R"({{"steps":[{{"text":"{}","chunk_size":{}}}]}})", text, kDeltaBytes),
      kDeltaRounds,
      {"-p", "hi", "--output-format", "stream-json", "--verbose", "--include-partial-messages"});
  const double ours = median(pair.ours.ms), real = median(pair.real.ms);
  table.add({"ralph agent, 240 kB in 12,000 deltas", fmt::format("{:.0f} ms", ours),
             fmt::format("the real agent {:.0f} ms ({:.0f} times)", real, real / ours),
             fmt::format("{:.0f} times faster", kTimesFasterInDeltas),
             pair.good() && ours * kTimesFasterInDeltas <= real, no_peer_});
}

/// CPU of our agent for a conversation that begins with this text. Negative: it went wrong.
double Agents::cpu_ms(std::string_view first, int turns) const {
  const auto server = start_mock(R"({"steps":[{"text":"Hello."}]})");
  if (server == nullptr) return -1;
  const auto line = [](std::string_view text) {
    return fmt::format(
        "{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{}\"}}}}\n", text);
  };
  process::Command command;
  command.argv = {"/usr/bin/env", "-i"};
  for (const auto& list : {environment(*server, "ours"), ours_,
                           Words{"-p", "--input-format", "stream-json", "--output-format",
                                 "stream-json", "--verbose", "--no-session-persistence"}}) {
    command.argv.insert(command.argv.end(), list.begin(), list.end());
  }
  command.input = process::StdinOpen{};
  auto child = process::start(command);
  if (!child) return -1;
  process::RunHandle watch;
  watch.write(line(first));
  std::string seen;
  int results = 0;
  const auto read = [&](std::string_view bytes) -> Result<> {
    seen += bytes;
    if (!seen.ends_with('\n') || !seen.contains(R"({"type":"result")")) return {};
    seen.clear();
    if (++results < turns) {
      watch.write(line("hi"));
    } else {
      watch.close_stdin();
    }
    return {};
  };
  const auto exit = process::supervise(*std::move(child), {read, {}, {}, {}}, watch, {});
  if (exit.exit_code != 0 || results != turns) return -1;
  return static_cast<double>((exit.user_cpu + exit.system_cpu).count());
}

/// Without what the start and the first turn take.
double Agents::cpu_ms_a_turn(std::string_view first) const {
  std::vector<double> values;
  for (int i = 0; i < kTurnRounds; ++i) {
    const double few = cpu_ms(first, 1), many = cpu_ms(first, 1 + kTurns);
    if (few < 0 || many < 0) return -1;
    values.push_back((many - few) / kTurns);
  }
  return median(std::move(values));
}

void Agents::history(Table& table) const {
  const double small = cpu_ms_a_turn("hi"), large = cpu_ms_a_turn(std::string(kHistory, 'x'));
  table.add({"ralph agent, CPU of a turn after 1 MB", fmt::format("{:.2f} ms", large),
             fmt::format("a turn after one word {:.2f} ms", small),
             fmt::format("at most {:.0f} times it", kMostTimesATurn),
             small >= 0 && large >= 0 && large <= kMostTimesATurn * small});
}

Agents::Pair Agents::compare_turns(std::string_view call, int turns) const {
  return compare(fmt::format(R"({{"steps":[{{"tool_use":{},"times":{}}},{{"text":"Done."}}],)"
                             R"("then":"start_again"}})",
                             call, turns),
                 kToolRounds,
                 {"-p", "hi", "--tools", "Bash,Grep,Read", "--dangerously-skip-permissions",
                  "--output-format", "stream-json", "--verbose"});
}

/// Without what the start and the first turn take.
void Agents::tool_turn(Table& table, std::string_view what, std::string_view call) const {
  const auto few = compare_turns(call, 1), many = compare_turns(call, kToolTurns);
  const auto a_turn = [](const Measured& one, const Measured& all) {
    return (least(all.ms) - least(one.ms)) / (kToolTurns - 1);
  };
  const double ours = a_turn(few.ours, many.ours), real = a_turn(few.real, many.real);
  table.add({fmt::format("ralph agent, a turn with {}", what), fmt::format("{:.2f} ms", ours),
             fmt::format("the real agent {:.1f} ms ({:.0f} times)", real, real / ours),
             fmt::format("{:.0f} times faster", kTimesFasterInTools),
             few.good() && many.good() && ours * kTimesFasterInTools <= real, no_peer_});
  const double our_mb = median(many.ours.mb);
  table.add({fmt::format("its memory after {} of them", kToolTurns),
             fmt::format("{:.1f} MB", our_mb),
             fmt::format("the real agent {:.0f} MB", median(many.real.mb)),
             fmt::format("at most {:.0f} MB", kMostMbInTools),
             many.ours.good && our_mb <= kMostMbInTools});
}

void Agents::tool_turns(Table& table) const {
  (void)write_file_atomically(scratch_ / "work" / "notes.txt", "some\nlines\nof text\n");
  tool_turn(table, "Bash true", R"({"name":"Bash","input":{"command":"true"}})");
  tool_turn(table, "Read", R"({"name":"Read","input":{"file_path":"notes.txt"}})");
}

/// A turn that is allowed as read-only against the same turn on the user's word, which nothing confines; by turns.
void Agents::enforcement(Table& table) const {
  constexpr double kMostMore = 1.2;
  const auto measure_turn = [&](std::string_view what, std::string_view call) {
    const auto server =
        start_mock(fmt::format(R"({{"steps":[{{"tool_use":{},"times":{}}},{{"text":"Done."}}],)"
                               R"("then":"start_again"}})",
                               call, kToolTurns));
    if (server == nullptr) return;
    const auto run = [&](std::string_view mode) {
      Words argv = ours_;
      for (const auto* word : {"-p", "hi", "--tools", "Bash,Read", "--output-format", "stream-json",
                               "--verbose", "--permission-mode"}) {
        argv.emplace_back(word);
      }
      argv.emplace_back(mode);
      return run_program(argv, environment(*server, "ours"));
    };
    std::vector<double> held, free;
    bool good = true;
    for (int i = 0; i < 2 * kToolRounds; ++i) {
      const auto confined = run("default"), unconfined = run("bypassPermissions");
      good = good && confined.status == 0 && unconfined.status == 0;
      held.push_back(confined.wall * 1000 / kToolTurns);
      free.push_back(unconfined.wall * 1000 / kToolTurns);
    }
    const double with = least(held), without = least(free);
    table.add(
        {fmt::format("a turn with {}, enforced", what), fmt::format("{:.2f} ms", with),
         fmt::format("not enforced {:.2f} ms ({:+.0f} %)", without, (with / without - 1) * 100),
         "at most 20 % more", good && with <= without * kMostMore});
  };
  measure_turn("Bash true", R"({"name":"Bash","input":{"command":"true"}})");
  measure_turn("Read", R"({"name":"Read","input":{"file_path":"notes.txt"}})");
}

void Agents::search(Table& table) const {
  const auto tree = scratch_ / "work" / "tree";
  bool good = true;
  for (int i = 0; i < kTreeFiles; ++i) {
    const auto folder = tree / fmt::format("d{}", i % 50);
    good = good && make_folders(folder).has_value() &&
           write_file_atomically(folder / fmt::format("f{}.txt", i),
                                 fmt::format("line {}\nneedle{}\n", i, i))
               .has_value();
  }
  constexpr std::string_view kCall =
      R"({"name":"Grep","input":{"pattern":"needle1\\d$","path":"tree"}})";
  const auto few = compare_turns(kCall, 1), many = compare_turns(kCall, kSearchTurns);
  std::vector<double> alone;
  for (int i = 0; i < kSearchTurns; ++i) {
    const auto used = run_program({"/usr/bin/rg", "--hidden", "--files-with-matches", "--null",
                                   "--regexp=needle1\\d$", tree.native()});
    good = good && used.status == 0;
    alone.push_back(used.wall * 1000);
  }
  const double ours = (least(many.ours.ms) - least(few.ours.ms)) / (kSearchTurns - 1);
  table.add({fmt::format("ralph agent, a turn with Grep in {} files", kTreeFiles),
             fmt::format("{:.1f} ms", ours), fmt::format("rg alone {:.1f} ms", least(alone)),
             fmt::format("at most {:.1f} times it", kMostTimesRipgrep),
             good && few.ours.good && many.ours.good && ours <= kMostTimesRipgrep * least(alone)});
}

/// How many goals it misses.
int measure(Table table, const Folder& build) {
  const Folder scratch =
      std::filesystem::temp_directory_path() / fmt::format("ralph-bench-agent-{}", ::getpid());
  bool good = true;
  for (const auto* name : {"ours", "real", "work"}) {
    good = make_folders(scratch / name).has_value() && good;
  }
  good = good && ::chdir((scratch / "work").c_str()) == 0;
  const int before = table.misses();
  const Agents agents(build, scratch, leave_the_network());
  if (good) {
    agents.text_turn(table);
    agents.first_result(table);
    agents.deltas(table);
    agents.history(table);
    agents.tool_turns(table);
    agents.enforcement(table);
    agents.search(table);
  }
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);
  return good ? table.misses() - before : 1;
}

}  // namespace

void measure_agent(Table& table, const Folder& build) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(measure(table, build));
  int status = 0;
  ::waitpid(child, &status, 0);
  table.add_misses(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

}  // namespace ralph::bench
