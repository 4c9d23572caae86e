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

/// One bash command with everything it starts, watched over by a thread of its own. It ends with its shell:
/// what the shell leaves running is ended then. Destroyed earlier, it ends the whole tree.
class BashCommand {
 public:
  struct Order {
    std::string text;
    std::filesystem::path folder;
    std::vector<process::EnvChange> environment;
    std::filesystem::path output_file;  // for output that is too much to be shown
    std::size_t shown = 0;              // the most characters that are not too much
    std::optional<process::Confinement> confinement = std::nullopt;
    std::optional<process::ConfinementSupport> support = std::nullopt;
  };
  /// In a session of its own, no terminal, stdin at its end, stderr in stdout.
  static Result<std::unique_ptr<BashCommand>> start(Order order);
  BashCommand(const BashCommand&) = delete;
  BashCommand& operator=(const BashCommand&) = delete;
  ~BashCommand();

  enum class Waited { ended, deadline, stop };
  Waited wait(SteadyTime deadline, const std::stop_token& stop);
  bool ended() const;
  /// Asks the tree to end: SIGTERM, half a second later SIGKILL. Does not wait.
  void end();
  void end_after(Millis time);
  /// Calls it when the command has ended, in another thread; at once when it has ended already.
  void when_ended(std::function<void()> call);

  BashOutput& output() { return output_; }

  /// Once it has ended. The shell's exit code; of a signal 128 + its number.
  int exit_code() const;
  /// Not by itself: on request, or at its time limit.
  bool was_ended() const { return exit_.ended_by != process::EndedBy::nothing; }
  /// Where the shell was at its end; empty: unknown.
  std::filesystem::path final_folder() const;

 private:
  explicit BashCommand(const Order& order);
  void run(process::Child child, std::stop_token stop);

  BashOutput output_;
  UniqueFd folder_note_;  // the shell writes its last folder here
  process::Watch watch_;
  process::Exit exit_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool ended_ = false;
  std::function<void()> when_ended_;
  std::jthread thread_;
};

}  // namespace ralph::tool
