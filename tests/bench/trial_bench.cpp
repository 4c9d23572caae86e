// `ralph bench`: what a trial costs beyond its agent, and when its processes are gone.
#include <chrono>
#include <fstream>
#include <random>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/grade/grader.h"
#include "bench/report/bundle.h"
#include "core/base/file.h"
#include "core/schema/schema.h"
#include "mock/server.h"

namespace ralph::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kTrials = 20;
constexpr double kMostOverhead = 20, kMostTrialMb = 12, kMostDiff = 50, kMostAdapter = 500;
constexpr double kLimit = 500, kMostLate = 500;  // milliseconds

/// A repository with one file, and a case whose agent is a command.
class TrialPlace {
 public:
  TrialPlace() : folder_(fs::temp_directory_path() / fmt::format("ralph-bench-{}", ::getpid())) {
    good_ = make_folders(folder_ / "origin").has_value() &&
            write_file_atomically(folder_ / "origin/README.md", "one\n").has_value() &&
            git({"init", "-q"}) && git({"add", "-A"}) && git({"commit", "-q", "-m", "x"});
  }
  TrialPlace(const TrialPlace&) = delete;
  TrialPlace& operator=(const TrialPlace&) = delete;
  ~TrialPlace() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  bool good() const { return good_; }
  const fs::path& folder() const { return folder_; }

  void write_case(const std::vector<std::string>& command) {
    write({{"type", "custom"},
           {"config", {{"prompt", "x"}, {"command", command}, {"output_format", "text"}}}},
          kLimit);
  }
  void write_claude_case() {
    write({{"type", "claude-code"}, {"config", {{"prompt", "Say that you are done."}}}}, 60'000);
  }
  Used run(const fs::path& build, const std::vector<std::string>& environment = {}) {
    return run_program({(build / "ralph").native(), "bench", "run", "-q", "--allow-local",
                        "--fail-on", "none", "-c", (folder_ / "case.json").native()},
                       environment);
  }
  void write(const nlohmann::json& agent, double timeout) {
    const nlohmann::json test_case{{"name", "trial"},
                                   {"description", "an agent of make bench"},
                                   {"repo", "origin"},
                                   {"agent", agent},
                                   {"evaluators", {{{"name", "git-diff"}}}},
                                   {"workspace_dir", (folder_ / "runs").native()},
                                   {"timeout", timeout}};
    good_ = good_ && write_file_atomically(folder_ / "case.json", test_case.dump()).has_value();
  }
  Used clone() {
    const auto target = folder_ / "clone";
    fs::remove_all(target);
    return run_program({"/usr/bin/env", "git", "clone", "-q", "--depth", "1",
                        "file://" + (folder_ / "origin").native(), target.native()});
  }
  /// Whether the newest log says what its schema demands, and that the time was over.
  bool timed_out_with_valid_log() {
    const auto schema =
        schema::Schema::compile(nlohmann::ordered_json::parse(report::output_schema("log")));
    for (const auto& run : fs::directory_iterator(folder_ / "runs")) {
      const auto text = read_file(run.path() / "artifacts" / report::kLogName, 1U << 20);
      if (!text || !schema) return false;
      const auto log = nlohmann::ordered_json::parse(*text);
      if (!schema->validate(log).empty()) return false;
      if (log["execution"]["status"] != "timeout") return false;
    }
    fs::remove_all(folder_ / "runs");
    return true;
  }

 private:
  bool git(std::vector<std::string> words) const {
    words.insert(words.begin(), {"/usr/bin/env", "git", "-C", (folder_ / "origin").native(), "-c",
                                 "user.name=bench", "-c", "user.email=bench@localhost"});
    return run_program(words).status == 0;
  }

  fs::path folder_;
  bool good_ = false;
};

/// 4.13: "overhead under 500 ms (SC-006)", "ours: under 20 ms".
void measure_overhead(Table& table, const fs::path& build, TrialPlace& place) {
  place.write_case({"/bin/true"});
  bool good = place.good();
  std::vector<double> trials, clones;
  std::int64_t kb = 0;
  for (int i = 0; i < kTrials; ++i) {
    const auto clone = place.clone(), trial = place.run(build);
    good = good && clone.status == 0 && trial.status == 0;
    clones.push_back(clone.wall * 1000);
    trials.push_back(trial.wall * 1000);
    kb = std::max(kb, trial.max_rss_kb);
  }
  fs::remove_all(place.folder() / "runs");
  const double clone = median(clones), beyond = median(trials) - clone;
  const double mb = static_cast<double>(kb) / 1024;
  table.add({"ralph bench run of an agent that exits at once, beyond the clone",
             fmt::format("{:.1f} ms", beyond), fmt::format("git clone {:.1f} ms", clone),
             fmt::format("at most {:.0f} ms", kMostOverhead), good && beyond <= kMostOverhead});
  table.add({"its memory", fmt::format("{:.1f} MB", mb), "",
             fmt::format("at most {:.0f} MB", kMostTrialMb), good && mb <= kMostTrialMb});
}

/// SC-006: "Adapter execution completes within 500ms overhead (excluding Claude Code runtime) for typical workloads, measured as:
/// (Total execution time) - (Claude Code process runtime) for repos <1000 LOC with simple prompts".
void measure_adapter(Table& table, const fs::path& build, TrialPlace& place) {
  constexpr std::string_view kWhat = "yb run with Claude Code, without its own time (SC-006)";
  const auto real = build / "conformance" / "bin" / "claude";
  auto why = leave_the_network();
  if (why.empty() && !fs::exists(real)) why = "no real agent (make conformance installs it)";
  auto scenario = mock::read_scenario(R"({"steps":[{"text":"Done."}]})", "scenario");
  auto server = why.empty() && scenario ? mock::Server::start(*std::move(scenario), {})
                                        : Result<std::unique_ptr<mock::Server>>(
                                              std::unexpected(Error{Code::unavailable, why, {}}));
  if (!server) {
    return table.add({std::string(kWhat), "", "", "", false, why.empty() ? "no mock" : why});
  }
  const auto times = place.folder() / "times", bin = place.folder() / "bin";
  const auto script = fmt::format("#!/bin/sh\ndate +%s%3N >{0}\n{1} \"$@\"\ndate +%s%3N >>{0}\n",
                                  times.native(), real.native());
  bool good = make_folders(bin).has_value() &&
              write_file_atomically(bin / "claude", script, 0755).has_value();
  place.write_claude_case();
  std::vector<double> ours;
  for (int i = 0; i < 5; ++i) {
    const auto trial = place.run(
        build, {"PATH=" + bin.native() + ":/usr/local/bin:/usr/bin:/bin",
                "HOME=" + place.folder().native(), "ANTHROPIC_API_KEY=sk-ant-fake-bench-0000000000",
                "ANTHROPIC_BASE_URL=" + (*server)->url(), "IS_SANDBOX=1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"});
    std::ifstream file(times);
    double begin = 0, end = 0;
    good = good && trial.status == 0 && static_cast<bool>(file >> begin >> end);
    ours.push_back(trial.wall * 1000 - (end - begin));
  }
  fs::remove_all(place.folder() / "runs");
  table.add({std::string(kWhat), fmt::format("{:.1f} ms", median(ours)), "",
             fmt::format("at most {:.0f} ms", kMostAdapter), good && median(ours) <= kMostAdapter});
}

/// Agents that do not end when they are asked to. "{0}": a number that no other process has in its command line.
struct Stubborn {
  std::string_view what, script;
};
constexpr Stubborn kStubborn[] = {
    {"ignores SIGTERM", "trap '' TERM; sleep {0} & while :; do wait; done"},
    {"has a child that holds the pipe", "(trap '' TERM; sleep {0}) & sleep {0}"},
    {"has a daemon as child",
     "setsid sh -c 'trap \"\" TERM; sleep {0} >/dev/null 2>&1 & wait' >/dev/null 2>&1 & sleep {0}"},
};

bool any_process_with(const std::string& word) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string line((std::istreambuf_iterator<char>(file)), {});
    if (line.contains(word)) return true;
  }
  return false;
}

