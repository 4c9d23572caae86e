// What the commands of the benchmark share, and `bench validate`.
#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/bench.h"
#include "cli/environment.h"
#include "core/base/safe_text.h"
#include "harness/stream/outcome.h"

namespace ralph::cli {
namespace {

void print_warnings(const std::vector<trial::Problem>& warnings, const BenchLines& lines) {
  for (const auto& warning : warnings) lines.warn(to_text(warning));
}

/// Mistakes that a valid file can have.
std::vector<std::string> suspicions(const trial::TestCase& value, bool verbose) {
  std::vector<std::string> found;
  std::set<std::string> seen;
  for (const auto& grader : value.graders) {
    if (!seen.insert(grader.name).second) {
      found.push_back(fmt::format("evaluator '{}' is there more than once", grader.name));
    }
    if (trial::is_judge_name(grader.name) && !grader.config.contains("\"assertions\"") &&
        !grader.config.contains("\"criteria\"")) {
      found.push_back(fmt::format("{} has no assertions", grader.name));
    }
  }
  for (const auto& key : value.agent.ignored_keys) {
    found.push_back(fmt::format("agent.config.{} is ignored: no agent has such an option", key));
  }
  if (verbose && value.agent.prompt.size() < 10) found.push_back("the prompt is very short");
  return found;
}

int validate_case(const trial::Checked<trial::TestCase>& read, const Arguments& arguments,
                  const BenchLines& lines) {
  const auto& file = read.value.file;
  print_warnings(read.warnings, lines);
  if (!read.ok()) return report_case_problems(file, read.problems, arguments, lines);
  const bool verbose = arguments.flag("verbose");
  for (const auto& suspicion : suspicions(read.value, verbose)) lines.warn(suspicion);
  lines.info(fmt::format("{} is valid", file.native()));
  if (!verbose) return 0;
  lines.info(fmt::format("agent {}, {}, timeout {}", read.value.agent.type, read.value.repo,
                         format_duration(read.value.timeout)));
  for (const auto& grader : read.value.graders) lines.info("evaluator " + grader.name);
  return 0;
}

int validate_eval(const trial::Checked<trial::EvalCase>& read, const BenchLines& lines) {
  const auto& file = read.value.file;
  print_warnings(read.warnings, lines);
  if (!read.ok()) return report_problems(file, read.problems, lines);
  lines.info(fmt::format("{} is valid", file.native()));
  return 0;
}

int print_schema(const std::string& name, const BenchLines& lines) {
  auto schema = trial::input_schema(name);
  if (schema.empty()) schema = report::output_schema(name);
  if (schema.empty()) {
    return lines.fail(
        {Code::usage, fmt::format("unknown schema '{}'", name),
         "testcase, eval, evaluator, config, log, results, judge, or the name of a grader"});
  }
  lines.output().out(schema);
  return 0;
}

int bench_validate(const Arguments& arguments, const BenchLines& lines) {
  if (arguments.flag("schema")) return print_schema(std::string(arguments.value("schema")), lines);
  const std::filesystem::path file(arguments.value("config"));
  const auto read = trial::read_case(file, read_options(arguments.flag("allow-local"), lines));
  if (const auto* eval = std::get_if<trial::Checked<trial::EvalCase>>(&read)) {
    return validate_eval(*eval, lines);
  }
  return validate_case(std::get<0>(read), arguments, lines);
}

constexpr Option kValidateOptions[] = {
    {"-c,--config", "PATH", "required: the test case or eval file"},
    {"-v,--verbose", "", "show what the file says"},
    {"--allow-local", "", "allow local repositories and private hosts"},
    {"--schema",
     "NAME",
     "print the JSON Schema of a file instead",
     {},
     false,
     "testcase|eval|evaluator|command|judge|git-diff|expected-diff|files|regex|budget|trajectory|"
     "config|log|results"},
};
constexpr Example kValidateExamples[] = {
    {"ralph bench validate -c testcase.yaml", "name every problem with its line"},
    {"ralph bench validate --schema testcase > testcase.schema.json", "for an editor"},
};
constexpr Command kValidateCommand{
    "bench validate",
    "check a test case, or print the schema of a file",
    "Reads a test case or eval file with everything it names and lists every problem with "
    "its\nline. Starts nothing.",
    {},
    kValidateOptions,
    kValidateExamples,
    nullptr};

}  // namespace

trial::Defaults bench_defaults(const BenchLines& lines) {
  std::error_code error;
  auto read = trial::read_defaults(home_folder(), std::filesystem::current_path(error));
  print_warnings(read.warnings, lines);
  return std::move(read.value);
}

trial::ReadOptions read_options(bool allow_local, const BenchLines& lines) {
  return {bench_defaults(lines), allow_local, grade::unknown_grader, lines.as_yb()};
}

int report_problems(const std::filesystem::path& file, const std::vector<trial::Problem>& problems,
                    const BenchLines& lines) {
  if (lines.as_yb()) {
    std::vector<std::string> texts;
    for (const auto& problem : problems) texts.push_back(without_place(problem));
    lines.output().out(fmt::format(
        "Configuration of {} is not valid\nCorrect these keys and run 'yb validate' again.\n"
        "Technical details:\n{}\n",
        safe_text(file.native()), safe_text(fmt::format("{}", fmt::join(texts, "; ")))));
    return 1;
  }
  if (std::error_code error; !std::filesystem::exists(file, error)) {
    lines.fail({Code::config, fmt::format("'{}' does not exist", file.native()),
                "'ralph bench init' writes a test case to start from"});
    return stream::row(stream::Outcome::bad_config).exit_code;
  }
  lines.output().err(fmt::format("ralph: '{}' is not valid\n", safe_text(file.native())));
  for (const auto& problem : problems) {
    lines.output().err(fmt::format("  {}\n", log_masker().mask(safe_text(to_text(problem)))));
  }
  return stream::row(stream::Outcome::bad_config).exit_code;
}

int report_case_problems(const std::filesystem::path& file,
                         const std::vector<trial::Problem>& problems, const Arguments& arguments,
                         const BenchLines& lines) {
  const int code = report_problems(file, problems, lines);
  const bool repository =
      std::ranges::find(problems, "repo", &trial::Problem::path) != problems.end();
  if (repository && !arguments.flag("allow-local") && !lines.as_yb()) {
    lines.output().err("a path, or a host of your own network, needs --allow-local\n");
  }
  return code;
}

report::Writer bench_writer() {
  std::error_code error;
  return {RALPH_VERSION, std::filesystem::current_path(error)};
}

Result<FailOn> fail_on_of(const Arguments& arguments, const BenchLines& lines) {
  if (!arguments.flag("fail-on")) return FailOn{!lines.as_yb(), !lines.as_yb()};
  FailOn fail_on;
  std::string_view rest = arguments.value("fail-on");
  while (!rest.empty()) {
    const auto word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word == "agent") {
      fail_on.agent = true;
    } else if (word == "grader" || word == "evaluator") {
      fail_on.grader = true;
    } else if (word != "none") {
      return fail(Code::usage, fmt::format("unknown word '{}' of --fail-on", word),
                  "agent, grader, or none");
    }
  }
  return fail_on;
}

