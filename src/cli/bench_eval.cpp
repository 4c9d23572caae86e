// `bench eval`, `bench report`, `bench list`.
#include <algorithm>
#include <memory>

#include <fmt/core.h>

#include "bench/grade/grader.h"
#include "bench/trial/snapshot.h"
#include "bench/trial/workspace.h"
#include "cli/bench.h"
#include "cli/environment.h"
#include "cli/stop_signals.h"
#include "core/base/file.h"
#include "system/git/fields.h"
#include "system/git/git.h"

namespace ralph::cli {
namespace {

namespace fs = std::filesystem;

Result<fs::path> existing_folder(const std::string& name, std::string_view key) {
  std::error_code error;
  auto path = fs::canonical(name, error);
  if (!error && fs::is_directory(path, error)) return path;
  return fail(Code::not_found, fmt::format("{}: '{}' is not a directory", key, name),
              "paths are relative to the current directory");
}

/// The files of the last commit, and the rules of its `.gitignore` files.
Result<git::FileChoice> files_of_head(const git::Program& git) {
  git::FileChoice choice;
  TRY_ASSIGN(const auto text, git.ask({.words = {"ls-tree", "-r", "-z", "--name-only", "HEAD"}}));
  std::vector<fs::path> rules;
  for (git::Fields fields(text); !fields.done();) {
    const std::string path(fields.next());
    if (fs::path(path).filename() == ".gitignore") rules.emplace_back(path);
    choice.known.insert(path);
  }
  std::ranges::stable_sort(
      rules, {}, [](const fs::path& path) { return std::ranges::count(path.native(), '/'); });
  for (const auto& path : rules) {
    const auto lines = git.ask({.words = {"cat-file", "blob", "HEAD:" + path.native()}});
    if (lines) choice.rules.add(path.parent_path().native(), *lines);
  }
  return choice;
}

/// The work in a repository of the user's since its last commit. Neither its index nor its objects are changed.
Result<> compare_with_head(grade::GradeContext& context) {
  const auto& folder = context.folder;
  TRY_ASSIGN(auto git, git::Program::find());
  git.set_limits({Millis{300'000}, context.stop});
  auto own = git;
  own.pin(folder, folder / ".git");
  const auto head = own.ask_line({.words = {"rev-parse", "--verify", "HEAD"}});
  if (!head) {
    return fail(Code::not_found, fmt::format("'{}' has no commit to compare with", folder.native()),
                "commit the state before the work");
  }
  const auto& commit = *head;
  TRY_ASSIGN(const auto tree, own.ask_line({.words = {"rev-parse", "--verify", "HEAD^{tree}"}}));
  TRY_ASSIGN(auto choice, files_of_head(own));
  TRY_ASSIGN(auto opened,
             trial::SnapshotStore::open(git, folder, context.artifacts / ".ralph" / "grade.git"));
  const auto snapshots = std::make_shared<trial::SnapshotStore>(std::move(opened));
  snapshots->fix_ignored(std::move(choice));
  TRY_ASSIGN(const auto now, snapshots->take());
  context.retake = [snapshots] { return snapshots->take(); };
  context.comparison = grade::Comparison{.git = snapshots->git(),
                                         .base_tree = tree,
                                         .tree = now,
                                         .base_commit = commit,
                                         .current_commit = commit,
                                         .ignored_tree = {},
                                         .worktree_objects = folder / ".git" / "objects",
                                         .named_trees = {},
                                         .left_out = snapshots->left_out()};
  return {};
}

/// What the graders of an eval file work on; makes the directory of the results.
Result<grade::GradeContext> make_context(const trial::EvalCase& value, const fs::path& workspace,
                                         const BenchLines& lines, const std::stop_token& stop) {
  grade::GradeContext context;
  TRY_ASSIGN(context.folder, existing_folder(value.directory, "directory"));
  if (!value.expected_directory.empty()) {
    TRY_ASSIGN(context.expected, existing_folder(value.expected_directory, "expected_directory"));
  }
  context.artifacts = workspace / "artifacts";
  TRY(make_folders(context.artifacts, 0755));
  context.confinement = grade::find_confinement(value.graders);
  context.hidden = {workspace};
  context.stop = stop;
  context.progress = [&lines](std::string_view text) { lines.info(text); };
  std::error_code error;
  if (!fs::is_directory(context.folder / ".git", error)) return context;
  if (const auto compared = compare_with_head(context); !compared) {
    lines.warn(describe(compared.error()));
  }
  return context;
}

void describe_eval(const trial::EvalCase& value, const grade::GradeContext& context,
                   report::Bundle& bundle) {
  bundle.name = value.name;
  bundle.description = value.description;
  bundle.config_file = value.file.native();
  bundle.config_hash = trial::config_hash(value.canonical);
  bundle.repo = "file://" + context.folder.native();
  bundle.branch = "eval-only";
  bundle.commit = "manual";
  if (!context.expected.empty()) bundle.expected_branch = "eval-only-expected";
  bundle.artifacts = context.artifacts;
  end_bundle(bundle);
}

Result<int> run_eval(const trial::EvalCase& value, const Arguments& arguments, FailOn fail_on,
                     const BenchLines& lines) {
  run::Control control;
  const StopSignals signals([&](int signal_number) { control.end(signal_number); });
  const Masker masker(environment());
  report::Bundle bundle;
  bundle.started = now_utc();
  std::error_code error;
  bundle.workspace = fs::absolute(value.output_dir, error) / trial::eval_id(bundle.started);
  TRY_ASSIGN(auto context, make_context(value, bundle.workspace, lines, signals.token()));
  context.run_agent = judge_runner(arguments, control, masker);
  bundle.grades = run_graders(value.graders, context, lines);
  describe_eval(value, context, bundle);
  const auto log = report::manual_log_json(bundle.started, bundle.completed, bench_writer());
  TRY(report::write_log(bundle.artifacts, log, masker));
  TRY(publish(bundle, value.post_evaluation, masker, signals.token(), lines));
  if (const int signal_number = signals.received(); signal_number != 0) return 128 + signal_number;
  return bench_exit_code(bundle, fail_on, lines);
}

int bench_eval(const Arguments& arguments, const BenchLines& lines) {
  const auto fail_on = fail_on_of(arguments, lines);
  if (!fail_on) return lines.fail(fail_on.error());
  const fs::path file(arguments.value("config"));
  const auto read = trial::read_eval_case(file, read_options(false, lines));
  if (!read.ok()) return report_problems(file, read.problems, lines);
  for (const auto& warning : read.warnings) lines.warn(to_text(warning));
  const auto code = run_eval(read.value, arguments, *fail_on, lines);
  return code ? *code : lines.fail(code.error());
}

int bench_report(const Arguments& arguments, const BenchLines& lines) {
  const auto format = arguments.value("format", "markdown");
  const bool is_json = format == "json";
  if (!is_json && format != "markdown" && format != "md") {
    return lines.fail(
        {Code::usage, fmt::format("unknown format '{}'", format), "json or markdown"});
  }
  const fs::path from(arguments.value("from"));
  const auto text = report::make_report(
      from, is_json ? report::ReportFormat::json : report::ReportFormat::markdown);
  if (!text) return lines.fail(text.error());
  const auto usual = from.parent_path() / (is_json ? "report.json" : "report.md");
  const fs::path target(arguments.value("output", usual.native()));
  if (auto written = write_file_atomically(target, *text, 0644); !written)
    return lines.fail(written.error());
  lines.info(fmt::format("report: {}", target.native()));
  return 0;
}

int bench_list(const Arguments&, const BenchLines& lines) {
  auto& output = lines.output();
  output.out("Evaluators:\n");
  for (const auto& grader : grade::graders()) {
    output.out(fmt::format("  {:<14} {}\n", grader.name, grader.summary));
  }
  output.out(
      "\nIn a test case:\n"
      "  evaluators:\n"
      "    - name: git-diff\n"
      "      config:\n"
      "        assertions:\n"
      "          max_files_changed: 3\n");
  return 0;
}

constexpr Option kBenchEvalOptions[] = {
    {"-c,--config", "PATH", "required: the eval file"},
    {"--sandbox", "", "confine judges to a copy of the files (needs bubblewrap)"},
    {"--fail-on", "LIST", "failures that make the exit code non-zero: grader, none"},
};
constexpr Option kBenchReportOptions[] = {
    {"--from", "PATH", "required: results.json of a run"},
    {"--format", "FORMAT", "json or markdown (default: markdown)"},
    {"--output", "PATH", "default: report.md or report.json beside the results"},
};
constexpr Command kEvalCommand{"bench eval",
                               "grade a directory without running an agent",
                               "Runs the graders of an eval file over a directory that exists.",
                               {},
                               kBenchEvalOptions,
                               {},
                               nullptr};
constexpr Command kReportCommand{
    "bench report",
    "write a report of results.json",
    "Reads results of 'ralph bench' or youBencha and writes a report for people.",
    {},
    kBenchReportOptions,
    {},
    nullptr};
constexpr Command kListCommand{
    "bench list", "list the graders", "Lists the graders of test cases.", {}, {}, {}, nullptr};

}  // namespace

const BenchCommand kBenchEval{kEvalCommand, bench_eval, "config"};
const BenchCommand kBenchReport{kReportCommand, bench_report, "from"};
const BenchCommand kBenchList{kListCommand, bench_list};

}  // namespace ralph::cli