/// Milliseconds after the limit when no process of the agent is left, at most; negative: something is wrong.
double late_end(const fs::path& build, TrialPlace& place, std::string_view script) {
  using namespace std::chrono;
  const auto number = fmt::format("7{}.25", ::getpid());
  const auto started = place.folder() / "started";
  std::string text = "date +%s%3N >" + started.native() + "; " + std::string(script);
  for (auto at = text.find("{0}"); at != text.npos; at = text.find("{0}")) {
    text.replace(at, 3, number);
  }
  place.write_case({"/bin/sh", "-c", text});
  const auto trial = place.run(build);
  const auto end = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  const auto begin = read_file(started, 100);
  const bool good = trial.status == 0 && begin && !any_process_with("sleep\0" + number) &&
                    !any_process_with(number) && place.timed_out_with_valid_log();
  return good ? static_cast<double>(end) - std::stod(*begin) - kLimit : -1;
}

void measure_ends(Table& table, const fs::path& build, TrialPlace& place) {
  for (const auto& [what, script] : kStubborn) {
    const double late = late_end(build, place, script);
    table.add({fmt::format("time limit of an agent that {}", what),
               fmt::format("gone after {:.0f} ms", late), "",
               fmt::format("at most {:.0f} ms", kMostLate), late >= 0 && late <= kMostLate});
  }
}

/// Two texts of a megabyte; one of them has 100 edits.
void measure_expected_diff(Table& table, TrialPlace& place) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < 1'000'000) text += static_cast<char>('a' + random() % 26);
  auto edited = text;
  for (int i = 0; i < 100; ++i) edited[random() % edited.size()] = '#';
  grade::GradeContext context;
  context.folder = place.folder() / "work";
  context.expected = place.folder() / "expected";
  context.artifacts = place.folder() / "artifacts";
  bool good = make_folders(context.folder).has_value() &&
              make_folders(context.expected).has_value() &&
              make_folders(context.artifacts).has_value() &&
              write_file_atomically(context.folder / "text", edited).has_value() &&
              write_file_atomically(context.expected / "text", text).has_value();
  const double best = best_of(5, [&] {
    const auto result = grade::run_grader({"expected-diff", "{}"}, context);
    good = good && result.status == grade::GradeStatus::passed;
  });
  table.add({"expected-diff of two files of 1 MB with 100 edits",
             fmt::format("{:.1f} ms", best * 1000), "", fmt::format("at most {:.0f} ms", kMostDiff),
             good && best * 1000 <= kMostDiff});
}

}  // namespace

void measure_trials(Table& table, const fs::path& build) {
  TrialPlace place;
  measure_overhead(table, build, place);
  measure_adapter(table, build, place);
  measure_ends(table, build, place);
  measure_expected_diff(table, place);
}

}  // namespace ralph::bench
