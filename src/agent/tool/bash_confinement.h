#pragma once
#include <filesystem>
#include <optional>

#include "agent/tool/tool.h"
#include "core/base/result.h"
#include "system/process/confinement.h"

namespace ralph::tool {

/// The private TMPDIR of one command, 0700. The guard removes it when the command's last process has ended; without a
/// guard, the destructor does.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }
  /// From here on the guard removes it.
  void release() { path_.clear(); }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// The confinement of a command that runs with a grant; nullopt: none (Grant::user). The error says why it cannot be
/// enforced.
Result<std::optional<process::Confinement>> confinement_of(Grant grant, const Workspace& workspace,
                                                           const std::filesystem::path& scratch);

}  // namespace ralph::tool
