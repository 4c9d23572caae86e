#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "cli/std_output.h"
#include "cli/stop_signals.h"
#include "system/process/command.h"

namespace ralph::cli {

/// A scratch folder with a home of its own, and the programs that are run there before the user's eyes. They see nothing of
/// his settings, keys and repositories, and write nothing outside of the folder. It is never removed.
class DemoStage {
 public:
  /// In `folder`, which is made and must be empty; without it: a new one under TMPDIR.
  static Result<DemoStage> make(const std::filesystem::path& folder, StdOutput& output,
                                const StopSignals& signals);

  const std::filesystem::path& folder() const { return folder_; }
  /// Where the programs run: the scratch project.
  std::filesystem::path project() const { return folder_ / "shop"; }
  /// On a terminal there are short pauses, for the eye.
  bool terminal() const { return terminal_; }
  /// A signal came, or nobody reads what we print.
  bool over() const { return signals_->token().stop_requested() || output_->closed(); }

  void set(std::string name, std::string value) { env_.push_back({std::move(name), value}); }

  /// "# text": what is seen next.
  void say(std::string_view text);
  /// "$ line", for what the user can type himself.
  void show_command(std::string_view line);
  /// Runs a program and passes on what it prints as it comes. On a terminal it gets one of its own. Its exit code.
  Result<int> run(const std::vector<std::string>& argv);
  /// The same, unseen. Any exit code but 0 is an error.
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
