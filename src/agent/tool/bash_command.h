#pragma once
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "agent/tool/bash_output.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/base/unique_fd.h"
#include "system/process/supervise.h"

namespace ralph::tool {

/// One bash command with its process tree, supervised by its own thread. When the shell ends, processes it left behind
/// are ended. The destructor ends the whole tree.
class BashCommand {
 public:
  struct Options {
    std::string text;
    std::filesystem::path folder;
    std::vector<process::EnvChange> environment;
    std::filesystem::path output_file;  // for output too long to show
    std::size_t shown = 0;              // the most bytes to show
    std::optional<process::Confinement> confinement = std::nullopt;
    std::optional<process::ConfinementSupport> support = std::nullopt;
  };
  /// In its own session, without a terminal, with empty stdin and stderr merged into stdout.
  static Result<std::unique_ptr<BashCommand>> start(const Options& options);
  BashCommand(const BashCommand&) = delete;
  BashCommand& operator=(const BashCommand&) = delete;
  ~BashCommand();

  enum class Waited { ended, deadline, stop };
  Waited wait(SteadyTime deadline, const std::stop_token& stop);
  bool ended() const;
  /// Asks the tree to end: SIGTERM, then SIGKILL half a second later. Does not wait.
  void end();
  void end_after(Millis time);
  /// Calls `call` when the command has ended, from another thread; at once if it has ended already.
  void when_ended(std::function<void()> call);

  BashOutput& output() { return output_; }

  /// After the end: the shell's exit code, or 128 + the signal number.
  int exit_code() const;
  /// Whether it was ended on request or at its time limit.
  bool was_ended() const { return exit_.ended_by != process::EndedBy::nothing; }
  /// The shell's working directory when it ended; empty: unknown.
  std::filesystem::path final_folder() const;

 private:
  explicit BashCommand(const Options& options);
  void run(process::Child child, std::stop_token stop);

  BashOutput output_;
  UniqueFd folder_note_;  // the shell writes its last working directory here
  process::RunHandle handle_;
  process::Exit exit_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool ended_ = false;
  std::function<void()> when_ended_;
  std::jthread thread_;
};

}  // namespace ralph::tool
