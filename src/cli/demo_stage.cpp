#include "cli/demo_stage.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>

#include <fmt/core.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/environment.h"
#include "core/base/file.h"
#include "system/process/capture.h"
#include "system/process/supervise.h"

namespace ralph::cli {
namespace {

namespace fs = std::filesystem;

constexpr Millis kPause{300};
constexpr Millis kLongestPreparation{30'000};

/// Variables of the user that would change the demo; one that ends in "_" is a prefix.
constexpr std::string_view kHidden[] = {
    "ANTHROPIC_", "CLAUDE_",     "CLAUDECODE", "RALPH_",    "GIT_",      "XDG_",
    "AWS_",       "HTTP_PROXY",  "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY",
    "BASH_ENV",   "https_proxy", "ENV",        "CDPATH",    "LANGUAGE",  "COLUMNS",
};

bool is_hidden(std::string_view name) {
  return std::ranges::any_of(kHidden, [&](std::string_view hidden) {
    return hidden.ends_with('_') ? name.starts_with(hidden) : name == hidden;
  });
}

std::vector<process::EnvChange> hidden_variables() {
  std::vector<process::EnvChange> changes;
  for (const std::string_view entry : environment()) {
    const auto name = entry.substr(0, entry.find('='));
    if (is_hidden(name)) changes.push_back({std::string(name), std::nullopt});
  }
  return changes;
}

std::vector<process::EnvChange> environment_in(const fs::path& folder) {
  auto changes = hidden_variables();
  changes.insert(changes.end(), {{"HOME", (folder / "home").native()},
                                 {"TMPDIR", (folder / "tmp").native()},
                                 {"LC_ALL", "C.UTF-8"},
                                 {"NO_PROXY", "127.0.0.1"},
                                 {"no_proxy", "127.0.0.1"},
                                 {"GIT_CONFIG_NOSYSTEM", "1"},
                                 {"GIT_PAGER", "cat"},
                                 {"GIT_TERMINAL_PROMPT", "0"}});
  if (::geteuid() == 0) changes.push_back({"IS_SANDBOX", "1"});
  return changes;
}

Result<fs::path> new_folder() {
  std::error_code error;
  const auto parent = fs::temp_directory_path(error);
  if (error) {
    return fail_errno(error.value(), "no directory for temporary files",
                      "set TMPDIR, or use --keep DIR");
  }
  auto name = (fs::absolute(parent, error) / "ralph-demo.XXXXXX").native();
  if (::mkdtemp(name.data()) == nullptr) {
    return fail_errno(errno, fmt::format("cannot create a directory in '{}'", parent.native()),
                      "set TMPDIR, or use --keep DIR");
  }
  return name;
}

Result<fs::path> named_folder(const fs::path& folder) {
  TRY(make_folders(folder));
  std::error_code error;
  if (!fs::is_empty(folder, error) && !error) {
    return fail(Code::usage, fmt::format("directory '{}' is not empty", folder.native()),
                "use one that does not exist yet");
  }
  return fs::absolute(folder, error);
}

process::TerminalSize size_of_terminal() {
  process::TerminalSize size;
  winsize now{};
  if (::ioctl(1, TIOCGWINSZ, &now) == 0 && now.ws_col > 0) size = {now.ws_col, now.ws_row};
  return size;
}

void pause(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock hold(mutex);
  stopped.wait_for(hold, stop, kPause, [&] { return stop.stop_requested(); });
}

}  // namespace

Result<DemoStage> DemoStage::make(const fs::path& folder, StdOutput& output,
                                  const StopSignals& signals) {
  DemoStage stage(output, signals);
  TRY_ASSIGN(const auto made, folder.empty() ? new_folder() : named_folder(folder));
  std::error_code error;
  stage.folder_ = fs::canonical(made, error);
  if (error) return fail_errno(error.value(), fmt::format("cannot enter '{}'", made.native()));
  for (const auto* name : {"home", "tmp", "shop"}) TRY(make_folders(stage.folder_ / name));
  stage.terminal_ = ::isatty(1) == 1;
  stage.env_ = environment_in(stage.folder_);
  return stage;
}

void DemoStage::say(std::string_view text) {
  if (over()) return;
  output_->out(fmt::format("\n# {}\n", text));
  output_->flush();
  if (terminal_) pause(signals_->token());
}

void DemoStage::show_command(std::string_view line) {
  if (!over()) output_->out(fmt::format("$ {}\n", line));
}

process::Command DemoStage::command(const std::vector<std::string>& argv) const {
  process::Command command;
  command.argv = argv;
  command.cwd = project();
  command.env = env_;
  return command;
}

Result<int> DemoStage::run(const std::vector<std::string>& argv) {
  if (over()) return 0;
  auto seen = command(argv);
  if (terminal_) {
    seen.transport = process::Transport::pty;
    seen.terminal = size_of_terminal();
  }
  output_->flush();
  TRY_ASSIGN(auto child, process::start(seen));
  const auto out = [this](std::string_view bytes) -> Result<> {
    output_->out(bytes);
    output_->flush();
    if (output_->closed()) return fail(Code::storage, "stdout is closed");
    return {};
  };
  const auto err = [this](std::string_view bytes) -> Result<> {
    output_->err(bytes);
    return {};
  };
  process::RunHandle watch;
  const auto exit =
      process::supervise(std::move(child), {out, err, {}, {}}, watch, signals_->token());
  return exit.exit_code.value_or(128 + exit.signal.value_or(0));
}

Result<> DemoStage::prepare(const std::vector<std::string>& argv) {
  TRY_ASSIGN(const auto done,
             process::capture(command(argv), {.wall = kLongestPreparation}, signals_->token()));
  if (done.ok() || over()) return {};
  std::string words;
  for (const auto& word : argv) words += (words.empty() ? "" : " ") + word;
  return fail(Code::unavailable, fmt::format("'{}' failed: {}", words, done.err));
}

}  // namespace ralph::cli
