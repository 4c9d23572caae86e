#include <algorithm>

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "core/base/file.h"
#include "harness/loop/answer.h"
#include "mock/server.h"

namespace ralph::bench {
namespace {

using Folder = std::filesystem::path;
using Words = std::vector<std::string>;

constexpr int kIterations = 20, kRounds = 5, kTurns = 20;
constexpr double kMostTimes = 5;
constexpr int kLimitReached = 6;
constexpr std::string_view kScenario =
    R"({"steps":[{"tool_use":{"name":"StructuredOutput","input":{"summary":"Looked around."}}}]})";

/// A repository with a commit, and an API whose every answer is an answer of the loop.
class LoopBench {
 public:
  explicit LoopBench(const Folder& build) : ralph_((build / "ralph").native()) {
    folder_ =
        std::filesystem::temp_directory_path() / fmt::format("ralph-bench-loop-{}", ::getpid());
    auto scenario = mock::read_scenario(kScenario, "scenario");
    if (!scenario) return;
    auto server = mock::Server::start(*std::move(scenario), {});
    if (!server) return;
    server_ = *std::move(server);
    good_ = make_folders(folder_ / "home").has_value() && make_repository(folder_ / "work");
  }
  LoopBench(const LoopBench&) = delete;
  LoopBench& operator=(const LoopBench&) = delete;
  ~LoopBench() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  bool good() const { return good_; }

  /// Milliseconds of a whole loop of so many iterations.
  double loop(int iterations) {
    return run({ralph_, "loop", "-b", "builtin", "-p", "Go", "--cwd", (folder_ / "work").native(),
                "--max-iterations", fmt::format("{}", iterations), "--max-idle", "0",
                "--summarize-every", "0", "--quiet"},
               kLimitReached);
  }
  /// Of the agent alone, with the same question.
  double agent() {
    return run(
        {ralph_, "agent", "-p", "Go", "--output-format", "stream-json", "--verbose",
         "--json-schema", std::string(loop::kAnswerSchema), "--dangerously-skip-permissions"},
        0);
  }

 private:
  static bool make_repository(const Folder& folder) {
    const auto git = [&](Words words) {
      words.insert(words.begin(), {"/usr/bin/env", "git", "-C", folder.native(), "-c",
                                   "user.name=bench", "-c", "user.email=bench@localhost"});
      return run_program(words).status == 0;
    };
    return make_folders(folder).has_value() &&
           write_file_atomically(folder / "file", "text\n").has_value() && git({"init", "-q"}) &&
           git({"add", "-A"}) && git({"commit", "-q", "-m", "x"});
  }
  double run(const Words& words, int exit_code) {
    const auto used =
        run_program(words, {fmt::format("HOME={}", (folder_ / "home").native()),
                            "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
                            "ANTHROPIC_API_KEY=sk-ant-fake-bench-0000000000",
                            fmt::format("ANTHROPIC_BASE_URL={}", server_->url()), "IS_SANDBOX=1"});
    good_ = good_ && WIFEXITED(used.status) && WEXITSTATUS(used.status) == exit_code;
    return used.wall * 1000;
  }

  std::string ralph_;
  Folder folder_;
  std::unique_ptr<mock::Server> server_;
  bool good_ = false;
};

}  // namespace

/// What an iteration takes beyond a start of the agent that is asked and answers once: the prompt, supervision, logs, the
/// tree of the repository before and after, state and record on the disk. Of the whole loop's begin and end nothing.
void measure_loop(Table& table, const Folder& build) {
  LoopBench bench(build);
  std::vector<double> one, many, alone;
  for (int i = 0; bench.good() && i < kRounds; ++i) {
    one.push_back(bench.loop(1));
    many.push_back(bench.loop(1 + kIterations));
    for (int turn = 0; turn < kTurns / kRounds; ++turn) alone.push_back(bench.agent());
  }
  if (!bench.good()) return table.add({"ralph loop, an iteration", "it failed", "", "", false});
  // The least of each: whatever else the machine does only adds.
  const double iteration =
      (*std::ranges::min_element(many) - *std::ranges::min_element(one)) / kIterations;
  const double agent = *std::ranges::min_element(alone);
  table.add({"ralph loop, an iteration in a git repository", fmt::format("{:.1f} ms", iteration),
             fmt::format("the agent alone {:.1f} ms", agent),
             fmt::format("at most {:.0f} times it", kMostTimes), iteration <= kMostTimes * agent});
}

}  // namespace ralph::bench
