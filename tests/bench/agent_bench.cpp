#include <cerrno>
#include <cstring>

#include <fmt/core.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/bench.h"
#include "mock/server.h"
#include "process/child.h"
#include "process/supervise.h"

namespace ralph::bench {
namespace {

using Folder = std::filesystem::path;
using Words = std::vector<std::string>;

constexpr int kTextRounds = 7, kDeltaRounds = 3, kTurnRounds = 3;
constexpr double kTimesFaster = 30, kTimesSmaller = 12, kTimesFasterInDeltas = 10;
constexpr std::size_t kDeltas = 12'000, kDeltaBytes = 20;
constexpr int kTurns = 40;
constexpr std::size_t kHistory = 1'000'000;
constexpr double kMostMsATurn = 1;

/// A network with nothing in it but ourselves: the real agent must not leave this machine. Says why not.
std::string leave_the_network() {
  if (::unshare(CLONE_NEWNET) != 0) {
    return fmt::format("no network namespace ({})", std::strerror(errno));
  }
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) != 0) {
    return fmt::format("no loopback ({})", std::strerror(errno));
  }
  return {};
}

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
      : ours_{(build / "ralph").native(), "agent"},
        real_{(build / "conformance" / "bin" / "claude").native()},
        scratch_(std::move(scratch)),
        no_peer_(std::move(no_peer)) {
    std::error_code error;
    if (no_peer_.empty() && !std::filesystem::exists(real_.front(), error)) {
      no_peer_ = "no real agent (make conformance installs it)";
    }
  }

  void text_turn(Table& table) const;
  void deltas(Table& table) const;
  void history(Table& table) const;

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
  double cpu_ms(std::string_view first, int turns) const;
  double cpu_ms_a_turn(std::string_view first) const;

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
  process::Watch watch;
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
             fmt::format("within {:.0f} ms of it", kMostMsATurn),
             small >= 0 && large >= 0 && large - small <= kMostMsATurn});
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
    agents.deltas(table);
    agents.history(table);
  }
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);
  return good ? table.misses() - before : 1;
}

}  // namespace

/// In a child: the rest of us stays in the network.
void measure_agent(Table& table, const Folder& build) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(measure(table, build));
  int status = 0;
  ::waitpid(child, &status, 0);
  table.add_misses(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

}  // namespace ralph::bench
