#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/time.h"

namespace ralph::trial {

/// The directories of one trial. The agent works in `modified`; nothing of ours is in there.
struct Layout {
  std::filesystem::path root;       // <workspace_dir>/<run id>, absolute
  std::filesystem::path modified;   // src-modified
  std::filesystem::path expected;   // src-expected
  std::filesystem::path artifacts;  // results, logs and, in .ralph, state and lock
};

/// "run-2026-11-18-1763450000000", or with the case's workspace_name instead of "run".
std::string run_id(std::string_view workspace_name, UtcTime now);
/// "eval-2026-11-18T09-30-00-123Z".
std::string eval_id(UtcTime now);
/// iso_utc() as a part of a file name: "2026-11-18T09-30-00-123Z".
std::string file_time(UtcTime time);

/// The workspace of one trial. While this lives, `.lock` in its root names our process.
class Workspace {
 public:
  /// Makes the directories. Code::storage: they cannot be made or written.
  static Result<Workspace> create(const std::filesystem::path& folder, std::string_view name,
                                  std::string_view repo, UtcTime now);
  Workspace(Workspace&& other) noexcept : layout_(std::move(other.layout_)) { other.layout_ = {}; }
  Workspace& operator=(Workspace&&) = delete;
  ~Workspace();

  const Layout& layout() const { return layout_; }
  /// Removes everything: the trial did not begin.
  void remove_all();
  /// Removes the sources and keeps the results. Code::storage: something is left.
  Result<> remove_sources();

 private:
  explicit Workspace(Layout layout) : layout_(std::move(layout)) {}
  Layout layout_;
};

}  // namespace ralph::trial
