#pragma once
#include <filesystem>
#include <optional>

#include "agent/tool/tool.h"
#include "core/base/result.h"
#include "system/process/confinement.h"

namespace ralph::tool {

/// A folder of one command, 0700, that no other command writes to: its TMPDIR. Removed by the guard when the command's last
/// process has ended, and by us where no guard was started.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }
  /// From here on the guard sees to it.
  void release() { path_.clear(); }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// What a command can do that runs on a grant; nullopt: whatever the user can. The error says why nothing holds it to
/// that here.
Result<std::optional<process::Confinement>> confinement_of(Grant grant, const Workspace& workspace,
                                                           const std::filesystem::path& scratch);

}  // namespace ralph::tool
