#include <algorithm>
#include <charconv>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "bench/grade/graders_impl.h"
#include "bench/grade/test_report.h"
#include "core/base/file.h"
#include "core/base/utf8.h"
#include "core/json/field.h"
#include "system/process/capture.h"
#include "system/process/environment.h"

namespace ralph::grade {
namespace {

namespace fs = std::filesystem;
using json::Document;

constexpr Millis kUsualTimeout{300'000};
constexpr std::size_t kMostReport = std::size_t{16} << 20;
constexpr std::size_t kTail = 2000;
/// What the graded code gets as PATH; nothing that an agent could have installed.
constexpr std::string_view kSystemPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A directory of its own, removed at the end.
class Scratch {
 public:
  explicit Scratch(fs::path path) : path_(std::move(path)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Nothing of our environment but the locale: no credential, and no variable that an agent's files could be found by.
Result<std::vector<process::EnvChange>> clean_environment(const fs::path& home) {
  TRY_ASSIGN(const auto ours, process::changed_environment({}));
  std::vector<process::EnvChange> changes;
  for (const std::string_view entry : ours) {
    const auto name = entry.substr(0, entry.find('='));
    if (!name.starts_with("LC_") && name != "LANG" && name != "TZ") {
      changes.push_back({std::string(name), std::nullopt});
    }
  }
  changes.push_back({"PATH", std::string(kSystemPath)});
  changes.push_back({"HOME", home.native()});
  return changes;
}

class CommandGrader final : public Grader {
 public:
  explicit CommandGrader(const trial::GraderSpec& spec) : config_(Document::parse(spec.config)) {}
  std::string_view name() const override { return "command"; }
  GradeResult grade(const GradeContext& context) const override;

 private:
  std::vector<std::string> argv() const;
  std::vector<std::string> protected_paths() const;
  Result<std::vector<std::string>> check_out(const Comparison& comparison,
                                             const fs::path& folder) const;
  Result<process::Captured> run(const GradeContext& context, const fs::path& folder,
                                const fs::path& home) const;
  std::string end_violation(const process::Captured& ran) const;
  GradeResult judge(const process::Captured& ran, const fs::path& folder,
                    const std::vector<std::string>& changed) const;
  std::optional<TestCounts> read_counts(const process::Captured& ran, const fs::path& folder,
                                        std::string& problem) const;
  Millis timeout() const {
    const auto ms = json::number(config_, "timeout_ms");
    return ms && *ms >= 1 ? Millis(static_cast<std::int64_t>(*ms)) : kUsualTimeout;
  }

  Document config_;
};

std::vector<std::string> CommandGrader::argv() const {
  const auto& command = json::member(config_, "command");
  if (command.is_string()) return {"/bin/sh", "-c", command.get<std::string>()};
  std::vector<std::string> words;
  if (!command.is_array()) return words;
  for (const auto& word : command) {
    if (word.is_string()) words.push_back(word.get<std::string>());
  }
  return words;
}

std::vector<std::string> CommandGrader::protected_paths() const {
  std::vector<std::string> specs;
  const auto& list = json::member(config_, "protect");
  if (!list.is_array()) return specs;
  for (const auto& item : list) {
    if (item.is_string()) specs.push_back(":(top,glob)" + item.get<std::string>());
  }
  return specs;
}

/// The agent's files in a new directory, protected ones as they were before the agent. Returns those that it changed.
Result<std::vector<std::string>> CommandGrader::check_out(const Comparison& comparison,
                                                          const fs::path& folder) const {
  auto git = comparison.git;
  const auto index = folder.native() + ".index";
  git.pin(folder, comparison.git.git_folder());
  TRY(make_folders(folder));
  TRY(git.ask({.words = {"read-tree", comparison.tree}, .index = index}));
  std::vector<std::string> changed;
  if (auto specs = protected_paths(); !specs.empty()) {
    std::vector<std::string> words{"diff",          "--name-only",        "--no-renames",  "-z",
                                   "--no-ext-diff", comparison.base_tree, comparison.tree, "--"};
    words.insert(words.end(), specs.begin(), specs.end());
    TRY_ASSIGN(const auto names, git.ask({.words = words}));
    for (std::string_view rest = names; !rest.empty();) {
      const auto end = rest.find('\0');
      changed.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
  }
  if (!changed.empty()) {
    std::vector<std::string> words{"reset", "--quiet", comparison.base_tree, "--"};
    for (const auto& path : changed) words.push_back(":(top,literal)" + path);
    TRY(git.ask({.words = words, .index = index}));
  }
  TRY(git.ask({.words = {"checkout-index", "--all", "--force"}, .index = index}));
  std::error_code ignored;
  fs::remove(index, ignored);
  return changed;
}

Result<process::Captured> CommandGrader::run(const GradeContext& context, const fs::path& folder,
                                             const fs::path& home) const {
  process::Command command;
  command.argv = argv();
  command.cwd = folder / json::text(config_, "working_dir");
  TRY_ASSIGN(command.env, clean_environment(home));
  for (const auto& [key, value] : json::member(config_, "env").items()) {
    if (value.is_string()) command.env.push_back({key, value.get<std::string>()});
  }
  return process::capture(command, {.wall = timeout(), .bytes = kMostReport}, context.stop);
}

std::optional<TestCounts> CommandGrader::read_counts(const process::Captured& ran,
                                                     const fs::path& folder,
                                                     std::string& problem) const {
  const auto format = json::text(config_, "format");
  if (format == "tap") {
    auto counts = read_tap(ran.out);
    if (!counts) problem = "the output has no TAP results";
    return counts;
  }
  if (format != "junit") return std::nullopt;
  const auto file = json::text(config_, "report");
  const auto text = read_file(folder / file, kMostReport);
  auto counts = text ? read_junit(*text) : std::nullopt;
  if (!counts) {
    problem = text ? fmt::format("'{}' is not a JUnit report", file) : text.error().message;
  }
  return counts;
}

/// How the command ended, unless it ended well.
std::string CommandGrader::end_violation(const process::Captured& ran) const {
  if (ran.exit.ended_by == process::EndedBy::wall) {
    return fmt::format("timed out after {}ms", timeout().count());
  }
  if (ran.exit.signal) return fmt::format("ended by signal {}", *ran.exit.signal);
  return ran.ok() ? "" : fmt::format("exit code {}", ran.exit.exit_code.value_or(-1));
}

GradeResult CommandGrader::judge(const process::Captured& ran, const fs::path& folder,
                                 const std::vector<std::string>& changed) const {
  Document metrics = Document::object();
  metrics["exit_code"] = ran.exit.exit_code ? Document(*ran.exit.exit_code) : Document(nullptr);
  metrics["duration_ms"] = ran.exit.duration.count();
  std::vector<std::string> violations;
  if (!changed.empty()) metrics["changed_protected_files"] = changed;
  for (const auto& path : changed) {
    if (json::boolean(config_, "allow_protected_changes")) break;
    violations.push_back(fmt::format("protected file {} was changed", path));
  }
  if (auto end = end_violation(ran); !end.empty()) violations.push_back(std::move(end));
  std::string problem, summary = "command finished";
  if (const auto counts = read_counts(ran, folder, problem)) {
    metrics["tests"] = counts->total;
    metrics["tests_failed"] = counts->failed;
    metrics["tests_skipped"] = counts->skipped;
    const auto passed = counts->total - counts->failed - counts->skipped;
    summary = fmt::format("{} of {} tests passed", passed, counts->total);
    if (counts->failed > 0) violations.push_back(fmt::format("{} tests failed", counts->failed));
    if (counts->total == 0) violations.push_back("no test ran");
  }
  if (!problem.empty()) violations.push_back(problem);
  metrics["output_tail"] = utf8::repaired(utf8::suffix(ran.err.empty() ? ran.out : ran.err, kTail));
  auto result = judged(summary, violations);
  result.metrics = json::write(metrics);
  return result;
}

GradeResult CommandGrader::grade(const GradeContext& context) const {
  if (argv().empty()) return skipped("no command", "config needs 'command'");
  const Scratch scratch(context.artifacts / ".ralph" /
                        fmt::format("grade-{}", now_utc().time_since_epoch().count()));
  const auto folder = scratch.path() / "work", home = scratch.path() / "home";
  if (auto made = make_folders(home); !made)
    return skipped(made.error().message, made.error().message);
  std::vector<std::string> changed;
  if (context.comparison) {
    auto checked_out = check_out(*context.comparison, folder);
    if (!checked_out) return skipped(checked_out.error().message, checked_out.error().message);
    changed = *std::move(checked_out);
  } else {
    std::error_code error;
    fs::copy(context.folder, folder, fs::copy_options::recursive | fs::copy_options::copy_symlinks,
             error);
    if (error) return skipped("cannot copy the directory: " + error.message(), error.message());
  }
  const auto ran = run(context, folder, home);
  if (!ran) return skipped(ran.error().message, ran.error().message);
  auto result = judge(*ran, folder, changed);
  result.assertions = json::write(config_);
  return result;
}

}  // namespace

std::unique_ptr<Grader> make_command(const trial::GraderSpec& spec) {
  return std::make_unique<CommandGrader>(spec);
}

}  // namespace ralph::grade
