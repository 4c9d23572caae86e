#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bench/trial/execution.h"
#include "bench/trial/test_case.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "system/git/program.h"

namespace ralph::grade {

enum class GradeStatus { passed, failed, skipped };
std::string_view to_string(GradeStatus status);

/// A file that a grader wrote.
struct Artifact {
  std::string type, path, description;  // path: relative to artifacts/
};

/// What one grader found.
struct GradeResult {
  std::string grader;
  GradeStatus status = GradeStatus::skipped;
  std::string message;
  std::string metrics = "{}";   // JSON object
  std::string assertions = {};  // JSON; empty: none
  std::vector<Artifact> artifacts = {};
  std::string error = {};  // why it was skipped; empty: it was not
  Millis duration{0};
  UtcTime time = {};
};

/// The work of the agent between two trees that git has. `git` is pinned to a repository of ours.
struct Comparison {
  git::Program git;
  std::string base_tree, tree;
  std::string base_commit, current_commit;  // for the report
  std::filesystem::path
      worktree_objects;  // of the worktree's own repository, to find other commits
};

/// Runs an agent in `folder`, as the agent of a trial is run; its logs are below `logs`.
using AgentRunner = std::function<Result<trial::Execution>(
    const trial::AgentSpec& spec, const std::filesystem::path& folder,
    const std::filesystem::path& logs, Millis timeout)>;

/// What graders work on. Every process of the agent has ended.
struct GradeContext {
  std::filesystem::path folder;    // the graded directory
  std::filesystem::path expected;  // empty: there is none
  std::filesystem::path artifacts;
  std::optional<Comparison> comparison;         // none: the directory is not a repository
  std::vector<std::string> helper_files;        // of the agent, copied by us: not its work
  const trial::Execution* execution = nullptr;  // none: no agent ran
  AgentRunner run_agent = {};                   // for judges; none: they are skipped
  std::stop_token stop = {};
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

/// Grades one thing. Made for one GraderSpec.
class Grader {
 public:
  virtual ~Grader() = default;
  /// As in the test case.
  virtual std::string_view name() const = 0;
  virtual GradeResult grade(const GradeContext& context) const = 0;
};

struct GraderInfo {
  std::string_view name, summary;
  std::unique_ptr<Grader> (*make)(const trial::GraderSpec& spec);
};
/// Every kind of grader, in the order of `bench list`.
std::span<const GraderInfo> graders();

/// The agent that the grader starts; none: it starts no agent.
std::optional<trial::AgentSpec> judge_of(const trial::GraderSpec& spec);

/// Runs the grader of a spec. One that is unknown or throws is skipped with its error.
GradeResult run_grader(const trial::GraderSpec& spec, const GradeContext& context);

/// failed: one failed. passed: all passed. Else partial.
std::string_view overall_status(std::span<const GradeResult> results);

}  // namespace ralph::grade
