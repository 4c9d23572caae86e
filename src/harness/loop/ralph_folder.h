#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "harness/loop/loop_reporter.h"
#include "harness/store/lock.h"
#include "harness/store/loop_state_files.h"
#include "harness/store/workspace.h"

namespace ralph::loop {

/// The directory `.ralph` of a loop and its lock, restored when an agent removes them.
class RalphFolder {
 public:
  /// Takes the lock.
  static Result<RalphFolder> open(const std::filesystem::path& root, std::string loop_id);

  const store::Workspace& workspace() const { return workspace_; }
  /// True: the directory, its state directory or its lock was not as we left it, and was made again; `records` are
  /// written again where they are gone. Logs of earlier runs cannot be brought back.
  Result<bool> repair(const store::LoopStateFiles& files,
                      const std::vector<store::LoopRecord>& records, LoopReporter& reporter);

 private:
  RalphFolder(std::filesystem::path root, std::string loop_id, store::Workspace workspace,
              store::Lock lock)
      : root_(std::move(root)),
        loop_id_(std::move(loop_id)),
        workspace_(std::move(workspace)),
        lock_(std::move(lock)) {}
  bool is_same() const;

  std::filesystem::path root_;
  std::string loop_id_;
  store::Workspace workspace_;
  std::optional<store::Lock> lock_;
  UniqueFd folder_;  // `.ralph`, held open: its inode number is not given to another directory
};

}  // namespace ralph::loop
