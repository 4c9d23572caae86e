#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "bench/grade/grader.h"
#include "core/base/result.h"

namespace ralph::grade {

/// A copy of the graded files for a judge, removed at the end. Files that give agents instructions or settings are as
/// before the graded agent, which could otherwise direct its judge with them.
class JudgeView {
 public:
  /// Makes the directory `folder`.
  static Result<JudgeView> create(const GradeContext& context, const std::filesystem::path& folder);
  JudgeView(JudgeView&& other) noexcept;
  JudgeView& operator=(JudgeView&&) = delete;
  ~JudgeView();

  const std::filesystem::path& folder() const { return folder_; }
  /// Files with instructions that the graded agent changed.
  const std::vector<std::string>& reset_files() const { return reset_files_; }

 private:
  explicit JudgeView(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<> check_out(const GradeContext& context);
  Result<> copy(const std::filesystem::path& from);

  std::filesystem::path folder_;
  std::vector<std::string> reset_files_;
};

/// What the agent changed, as a patch; empty: unknown.
std::string patch_of(const GradeContext& context);

/// Whether a judge changed the graded directory. After a trial the changes are undone; a directory of the user's stays as it is.
Result<bool> undo_changes_of_judge(const GradeContext& context);

}  // namespace ralph::grade
