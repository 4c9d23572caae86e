#include <array>
#include <filesystem>

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "bench/bench.h"
#include "cli/std_output.h"
#include "core/base/file.h"
#include "core/base/mask.h"
#include "harness/store/raw_log.h"
#include "harness/stream/decoder.h"
#include "system/process/child.h"
#include "system/process/supervise.h"
#include "ui/console/console.h"

extern char** environ;

namespace ralph::bench {
namespace {

constexpr std::size_t kBytes = 100'000'000;
constexpr int kRounds = 5;
constexpr double kLeastShare = 0.9;
constexpr std::string_view kResult =
    R"({"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,)"
    R"("session_id":"00000000-0000-4000-8000-000000000001"})"
    "\n";

using Folder = std::filesystem::path;

/// A raw terminal: our side, and the name of the program's.
UniqueFd open_terminal(std::string& name) {
  UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  std::array<char, 64> text{};
  if (!master || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0 ||
      ::ptsname_r(master.get(), text.data(), text.size()) != 0) {
    return {};
  }
  name = text.data();
  const UniqueFd slave(::open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios mode{};
  ::tcgetattr(slave.get(), &mode);
  ::cfmakeraw(&mode);
  ::tcsetattr(slave.get(), TCSANOW, &mode);
  return master;
}

/// The least a reader can do: read(2) into the same buffer until the terminal ends.
std::size_t read_all(int fd) {
  std::vector<char> buffer(64 << 10);
  std::size_t bytes = 0;
  ssize_t got = 0;
  while ((got = ::read(fd, buffer.data(), buffer.size())) > 0)
    bytes += static_cast<std::size_t>(got);
  return bytes;
}

bool cat_bare(const std::string& file) {
  std::string name;
  const UniqueFd master = open_terminal(name);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, name.c_str(), O_WRONLY | O_NOCTTY, 0);
  std::array<char*, 3> words{const_cast<char*>("cat"), const_cast<char*>(file.c_str()), nullptr};
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, "/bin/cat", &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  const std::size_t bytes = read_all(master.get());
  int status = -1;
  ::waitpid(pid, &status, 0);
  return status == 0 && bytes >= kBytes;
}

/// Supervised, logged, decoded, shown: what `ralph run` does beside its journal.
bool cat_shown(const std::string& file, const Folder& folder) {
  auto log = store::RawLog::open(store::Location(folder), "log", now_utc());
  const UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!log || !null) return false;
  cli::StdOutput output(null.get(), null.get());
  const Masker masker;
  stream::Summary summary(model::Table::builtin());
  console::Console console({.agent_name = "Claude"}, masker, summary, output);
  stream::Decoder decoder(stream::make_claude_dialect(), {&summary, &console}, "run");
  const double begin = wall_seconds();
  const auto take = [&](std::string_view bytes) -> Result<> {
    const auto t = store::Micros(static_cast<std::int64_t>((wall_seconds() - begin) * 1e6));
    TRY(log->append_out(bytes, t));
    decoder.feed(bytes, t.count() / 1000);
    output.flush();
    return {};
  };
  auto child = process::start({.argv = {"/bin/cat", file}, .transport = process::Transport::pty});
  if (!child) return false;
  process::RunHandle watch;
  watch.arm(process::Limit::wall, std::chrono::hours(1));
  watch.arm(process::Limit::silence, std::chrono::hours(1));
  const auto exit = process::supervise(*std::move(child), {take, {}}, watch, {});
  decoder.finish(0);
  return exit.exit_code == 0 && std::filesystem::file_size(log->paths().out) >= kBytes &&
         decoder.skipped() == 0;
}

/// The real command, with an agent that is `cat`.
bool run_shown(const std::string& ralph, const Folder& folder) {
  const auto used = run_program({"/usr/bin/env", "-i", "IS_SANDBOX=1", "HOME=" + folder.native(),
                                 "PATH=" + (folder / "bin").native() + ":/usr/bin:/bin", ralph,
                                 "run", "--backend", "claude", "--transport", "pty", "--cwd",
                                 folder.native(), "--prompt", "x"});
  std::error_code ignored;
  std::filesystem::remove_all(folder / ".ralph", ignored);
  return used.status == 0;
}

bool make_agent(const Folder& folder, const std::string& file) {
  return make_folders(folder / "bin").has_value() &&
         write_file_atomically(folder / "bin/claude", "#!/bin/sh\nexec cat '" + file + "'\n", 0755)
             .has_value();
}

double wall_of(const std::function<void()>& work) {
  const double begin = wall_seconds();
  work();
  return wall_seconds() - begin;
}

}  // namespace

void measure_terminal(Table& table, const Folder& build) {
  const Folder folder =
      std::filesystem::temp_directory_path() / fmt::format("ralph-bench-{}", ::getpid());
  const std::string file = (folder / "stream.ndjson").native();
  const std::string ralph = (build / "ralph").native();
  bool good = make_agent(folder, file) &&
              write_file_atomically(file, mixed_lines(kBytes) + std::string(kResult)).has_value();
  std::error_code ignored;
  std::vector<double> bare, shown, run;
  for (int i = 0; i < kRounds; ++i) {
    bare.push_back(wall_of([&] { good = cat_bare(file) && good; }));
    shown.push_back(wall_of([&] { good = cat_shown(file, folder / "logs") && good; }));
    std::filesystem::remove_all(folder / "logs", ignored);
    run.push_back(wall_of([&] { good = run_shown(ralph, folder) && good; }));
  }
  std::filesystem::remove_all(folder, ignored);
  const auto add = [&](const char* what, const std::vector<double>& ours) {
    const double share = median(bare) / median(ours);
    const auto speed = [](double seconds) { return static_cast<double>(kBytes) / 1e6 / seconds; };
    table.add(
        {what, fmt::format("{:.0f} MB/s", speed(median(ours))),
         fmt::format("cat to a read loop {:.0f} MB/s ({:.0f} %)", speed(median(bare)), share * 100),
         fmt::format("at least {:.0f} % of it", kLeastShare * 100), good && share >= kLeastShare});
  };
  add("100 MB through a PTY, logged and shown", shown);
  add("the same by ralph run, with its journal", run);
}

}  // namespace ralph::bench