int bench_exit_code(const report::Bundle& bundle, FailOn fail_on, const BenchLines& lines) {
  using trial::TrialStatus;
  const auto status = bundle.execution == nullptr ? TrialStatus::success : bundle.execution->status;
  const auto code = [&](stream::Outcome outcome) {
    return lines.as_yb() ? 1 : stream::row(outcome).exit_code;
  };
  if (fail_on.agent && status == TrialStatus::timeout) return code(stream::Outcome::timed_out);
  if (fail_on.agent && status != TrialStatus::success) return code(stream::Outcome::agent_error);
  const bool failed = std::ranges::any_of(bundle.grades, [](const auto& result) {
    return result.status != grade::GradeStatus::passed;
  });
  return fail_on.grader && failed ? code(stream::Outcome::limit_reached) : 0;
}

void show_results(const report::Bundle& bundle, const BenchLines& lines) {
  for (const auto& result : bundle.grades) {
    lines.info(fmt::format("{}: {}: {}", result.grader, to_string(result.status), result.message));
  }
  lines.info(fmt::format("graders: {}", grade::overall_status(bundle.grades)));
  lines.info(fmt::format("results: {}", (bundle.artifacts / report::kResultsName).native()));
}

std::vector<grade::GradeResult> run_graders(const std::vector<trial::GraderSpec>& specs,
                                            const grade::GradeContext& context,
                                            const BenchLines& lines) {
  std::vector<grade::GradeResult> results;
  for (const auto& spec : specs) {
    if (!context.stop.stop_requested()) {
      results.push_back(run_grader(spec, context));
      continue;
    }
    results.push_back({.grader = spec.name,
                       .message = "not graded: stopped",
                       .error = "stopped",
                       .time = now_utc()});
  }
  lines.output().flush();
  return results;
}

void end_bundle(report::Bundle& bundle) {
  bundle.completed = now_utc();
  bundle.duration = bundle.completed - bundle.started;
}

Result<> publish(const report::Bundle& bundle, const std::vector<trial::PostSpec>& steps,
                 const Masker& masker, const std::stop_token& stop, const BenchLines& lines) {
  TRY(report::write_results(bundle.artifacts, results_json(bundle, bench_writer()), masker));
  show_results(bundle, lines);
  const report::PostContext context{
      .results = bundle.artifacts / report::kResultsName,
      .artifacts = bundle.artifacts,
      .workspace = bundle.workspace,
      .name = bundle.name,
      .overall_status = std::string(grade::overall_status(bundle.grades)),
      .on_output = [&lines](std::string_view text) { lines.output().out(text); },
      .stop = stop};
  for (const auto& step : steps) {
    if (stop.stop_requested()) break;
    const auto done = report::run_post_step(step, context);
    if (done) lines.info(fmt::format("post_evaluation {}: done", step.name));
    if (!done) {
      lines.warn(fmt::format("post_evaluation {}: {}", step.name, describe(done.error())));
    }
  }
  return {};
}

std::filesystem::path home_folder() {
  const char* home = std::getenv("HOME");
  return home == nullptr ? "/" : home;
}

const BenchCommand kBenchValidate{kValidateCommand, bench_validate, "config"};

}  // namespace ralph::cli
