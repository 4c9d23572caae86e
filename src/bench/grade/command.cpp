#include <algorithm>
#include <ranges>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/grade/graded_files.h"
#include "bench/grade/graders_impl.h"
#include "bench/grade/rewrite_check.h"
#include "bench/grade/test_report.h"
#include "bench/trial/snapshot.h"
#include "core/base/folder.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/json/field.h"
#include "harness/run/clean_clone.h"
#include "system/process/capture.h"

namespace ralph::grade {
namespace {

namespace fs = std::filesystem;
using json::Document;

constexpr Millis kUsualTimeout{300'000};
constexpr std::size_t kMostReport = std::size_t{16} << 20;
constexpr std::size_t kTail = 2000;
constexpr std::size_t kMostNamed = 20;  // protected files in the message
/// What graded code can do without bubblewrap.
constexpr std::string_view kNotEnforced[] = {"no network", "other files hidden or read-only",
                                             "other processes hidden",
                                             "no changes to the memory of other processes"};

/// A file of the directory whose path has no link in it: a link could lead to any file.
Result<std::string> read_inside(const fs::path& root, const fs::path& path) {
  TRY_ASSIGN(auto folder, Folder::open(root));
  for (const auto& part : path.parent_path()) {
    if (part == "." || part.empty()) continue;
    TRY_ASSIGN(folder, folder.open_folder(part.native()));
  }
  return folder.read(path.filename().native(), kMostReport);
}

/// An error: `name` is not a directory of the clone. The agent could have made a link of it.
Result<> check_working_dir(const fs::path& root, const std::string& name) {
  std::error_code error;
  const auto top = fs::canonical(root, error);
  const auto folder = error ? fs::path() : fs::canonical(root / name, error);
  if (error || !fs::is_directory(folder, error)) {
    return fail(Code::not_found,
                fmt::format("working_dir '{}' is not a directory of the repository", name));
  }
  const auto relative = folder.lexically_relative(top);
  if (!relative.empty() && *relative.begin() != "..") return {};
  return fail(Code::permission,
              fmt::format("working_dir '{}' leads out of the repository by a link", name));
}

/// bubblewrap reports with its own exit code that it could not start the command.
Result<> check_started(const process::Captured& ran, const std::string& program) {
  const auto prefix = fmt::format("bwrap: execvp {}: ", program);
  if (ran.exit.exit_code != 1 || !ran.out.empty() || !ran.err.starts_with(prefix)) return {};
  const auto reason = trim(std::string_view(ran.err).substr(prefix.size()));
  if (reason != "No such file or directory") {
    return fail(Code::permission, fmt::format("program '{}': {}", program, reason));
  }
  return fail(Code::not_found,
              program.contains('/')
                  ? fmt::format("program '{}', or its interpreter, does not exist", program)
                  : fmt::format("program '{}' was not found in PATH", program));
}

class CommandGrader final : public Grader {
 public:
  explicit CommandGrader(const trial::GraderSpec& spec) : config_(Document::parse(spec.config)) {}
  std::string_view name() const override { return "command"; }
  GradeResult grade(const GradeContext& context) const override;

 private:
  std::vector<std::string> argv() const;
  Result<Comparison> comparison_of(const GradeContext& context) const;
  Result<run::CleanClone> make_clone(const GradeContext& context, const Comparison& comparison,
                                     GradedFiles& files) const;
  Result<process::Captured> run(const GradeContext& context, const run::CleanClone& clone,
                                const RewriteCheck& rewrites) const;
  std::string end_violation(const process::Captured& ran) const;
  void judge_counts(const process::Captured& ran, const run::CleanClone& clone, Document& metrics,
                    std::string& summary, std::vector<std::string>& violations) const;
  GradeResult judge(const process::Captured& ran, const run::CleanClone& clone,
                    const GradeContext& context, const std::vector<std::string>& changed,
                    const std::vector<std::string>& rewritten) const;
  Result<TestCounts> read_counts(const process::Captured& ran, const run::CleanClone& clone) const;
  std::string working_dir() const { return json::text(config_, "working_dir"); }
  /// Of the report that the command writes, in the repository; empty: it writes none.
  fs::path report() const {
    const auto name = json::text(config_, "report");
    return name.empty() ? fs::path() : (fs::path(working_dir()) / name).lexically_normal();
  }
  Millis timeout() const {
    const auto ms = json::number(config_, "timeout_ms");
    return ms && *ms >= 1 ? Millis(static_cast<std::int64_t>(*ms)) : kUsualTimeout;
  }

  Document config_;
};

std::vector<std::string> CommandGrader::argv() const {
  const auto& command = json::member(config_, "command");
  if (command.is_string()) return {"/bin/sh", "-c", command.get<std::string>()};
  return json::texts(command);
}

/// A directory that is not a repository is compared with nothing.
Result<Comparison> CommandGrader::comparison_of(const GradeContext& context) const {
  if (context.comparison) return *context.comparison;
  if (!json::texts(config_, "protect").empty()) {
    return fail(Code::usage, "'protect' needs a git repository, which has the files to use instead",
                "run 'git init' and commit them");
  }
  TRY_ASSIGN(const auto git, git::Program::find());
  TRY_ASSIGN(auto copy, trial::SnapshotStore::open(git, context.folder,
                                                   context.artifacts / ".ralph" / "copy.git"));
  TRY_ASSIGN(auto tree, copy.take());
  return Comparison{copy.git(), {}, std::move(tree), {}, {}};
}

Result<run::CleanClone> CommandGrader::make_clone(const GradeContext& context,
                                                  const Comparison& comparison,
                                                  GradedFiles& files) const {
  TRY_ASSIGN(const auto protect,
             git::PathGlobs::make(json::texts(config_, "protect"), "'protect'"));
  TRY_ASSIGN(files, graded_files(comparison, protect, report().native()));
  std::vector<fs::path> objects{comparison.git.git_folder() / "objects"};
  if (!comparison.worktree_objects.empty()) objects.push_back(comparison.worktree_objects);
  return run::CleanClone::make({.git = comparison.git,
                                .objects = std::move(objects),
                                .workspace = context.folder,
                                .commit = {},
                                .base_tree = comparison.base_tree,
                                .tree = comparison.tree,
                                .entries = files.entries,
                                .raw = true});
}

Result<process::Captured> CommandGrader::run(const GradeContext& context,
                                             const run::CleanClone& clone,
                                             const RewriteCheck& rewrites) const {
  process::Command command;
  command.argv = argv();
  command.cwd = clone.root() / working_dir();
  command.env = clone.environment({});
  for (const auto& [key, value] : json::member(config_, "env").items()) {
    if (value.is_string()) command.env.push_back({key, value.get<std::string>()});
  }
  if (!context.confinement.bwrap.empty()) {
    auto hidden = context.hidden;
    hidden.push_back(context.folder);
    hidden.push_back(context.artifacts);
    const auto confine =
        clone.confinement(context.confinement.bwrap, hidden, command.cwd, rewrites.mountable());
    TRY_ASSIGN(command, confine(std::move(command)));
  }
  auto ran = process::capture(command, {.wall = timeout(), .bytes = kMostReport}, context.stop);
  if (ran && !context.confinement.bwrap.empty()) TRY(check_started(*ran, argv().front()));
  return ran;
}

Result<TestCounts> CommandGrader::read_counts(const process::Captured& ran,
                                              const run::CleanClone& clone) const {
  if (json::text(config_, "format") == "tap") {
    if (ran.cut) {
      return fail(Code::limit, fmt::format("the output has more than {} bytes", kMostReport));
    }
    return read_tap(ran.out);
  }
  const auto text = read_inside(clone.root(), report());
  if (!text) {
    return fail(Code::not_found,
                fmt::format("no report '{}': {}", report().native(), text.error().message));
  }
  auto counts = read_junit(*text);
  if (counts) return counts;
  return fail(Code::malformed, fmt::format("'{}' is not a JUnit report: {}", report().native(),
                                           counts.error().message));
}

/// The metrics have all of them.
void add_protected(const std::vector<std::string>& paths, std::string_view what,
                   std::vector<std::string>& violations) {
  for (const auto& path : paths | std::views::take(kMostNamed)) {
    violations.push_back(fmt::format("protected file {} {}", path, what));
  }
  if (paths.size() > kMostNamed) {
    violations.push_back(fmt::format("and {} more", paths.size() - kMostNamed));
  }
}

/// How the command ended, unless it ended well.
std::string CommandGrader::end_violation(const process::Captured& ran) const {
  if (ran.exit.ended_by == process::EndedBy::wall) {
    return fmt::format("timed out after {}ms", timeout().count());
  }
  if (ran.exit.signal) return fmt::format("ended by signal {}", *ran.exit.signal);
  return ran.ok() ? "" : fmt::format("exit code {}", ran.exit.exit_code.value_or(-1));
}

/// A report counts in addition to the exit code, never instead of it: graded code may have written it.
void CommandGrader::judge_counts(const process::Captured& ran, const run::CleanClone& clone,
                                 Document& metrics, std::string& summary,
                                 std::vector<std::string>& violations) const {
  const auto counts = read_counts(ran, clone);
  if (!counts) {
    violations.push_back(counts.error().message);
    return;
  }
  const auto passed = counts->passed();
  const auto least = std::max<std::int64_t>(1, json::integer(config_, "min_tests"));
  metrics["tests"] = counts->total;
  metrics["tests_failed"] = counts->failed;
  metrics["tests_skipped"] = counts->skipped;
  summary = fmt::format("{} of {} tests passed", passed, counts->total);
  if (counts->failed > 0) violations.push_back(fmt::format("{} tests failed", counts->failed));
  violations.insert(violations.end(), counts->problems.begin(), counts->problems.end());
  if (counts->total == 0) {
    violations.push_back("no test ran");
  } else if (counts->failed == 0 && passed < least) {
    violations.push_back(fmt::format("{} tests passed, not {}", passed, least));
  }
}

GradeResult CommandGrader::judge(const process::Captured& ran, const run::CleanClone& clone,
                                 const GradeContext& context,
                                 const std::vector<std::string>& changed,
                                 const std::vector<std::string>& rewritten) const {
  Document metrics = Document::object();
  metrics["exit_code"] = ran.exit.exit_code ? Document(*ran.exit.exit_code) : Document(nullptr);
  metrics["duration_ms"] = ran.exit.duration.count();
  std::vector<std::string> violations;
  if (!changed.empty()) metrics["changed_protected_files"] = changed;
  if (!json::boolean(config_, "allow_protected_changes")) {
    add_protected(changed, "was changed", violations);
  }
  if (!rewritten.empty()) metrics["rewritten_protected_files"] = rewritten;
  add_protected(rewritten, "was rewritten by the command", violations);
  if (auto end = end_violation(ran); !end.empty()) violations.push_back(std::move(end));
  std::string summary = "command finished";
  if (!json::text(config_, "format").empty()) {
    judge_counts(ran, clone, metrics, summary, violations);
  }
  const bool confined = !context.confinement.bwrap.empty();
  metrics["isolation"] = confined ? "clean clone, bubblewrap" : "clean clone";
  if (!confined) metrics["not_enforced"] = kNotEnforced;
  if (context.comparison && !context.comparison->left_out.empty()) {
    metrics["left_out"] = context.comparison->left_out;
  }
  metrics["output_tail"] = utf8::repaired(utf8::suffix(ran.err.empty() ? ran.out : ran.err, kTail));
  auto result = judged(summary, violations);
  result.metrics = json::write(metrics);
  return result;
}

GradeResult not_run(const Error& error) {
  auto result = judged("command not run", {error.message});
  result.error = describe(error);
  return result;
}

GradeResult CommandGrader::grade(const GradeContext& context) const {
  if (argv().empty()) return skipped("no command", "config needs 'command'");
  const auto comparison = comparison_of(context);
  if (!comparison) return skipped(comparison.error().message, describe(comparison.error()));
  GradedFiles files;
  const auto clone = make_clone(context, *comparison, files);
  if (context.stop.stop_requested()) return stopped();
  if (!clone) return not_graded(clone.error());
  if (const auto usable = check_working_dir(clone->root(), working_dir()); !usable) {
    return not_run(usable.error());
  }
  auto rewrites = RewriteCheck::begin(comparison->git, clone->root(), files.kept);
  if (!rewrites) return skipped(rewrites.error().message, describe(rewrites.error()));
  const auto ran = run(context, *clone, *rewrites);
  // A command that we ended says nothing about the work.
  if (context.stop.stop_requested()) return stopped();
  if (!ran) return not_run(ran.error());
  const auto rewritten = rewrites->rewritten();
  // Graded code may have made them unreadable.
  if (!rewritten) return not_graded(rewritten.error());
  auto result = judge(*ran, *clone, context, files.changed, *rewritten);
  result.assertions = json::write(config_);
  return result;
}

}  // namespace

std::unique_ptr<Grader> make_command(const trial::GraderSpec& spec) {
  return std::make_unique<CommandGrader>(spec);
}

}  // namespace ralph::grade
