#include <algorithm>
#include <map>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "bench/grade/edit_distance.h"
#include "bench/grade/graders_impl.h"
#include "core/base/file.h"
#include "core/json/field.h"

namespace ralph::grade {
namespace {

namespace fs = std::filesystem;
using json::Document;

constexpr double kUsualThreshold = 0.8;
constexpr std::size_t kMostNewFiles = 100'000;
constexpr std::size_t kLargestFile = std::size_t{64} << 20;
/// Steps of 64 units at most for one pair of files: some seconds.
constexpr double kMostSteps = 1e10;
/// A pair from this size on reports its progress.
constexpr std::size_t kLongFile = 1'000'000;

/// The regular files and symbolic links below a directory, without `.git`, by their relative paths.
std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(folder, error);
  for (const auto end = fs::recursive_directory_iterator(); !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename() == ".git") {
      entry.disable_recursion_pending();
    } else if (entry->is_symlink(error) || entry->is_regular_file(error)) {
      paths.push_back(entry->path().lexically_relative(folder).generic_string());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

struct Compared {
  std::string path, status;  // matched, changed, added, removed
  double similarity = 0;
};

/// What a symbolic link leads to; none: it is a file.
std::optional<fs::path> target_of(const fs::path& path) {
  std::error_code error;
  auto target = fs::read_symlink(path, error);
  return error ? std::nullopt : std::optional(std::move(target));
}

Result<double> compare(const fs::path& a, const fs::path& b, const GradeContext& context) {
  const auto ours = target_of(a), theirs = target_of(b);
  if (ours || theirs) return ours == theirs ? 1.0 : 0.0;
  TRY_ASSIGN(const auto one, read_file(a, kLargestFile));
  TRY_ASSIGN(const auto other, read_file(b, kLargestFile));
  if (one == other) return 1.0;
  const auto left = to_utf16(one), right = to_utf16(other);
  const auto report = [&](double share) {
    context.progress(fmt::format("{}: {:.0f}% compared", a.filename().native(), share * 100));
  };
  const bool is_long = std::max(left.size(), right.size()) >= kLongFile;
  const auto found =
      similarity(left, right, kMostSteps, is_long ? std::function<void(double)>(report) : nullptr);
  if (found) return *found;
  return fail(Code::limit,
              fmt::format("'{}' is too large to compare ({} and {} characters, many differences)",
                          a.filename().native(), left.size(), right.size()));
}

/// The numbers of the whole comparison.
struct Tally {
  std::vector<Compared> files;
  std::size_t matched = 0, changed = 0, added = 0, removed = 0;
  double sum = 0;  // of the files in both

  void add(std::string path, std::string status, double similarity) {
    (status == "matched"   ? matched
     : status == "changed" ? changed
     : status == "added"   ? added
                           : removed)++;
    if (status == "matched" || status == "changed") sum += similarity;
    files.push_back({std::move(path), std::move(status), similarity});
  }
  double aggregate() const {
    const auto both = matched + changed;
    const auto all = both + added + removed;
    if (all == 0) return 1;
    if (both == 0) return 0;
    const double mean = sum / static_cast<double>(both);
    return std::clamp(mean - static_cast<double>(added + removed) / static_cast<double>(all), 0.0,
                      1.0);
  }
};

Result<Tally> compare_folders(const GradeContext& context) {
  const auto ours = files_below(context.folder), theirs = files_below(context.expected);
  if (ours.size() > theirs.size() + kMostNewFiles) {
    return fail(Code::limit,
                fmt::format("there are {} files, and {} are expected", ours.size(), theirs.size()));
  }
  Tally tally;
  for (const auto& path : ours) {
    if (context.stop.stop_requested()) return fail(Code::unavailable, "stopped");
    const bool in_both = std::ranges::binary_search(theirs, path);
    const bool is_helper =
        std::ranges::find(context.helper_files, path) != context.helper_files.end();
    if (!in_both && !is_helper) tally.add(path, "added", 0);
    if (!in_both) continue;
    TRY_ASSIGN(const double value,
               compare(context.folder / path, context.expected / path, context));
    tally.add(path, value == 1 ? "matched" : "changed", value);
  }
  for (const auto& path : theirs) {
    if (!std::ranges::binary_search(ours, path)) tally.add(path, "removed", 0);
  }
  return tally;
}

Document details_of(const Tally& tally) {
  Document list = Document::array();
  for (const auto& file : tally.files) {
    list.push_back(
        {{"path", file.path}, {"similarity", number(file.similarity)}, {"status", file.status}});
  }
  return list;
}

std::string message_of(const Tally& tally, double aggregate, double threshold) {
  auto text =
      fmt::format("{} Similarity: {:.1f}% (threshold: {:.0f}%) | Files: {} matched, {} changed",
                  aggregate >= threshold ? "✓" : "✗", aggregate * 100, threshold * 100,
                  tally.matched, tally.changed);
  if (tally.added > 0) text += fmt::format(" | {} added", tally.added);
  if (tally.removed > 0) text += fmt::format(" | {} removed", tally.removed);
  return text;
}

class ExpectedDiff final : public Grader {
 public:
  explicit ExpectedDiff(const trial::GraderSpec& spec) {
    const auto config = Document::parse(spec.config);
    threshold_ = json::number(config, "threshold").value_or(0);
    if (threshold_ == 0) threshold_ = kUsualThreshold;
  }
  std::string_view name() const override { return "expected-diff"; }
  GradeResult grade(const GradeContext& context) const override;

 private:
  double threshold_;
};

GradeResult ExpectedDiff::grade(const GradeContext& context) const {
  if (context.no_expected) return not_graded(*context.no_expected);
  if (context.expected.empty()) {
    return skipped("Expected reference not found", "the case has no expected result");
  }
  const auto tally = compare_folders(context);
  if (context.stop.stop_requested()) return stopped();
  if (!tally) return not_graded(tally.error());
  const double aggregate = tally->aggregate();
  Document summary{{"aggregate_similarity", number(aggregate)},
                   {"files_matched", tally->matched},
                   {"files_changed", tally->changed},
                   {"files_added", tally->added},
                   {"files_removed", tally->removed}};
  GradeResult result;
  result.status = aggregate >= threshold_ ? GradeStatus::passed : GradeStatus::failed;
  result.message = message_of(*tally, aggregate, threshold_);
  auto metrics = summary;
  metrics["file_similarities"] = details_of(*tally);
  result.metrics = json::write(metrics);
  result.assertions = json::write({{"threshold", number(threshold_)}});
  const Document report{{"summary", std::move(summary)},
                        {"file_details", details_of(*tally)},
                        {"timestamp", iso_utc(now_utc())}};
  constexpr const char* kName = "expected-diff-report.json";
  if (write_file_atomically(context.artifacts / kName, json::write_pretty(report), 0644)) {
    result.artifacts.push_back({"report", kName, "Similarity of each file"});
  }
  return result;
}

}  // namespace

std::unique_ptr<Grader> make_expected_diff(const trial::GraderSpec& spec) {
  return std::make_unique<ExpectedDiff>(spec);
}

}  // namespace ralph::grade
