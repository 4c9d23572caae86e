#include <array>
#include <charconv>
#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "bench/grade/graded_files.h"
#include "bench/grade/graders_impl.h"
#include "core/base/file.h"
#include "core/json/field.h"

namespace ralph::grade {
namespace {

using json::Document;

/// One line of `git diff --numstat`.
struct ChangedFile {
  std::string path;  // as git shows it: "old => new" for a rename
  std::int64_t added = 0, removed = 0;
  std::int64_t total() const { return added + removed; }
};

std::int64_t count_in(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);  // "-" of a binary file: 0
  return value;
}

/// Takes the lines of `git diff --numstat --patch` before the patch; `text` is then the patch.
std::vector<ChangedFile> take_numstat(std::string_view& text) {
  std::vector<ChangedFile> files;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty()) return files;
    const auto first = line.find('\t');
    const auto second = line.find('\t', first + 1);
    if (first == line.npos || second == line.npos) continue;
    files.push_back({std::string(line.substr(second + 1)), count_in(line.substr(0, first)),
                     count_in(line.substr(first + 1, second - first - 1))});
  }
  return files;
}

/// How evenly the changed lines are spread over the files, in bits.
double change_entropy(const std::vector<ChangedFile>& files, std::int64_t total) {
  double entropy = 0;
  for (const auto& file : files) {
    if (file.total() == 0) continue;
    const double share = static_cast<double>(file.total()) / static_cast<double>(total);
    entropy -= share * std::log2(share);
  }
  return entropy == 0 ? 0 : entropy;  // not -0
}

struct Totals {
  std::int64_t files = 0, added = 0, removed = 0;
  double entropy = 0;
  std::int64_t changes() const { return added + removed; }
};

Totals total_of(const std::vector<ChangedFile>& files) {
  Totals totals;
  totals.files = static_cast<std::int64_t>(files.size());
  for (const auto& file : files) {
    totals.added += file.added;
    totals.removed += file.removed;
  }
  totals.entropy = totals.changes() == 0 ? 0 : change_entropy(files, totals.changes());
  return totals;
}

std::vector<std::string> violations_of(const Document& limits, const Totals& totals) {
  struct Count {
    std::string_view name, limit;
    std::int64_t value;
  };
  const auto counts = std::to_array<Count>({
      {"files_changed", "max_files_changed", totals.files},
      {"lines_added", "max_lines_added", totals.added},
      {"lines_removed", "max_lines_removed", totals.removed},
      {"total_changes", "max_total_changes", totals.changes()},
  });
  std::vector<std::string> found;
  for (const auto& count : counts) {
    const auto limit = json::number(limits, count.limit);
    if (!limit || static_cast<double>(count.value) <= *limit) continue;
    found.push_back(fmt::format("{} ({}) exceeds {} ({})", count.name, count.value, count.limit,
                                number(*limit).dump()));
  }
  const auto least = json::number(limits, "min_change_entropy");
  const auto most = json::number(limits, "max_change_entropy");
  if (least && totals.entropy < *least) {
    found.push_back(fmt::format("change_entropy ({:.2f}) below min_change_entropy ({:.2f})",
                                totals.entropy, *least));
  }
  if (most && totals.entropy > *most) {
    found.push_back(fmt::format("change_entropy ({:.2f}) exceeds max_change_entropy ({:.2f})",
                                totals.entropy, *most));
  }
  return found;
}

Document metrics_of(const std::vector<ChangedFile>& files, const Totals& totals) {
  Document list = Document::array();
  for (const auto& file : files) {
    list.push_back({{"path", file.path},
                    {"additions", file.added},
                    {"deletions", file.removed},
                    {"changes", file.total()}});
  }
  return {{"files_changed", totals.files},
          {"lines_added", totals.added},
          {"lines_removed", totals.removed},
          {"total_changes", totals.changes()},
          {"change_entropy", number(totals.entropy)},
          {"changed_files", std::move(list)}};
}

/// A second grader of this kind does not replace the patch of the first.
Result<> write_patch(const GradeContext& context, std::string_view patch, GradeResult& result) {
  if (patch.empty()) return {};
  std::string name = "git-diff.patch";
  std::error_code error;
  for (int i = 2; std::filesystem::exists(context.artifacts / name, error); ++i) {
    name = fmt::format("git-diff-{}.patch", i);
  }
  TRY(write_file_atomically(context.artifacts / name, patch, 0644));
  result.artifacts.push_back({"patch", name, "Complete git diff patch"});
  return {};
}

