#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report/bundle.h"
#include "bench/report/post_evaluation.h"
#include "bench/trial/adapter.h"
#include "bench/trial/test_case.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/std_output.h"
#include "core/base/result.h"

namespace ralph::cli {

/// The name the benchmark was called by. As `yb` or `youbencha` its lines and exit codes are those of youBencha.
enum class BenchName { ralph_bench, yb };

/// What the benchmark prints: lines of information on stdout, warnings and errors on stderr.
class BenchLines {
 public:
  BenchLines(BenchName name, StdOutput& output) : name_(name), output_(output) {}

  void info(std::string_view text) const;
  void warn(std::string_view text) const;
  /// Prints the error and returns the exit code: youBencha's 1, or that of the outcome table.
  int fail(const Error& error) const;
  /// The same for an agent that cannot be used.
  int fail_unavailable(const Error& error) const;

  bool as_yb() const { return name_ == BenchName::yb; }
  StdOutput& output() const { return output_; }

 private:
  BenchName name_;
  StdOutput& output_;
};

/// The commands of the benchmark: `ralph bench NAME` or `yb NAME`.
struct BenchCommand {
  const Command& command;  // its name is "bench run", for help
  int (*run)(const Arguments&, const BenchLines&);
  std::string_view required = {};  // the option it needs: "config"
  std::string_view name() const { return last_word(command); }
};
extern const BenchCommand kBenchRun, kBenchEval, kBenchReport, kBenchValidate, kBenchInit,
    kBenchList, kBenchConfig, kBenchInstallAgents, kBenchSuggest;

/// `yb …`.
int run_yb(std::span<const std::string> words, StdOutput& output);

/// Defaults of the home and the current directory; a file that is ignored is a warning.
trial::Defaults bench_defaults(const BenchLines& lines);
/// How a case file is read.
trial::ReadOptions read_options(bool allow_local, const BenchLines& lines);
/// Prints every problem of a case file and returns the exit code.
int report_problems(const std::filesystem::path& file, const std::vector<trial::Problem>& problems,
                    const BenchLines& lines);
/// The same for a test case, with a hint about local repositories.
int report_case_problems(const std::filesystem::path& file,
                         const std::vector<trial::Problem>& problems, const Arguments& arguments,
                         const BenchLines& lines);
report::Writer bench_writer();

/// `--fail-on agent,grader`: which failures make the exit code non-zero.
struct FailOn {
  bool agent = false, grader = false;
};
/// Code::usage: another word. As `ralph bench` both are the default.
Result<FailOn> fail_on_of(const Arguments& arguments, const BenchLines& lines);
/// 0, or why the results count as failed: 1 or 7 (timeout) for the agent, 6 for a grader; as `yb` 1.
int bench_exit_code(const report::Bundle& bundle, FailOn fail_on, const BenchLines& lines);
/// Prints one line per grader and where the results are.
void show_results(const report::Bundle& bundle, const BenchLines& lines);
/// Runs the graders one after the other. After a stop request the rest is skipped.
std::vector<grade::GradeResult> run_graders(const std::vector<trial::GraderSpec>& specs,
                                            const grade::GradeContext& context,
                                            const BenchLines& lines);

/// How an agent of the benchmark is run in a directory, with its logs below `artifacts`.
trial::ExecutionContext bench_context(const Arguments& arguments,
                                      const std::filesystem::path& workspace,
                                      const std::filesystem::path& artifacts);
/// Copies the agents that the current directory defines. Returns the new files; a file that exists is kept unless `replace`.
std::vector<std::string> copy_agent_files(const std::filesystem::path& target, bool replace);
/// Code::usage, not_found, permission: the agent of a judge cannot be used.
Result<> check_judges(const std::vector<trial::GraderSpec>& specs,
                      const trial::ExecutionContext& context);
/// Runs the agents of judges. The arguments outlive it.
grade::AgentRunner judge_runner(const Arguments& arguments, run::Control& control,
                                const Masker& masker);

/// The time when a trial or evaluation ended.
void end_bundle(report::Bundle& bundle);
/// Writes the results, shows them, and runs what follows the graders; a failure of that is a warning.
Result<> publish(const report::Bundle& bundle, const std::vector<trial::PostSpec>& steps,
                 const Masker& masker, const std::stop_token& stop, const BenchLines& lines);

/// The home directory; "/" if there is none.
std::filesystem::path home_folder();

}  // namespace ralph::cli
