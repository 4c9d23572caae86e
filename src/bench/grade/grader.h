#pragma once
#include <filesystem>
#include <functional>
#include <map>
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
#include "system/git/path_glob.h"
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
  std::string ignored_tree = {};  // protected files of the base that git ignores; empty: none
  /// Of the worktree's own repository. Only where no agent of ours could write there: objects have no proof.
  std::filesystem::path worktree_objects = {};
  std::map<std::string, std::string> named_trees = {};  // of named_commits(), from before the agent
  std::vector<std::string> left_out = {};               // files that git cannot store
};

/// How graders that run code keep it from the rest of the machine.
struct Confinement {
  std::string bwrap;    // its path; empty: there is none
  std::string problem;  // why there is none
};

/// Runs an agent in `folder`, as the agent of a trial is run; its logs are below `logs`.
using AgentRunner = std::function<Result<trial::Execution>(
    const trial::AgentSpec& spec, const std::filesystem::path& folder,
    const std::filesystem::path& logs, Millis timeout)>;

/// What graders work on. Every process of the agent has ended.
struct GradeContext {
  std::filesystem::path folder;           // the graded directory
  std::filesystem::path expected;         // empty: there is none
  std::optional<Error> no_expected = {};  // why there is none, although the case has one
  std::filesystem::path artifacts;
  std::optional<Comparison> comparison;         // none: the directory is not a repository
  std::vector<std::string> helper_files;        // of the agent, copied by us: not its work
  const trial::Execution* execution = nullptr;  // none: no agent ran
  AgentRunner run_agent = {};                   // for judges; none: they are skipped
  Confinement confinement = {};
  std::vector<std::filesystem::path> hidden = {};  // graded code does not see these
  /// An error: what graders compare with was changed by the agent, or by graded code.
  std::function<Result<>()> check_trusted = [] { return Result<>(); };
  /// The tree of what the directory holds now, as `comparison` has that of the agent's work. Empty: it is not kept.
  std::function<Result<std::string>()> retake = {};
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

/// Finds bubblewrap if a grader of these runs code. Before an agent runs: it could plant another one.
Confinement find_confinement(std::span<const trial::GraderSpec> specs);
/// What the `protect` settings of these graders match. Code::usage: a pattern is wrong.
Result<git::PathGlobs> protected_paths(std::span<const trial::GraderSpec> specs);
/// Patterns of `protect` that match none of these files: misspelt, or meant for files that the agent could add.
std::vector<std::string> unmatched_patterns(std::span<const trial::GraderSpec> specs,
                                            std::span<const std::string> paths);
/// Commits that graders compare with by name.
std::vector<std::string> named_commits(std::span<const trial::GraderSpec> specs);

/// A grader that does not exist, and what may be meant: "unknown grader 'git-dif'; did you mean 'git-diff'?"; empty: it does.
std::string unknown_grader(std::string_view name);

/// The agent that the grader starts; none: it starts no agent.
std::optional<trial::AgentSpec> judge_of(const trial::GraderSpec& spec);

/// Runs the grader of a spec. One that is unknown is skipped with its error; one that throws fails, and each does if
/// `check_trusted` fails.
GradeResult run_grader(const trial::GraderSpec& spec, const GradeContext& context);

/// failed: one failed. passed: all passed. Else partial.
std::string_view overall_status(std::span<const GradeResult> results);

}  // namespace ralph::grade