class GitDiff final : public Grader {
 public:
  explicit GitDiff(const trial::GraderSpec& spec) : config_(Document::parse(spec.config)) {}
  std::string_view name() const override { return "git-diff"; }
  GradeResult grade(const GradeContext& context) const override;

 private:
  Result<std::string> base_tree(const GradeContext& context) const;
  Result<std::string> changes_since(const GradeContext& context, const std::string& base) const;
  git::Call diff_call(const GradeContext& context, const std::string& base) const;

  Document config_;
};

git::Call GitDiff::diff_call(const GradeContext& context, const std::string& base) const {
  git::Call call;
  // Names of files are quoted as git does by default.
  call.words = {"-c",
                "core.quotepath=true",
                "diff",
                "--no-color",
                "--no-ext-diff",
                "--no-textconv",
                "-M",
                "--numstat",
                "--patch",
                base,
                context.comparison->tree,
                "--"};
  if (!context.comparison->worktree_objects.empty()) {
    call.env.push_back(
        {"GIT_ALTERNATE_OBJECT_DIRECTORIES", context.comparison->worktree_objects.native()});
  }
  return call;
}

/// The tree to compare with: that before the agent began, unless the case names a commit.
Result<std::string> GitDiff::base_tree(const GradeContext& context) const {
  const auto asked = json::text(config_, "base_commit");
  const auto& comparison = *context.comparison;
  if (asked.empty() || asked == "HEAD") return comparison.base_tree;
  if (context.execution != nullptr) {
    const auto known = comparison.named_trees.find(asked);
    if (known != comparison.named_trees.end()) return known->second;
    return fail(Code::not_found, fmt::format("'{}' is not in the repository", asked),
                "base_commit must be in the history that the agent sees");
  }
  auto git = comparison.git;
  git.pin(context.folder, context.folder / ".git");
  return git.ask_line({.words = {"rev-parse", "--verify", "--end-of-options", asked + "^{tree}"}});
}

Result<std::string> GitDiff::changes_since(const GradeContext& context,
                                           const std::string& base) const {
  if (base == context.comparison->tree) return "";
  TRY_ASSIGN(auto too_long, file_too_long_to_diff(*context.comparison, base));
  if (!too_long.empty()) return fail(Code::limit, std::move(too_long));
  return context.comparison->git.ask(diff_call(context, base));
}

GradeResult GitDiff::grade(const GradeContext& context) const {
  if (!context.comparison) {
    return skipped("Git repository not found or not accessible", "no git repository");
  }
  const auto base = base_tree(context);
  if (!base) return skipped("Evaluator error: " + base.error().message, base.error().message);
  const auto listed = changes_since(context, *base);
  if (context.stop.stop_requested()) return stopped();
  if (!listed) return not_graded(listed.error());
  std::string_view patch = *listed;
  const auto files = take_numstat(patch);
  const auto totals = total_of(files);
  const auto& limits = json::member(config_, "assertions");
  const auto violations = violations_of(limits, totals);
  auto result = judged(fmt::format("{} changed file{} (+{}/-{} lines)", totals.files,
                                   totals.files == 1 ? "" : "s", totals.added, totals.removed),
                       violations);
  auto metrics = metrics_of(files, totals);
  const auto asked = json::text(config_, "base_commit");
  metrics["base_commit"] = asked.empty() ? "HEAD" : asked;
  metrics["current_commit"] = context.comparison->current_commit;
  if (!violations.empty()) metrics["violations"] = violations;
  metrics["x_base_commit"] = context.comparison->base_commit;
  if (!context.comparison->left_out.empty()) {
    metrics["x_left_out"] = context.comparison->left_out;
  }
  result.metrics = json::write(metrics);
  if (limits.is_object() && !limits.empty()) result.assertions = json::write(limits);
  if (const auto written = write_patch(context, patch, result); !written) {
    result.error = describe(written.error());
  }
  return result;
}

}  // namespace

std::unique_ptr<Grader> make_git_diff(const trial::GraderSpec& spec) {
  return std::make_unique<GitDiff>(spec);
}

}  // namespace ralph::grade
