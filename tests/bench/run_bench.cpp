#include <algorithm>
#include <fstream>

#include <fmt/core.h>
#include <unistd.h>

#include "bench/bench.h"
#include "core/base/file.h"
#include "system/process/child.h"
#include "system/process/supervise.h"

namespace ralph::bench {
namespace {

constexpr int kRuns = 60;
constexpr double kMostTimes = 6, kMostMb = 12;
constexpr std::string_view kAnswer =
    R"({"type":"system","subtype":"init","session_id":"s-1","model":"claude-sonnet-5-5"})"
    "\n"
    R"({"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"session_id":"s-1"})"
    "\n";

using Folder = std::filesystem::path;

/// A workspace as people have it: a repository with a commit.
bool make_workspace(const Folder& folder) {
  const auto git = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"/usr/bin/env", "git", "-C", folder.native(), "-c",
                                 "user.name=bench", "-c", "user.email=bench@localhost"});
    return run_program(words).status == 0;
  };
  return make_folders(folder).has_value() &&
         write_file_atomically(folder / "answer.ndjson", kAnswer).has_value() &&
         git({"init", "-q"}) && git({"add", "-A"}) && git({"commit", "-q", "-m", "x"});
}

/// The largest a guard was while its program ran.
std::int64_t guard_kb() {
  auto child = process::start({.argv = {"/bin/sleep", "1000"}});
  if (!child) return -1;
  std::ifstream status(fmt::format("/proc/{}/status", child->guard_pid()));
  std::int64_t kb = -1;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) kb = std::strtoll(line.c_str() + 6, nullptr, 10);
  }
  return kb;
}

}  // namespace

void measure_run(Table& table, const Folder& build) {
  const Folder folder =
      std::filesystem::temp_directory_path() / fmt::format("ralph-bench-run-{}", ::getpid());
  bool good = make_workspace(folder);
  const auto answer = (folder / "answer.ndjson").native();
  const std::vector<std::string> agent{"/bin/cat", answer};
  const std::vector<std::string> run{(build / "ralph").native(),
                                     "run",
                                     "--backend",
                                     "custom",
                                     "--output-format",
                                     "stream-json",
                                     "--command",
                                     "/bin/cat " + answer,
                                     "--cwd",
                                     folder.native(),
                                     "--prompt",
                                     "x"};
  const std::vector<std::string> status{"/usr/bin/env", "git", "-C", folder.native(), "status"};
  std::vector<double> ours, peer;
  std::int64_t ralph_kb = 0, agent_kb = 0;
  for (int i = 0; i < kRuns; ++i) {
    const auto alone = run_program(agent), supervised = run_program(run), git = run_program(status);
    good = good && alone.status == 0 && supervised.status == 0 && git.status == 0;
    peer.push_back((alone.wall + git.wall) * 1000);
    ours.push_back(supervised.wall * 1000);
    agent_kb = std::max(agent_kb, alone.max_rss_kb);
    ralph_kb = std::max(ralph_kb, supervised.max_rss_kb);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  const auto guard = guard_kb();
  const double mb = static_cast<double>(ralph_kb + guard) / 1024;
  table.add({"ralph run of an agent that answers at once", fmt::format("{:.1f} ms", median(ours)),
             fmt::format("the agent and a git status {:.1f} ms", median(peer)),
             fmt::format("at most {:.0f} times it", kMostTimes),
             good && median(ours) <= kMostTimes * median(peer)});
  table.add({"its memory: ralph and its guard", fmt::format("{:.1f} MB", mb),
             fmt::format("the agent alone {:.1f} MB", static_cast<double>(agent_kb) / 1024),
             fmt::format("at most {:.0f} MB beside it", kMostMb),
             good && guard > 0 && mb <= kMostMb});
}

}  // namespace ralph::bench
