#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/std_output.h"
#include "cli/stop_signals.h"
#include "core/base/result.h"
#include "system/process/command.h"

namespace ralph::cli {

/// A scratch directory with its own HOME, in which programs are run and shown. They do not see the user's settings,
/// keys and repositories, and write nothing outside the directory. It is never removed.
class DemoStage {
 public:
  /// In `folder`, which is created and must be empty; empty: a new directory under TMPDIR.
  static Result<DemoStage> make(const std::filesystem::path& folder, StdOutput& output,
                                const StopSignals& signals);

  const std::filesystem::path& folder() const { return folder_; }
  /// Where the programs run: the scratch project.
  std::filesystem::path project() const { return folder_ / "shop"; }
  /// On a terminal there are short pauses.
  bool terminal() const { return terminal_; }
  /// A signal was received, or stdout is closed.
  bool over() const { return signals_->token().stop_requested() || output_->closed(); }

  void set(std::string name, std::string value) { env_.push_back({std::move(name), value}); }

  /// Prints "# text", a caption.
  void say(std::string_view text);
  /// Prints "$ line", a command the user can type.
  void show_command(std::string_view line);
  /// Runs a program, forwards its output as it arrives and returns its exit code. On a terminal, the program gets a
  /// PTY.
  Result<int> run(const std::vector<std::string>& argv);
  /// The same without showing it. Any exit code but 0 is an error.
  Result<> prepare(const std::vector<std::string>& argv);

 private:
  DemoStage(StdOutput& output, const StopSignals& signals) : output_(&output), signals_(&signals) {}
  process::Command command(const std::vector<std::string>& argv) const;

  std::filesystem::path folder_;
  bool terminal_ = false;
  std::vector<process::EnvChange> env_;
  StdOutput* output_;
  const StopSignals* signals_;
};

}  // namespace ralph::cli
