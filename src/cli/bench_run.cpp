#include <algorithm>
#include <csignal>
#include <optional>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "bench/trial/adapter.h"
#include "bench/trial/script.h"
#include "bench/trial/sources.h"
#include "bench/trial/workspace.h"
#include "cli/bench.h"
#include "cli/bench_base.h"
#include "cli/environment.h"
#include "cli/stop_signals.h"
#include "core/base/log.h"
#include "core/base/safe_text.h"
#include "ui/console/console.h"

namespace ralph::cli {
namespace {

namespace fs = std::filesystem;
using trial::TrialStatus;

/// Shows what the agent does, without the end of the run, which is shown by its status.
class AgentView final : public stream::Handler {
 public:
  explicit AgentView(console::Console& console) : console_(console) {}
  void on_any(const stream::Event& event) override {
    if (!std::holds_alternative<stream::RunResult>(event.what)) dispatch(event, console_);
  }

 private:
  console::Console& console_;
};

/// Nothing was graded: a limit of git or of a script does not end with the exit code of grades.
std::unexpected<Error> not_begun(Error error) {
  if (error.code == Code::limit) error.code = Code::unavailable;
  return std::unexpected(std::move(error));
}

/// One `bench run` from the checked case to the exit code.
class BenchRun {
 public:
  BenchRun(const trial::TestCase& test_case, const trial::Adapter& adapter,
           const Arguments& arguments, FailOn fail_on, const BenchLines& lines)
      : case_(test_case),
        adapter_(adapter),
        arguments_(arguments),
        fail_on_(fail_on),
        lines_(lines),
        masker_(environment()) {}

  /// The steps in their order. What they made is removed if an error keeps the agent from being started.
  Result<int> run(bool keep_workspace);

 private:
  trial::ExecutionContext context_in(const fs::path& workspace, const fs::path& artifacts) const;
  Result<> check_agent();
  Result<> check_repository();
  Result<> prepare_sources();
  Result<> run_pre_scripts();
  Result<> take_base();
  Result<> check_named_commits() const;
  Result<> execute();
  Result<> check_artifacts() const;
  Result<> prepare();
  void run_watched(Result<trial::Execution>& executed);
  void clone_expected(grade::GradeContext& context);
  grade::GradeContext grade_context();
  void complete_bundle();
  int exit_code() const;
  std::vector<config::Pair> variables() const;
  const trial::Layout& layout() const { return workspace_->layout(); }

  const trial::TestCase& case_;
  const trial::Adapter& adapter_;
  const Arguments& arguments_;
  FailOn fail_on_;
  const BenchLines& lines_;
  Masker masker_;
  run::Control control_;
  std::optional<StopSignals> signals_;
  std::optional<git::Program> git_;
  trial::Source source_ = trial::source_of(case_);
  std::optional<trial::Workspace> workspace_;
  std::optional<BenchBase> base_;
  FolderIdentity artifacts_;
  bool agent_ran_ = false;
  std::string base_commit_, expected_commit_, git_settings_;
  std::vector<std::string> helper_files_;
  trial::Execution execution_;
  report::Bundle bundle_;
};

trial::ExecutionContext BenchRun::context_in(const fs::path& workspace,
                                             const fs::path& artifacts) const {
  auto context = bench_context(arguments_, workspace, artifacts);
  context.timeout = case_.timeout;
  return context;
}

/// Before anything is cloned.
Result<> BenchRun::check_agent() {
  std::error_code error;
  const auto here = fs::current_path(error);
  auto usable = adapter_.check_availability(context_in(here, here));
  if (!usable && lines_.as_yb()) {
    return fail(usable.error().code,
                fmt::format("Agent {} is not available or not authenticated: {}", adapter_.name(),
                            usable.error().message),
                usable.error().hint);
  }
  if (!usable) return usable;
  auto judges = check_judges(case_.graders, context_in(here, here));
  if (judges || !lines_.as_yb()) return judges;
  lines_.warn(fmt::format("{}; it will be skipped", judges.error().message));
  return {};
}

Result<> BenchRun::check_repository() {
  TRY_ASSIGN(git_, git::Program::find());
  git_->set_limits({case_.timeout, signals_->token()});
  if (case_.expected.empty()) return {};
  TRY_ASSIGN(expected_commit_, check_branch(*git_, source_, case_.expected));
  git_settings_ = trial::user_settings_digest();
  return {};
}

Result<> BenchRun::prepare_sources() {
  TRY_ASSIGN(auto workspace, trial::Workspace::create(case_.workspace_dir, case_.workspace_name,
                                                      case_.repo, bundle_.started));
  workspace_.emplace(std::move(workspace));
  git_->start_in(layout().root);
  lines_.info(fmt::format("cloning {}", case_.repo));
  TRY_ASSIGN(base_commit_, clone_base(*git_, source_, layout().modified));
  return {};
}

std::vector<config::Pair> BenchRun::variables() const {
  return {{"WORKSPACE_DIR", layout().root.native()},
          {"REPO_DIR", layout().modified.native()},
          {"ARTIFACTS_DIR", layout().artifacts.native()},
          {"TEST_CASE_NAME", case_.name},
          {"REPO_URL", case_.repo},
          {"BRANCH", case_.branch}};
}

Result<> BenchRun::run_pre_scripts() {
  for (const auto& script : case_.pre_execution) {
    trial::ScriptContext context{.folder = layout().modified, .variables = variables()};
    context.stop = signals_->token();
    context.on_output = [this](std::string_view text) { lines_.output().out(text); };
    if (const auto ran = run_script(script, context); !ran) {
      return fail(ran.error().code, "Pre-execution failed: " + ran.error().message,
                  fmt::format("the command is '{}'", script.command));
    }
  }
  return {};
}

/// youBencha skips the graders that need them.
Result<> BenchRun::check_named_commits() const {
  std::vector<std::string> texts;
  for (const auto& problem : base_->missing_commits()) texts.push_back(to_text(problem));
  if (texts.empty()) return {};
  if (!lines_.as_yb()) {
    return fail(Code::not_found, fmt::format("{}", fmt::join(texts, "; ")),
                "a grader can name commits of the history that the agent sees: with 'commit' in "
                "the test case all before it, otherwise only the newest");
  }
  for (const auto& text : texts) lines_.warn(text);
  return {};
}

/// The files as the agent finds them.
Result<> BenchRun::take_base() {
  TRY_ASSIGN(auto base, BenchBase::record(case_, *git_, layout(), base_commit_));
  base_.emplace(std::move(base));
  TRY(check_named_commits());
  TRY_ASSIGN(artifacts_, FolderIdentity::of(layout().artifacts));
  for (const auto& pattern : base_->unmatched()) {
    lines_.warn(fmt::format("protect: '{}' matches no file of the repository", pattern));
  }
  if (const auto& problem = base_->confinement().problem; !problem.empty()) {
    lines_.warn(fmt::format(
        "graders run code in a clean clone, but with network and access to your files: {}",
        problem));
  }
  return {};
}

void BenchRun::run_watched(Result<trial::Execution>& executed) {
  const auto models = model::Table::builtin();
  stream::Summary summary(models);
  auto& output = lines_.output();
  const bool quiet = arguments_.flag("quiet"), verbose = arguments_.flag("verbose");
  auto options = console_options(quiet     ? console::Verbosity::quiet
                                 : verbose ? console::Verbosity::verbose
                                           : console::Verbosity::normal);
  options.agent_name = adapter_.product();
  console::Console console(options, masker_, summary, output);
  AgentView shown(console);
  executed = adapter_.execute(context_in(layout().modified, layout().artifacts),
                              {{&summary, &shown},
                               [&] { output.flush(); },
                               [&](Millis patience) { output.set_drain_timeout(patience); }},
                              control_, masker_);
}

Result<> BenchRun::execute() {
  const auto context = context_in(layout().modified, layout().artifacts);
  if (log::enabled()) {
    if (const auto words = adapter_.command_line(context)) {
      log::debug("bench", fmt::format("agent: {}", fmt::join(*words, " ")));
    }
  }
  lines_.info(
      fmt::format("running {} (timeout {})", adapter_.name(), format_duration(case_.timeout)));
  Result<trial::Execution> executed;
  run_watched(executed);
  TRY_ASSIGN(execution_, std::move(executed));
  // What our own agent prints is the version of Claude Code that it is compatible with.
  if (adapter_.is_own_agent()) execution_.version = RALPH_VERSION;
  agent_ran_ = true;
  lines_.info(fmt::format("agent: {} after {} (exit code {})", to_string(execution_.status),
                          format_duration(execution_.duration), execution_.exit_code));
  for (const auto& error : execution_.errors) lines_.info("  " + error.message);
  TRY(check_artifacts());
  return report::write_log(layout().artifacts, log_json(execution_, bench_writer()), masker_);
}

/// An agent can remove what is beside its directory, or put a link there.
Result<> BenchRun::check_artifacts() const {
  const auto now = FolderIdentity::of(layout().artifacts);
  if (now && *now == artifacts_) return {};
  return fail(Code::storage,
              fmt::format("the directory of the results was removed or replaced while the agent "
                          "ran: '{}'; nothing was graded, and what is left was kept",
                          layout().artifacts.native()),
              "run the agent with --sandbox");
}

/// Up to the end of the agent.
Result<> BenchRun::prepare() {
  TRY(prepare_sources());
  TRY(run_pre_scripts());
  if (!case_.agent.agent_name.empty()) {
    helper_files_ = copy_agent_files(layout().modified, false);
  }
  TRY(take_base());
  return execute();
}

/// Before anything that programs which git's settings name could change.
void BenchRun::clone_expected(grade::GradeContext& context) {
  auto git = *git_;
  if (trial::user_settings_digest() != git_settings_) {
    lines_.warn("your git settings were changed while the agent ran: they are not used");
    git.ignore_user_settings();
  }
  const auto cloned =
      trial::clone_expected(git, source_, {case_.expected, expected_commit_}, layout().expected);
  if (cloned) context.expected = layout().expected;
  if (cloned) return;
  lines_.warn(describe(cloned.error()));
  context.no_expected = cloned.error();
}

grade::GradeContext BenchRun::grade_context() {
  grade::GradeContext context;
  context.folder = layout().modified;
  context.artifacts = layout().artifacts;
  context.helper_files = helper_files_;
  context.execution = &execution_;
  context.confinement = base_->confinement();
  context.hidden = {layout().root};
  if (source_.address.starts_with("file://")) context.hidden.push_back(source_.address.substr(7));
  context.run_agent = judge_runner(arguments_, control_, masker_);
  context.stop = signals_->token();
  context.progress = [this](std::string_view text) { lines_.info(text); };
  if (!case_.expected.empty() && !signals_->token().stop_requested()) clone_expected(context);
  if (auto comparison = base_->compare()) {
    context.comparison = *std::move(comparison);
    context.check_trusted = [this] { return base_->check(); };
    context.retake = [this] { return base_->retake(); };
  } else {
    lines_.warn(describe(comparison.error()));
    context.check_trusted = [error = comparison.error()]() -> Result<> {
      return std::unexpected(error);
    };
  }
  return context;
}

void BenchRun::complete_bundle() {
  bundle_.name = case_.name;
  bundle_.description = case_.description;
  bundle_.config_file = case_.file.native();
  bundle_.config_hash = trial::config_hash(case_.canonical);
  bundle_.repo = case_.repo;
  bundle_.branch = case_.branch.empty() ? "unknown" : case_.branch;
  bundle_.commit = base_commit_;
  bundle_.expected_branch = case_.expected;
  bundle_.workspace = layout().root;
  bundle_.artifacts = layout().artifacts;
  bundle_.execution = &execution_;
  end_bundle(bundle_);
}

int BenchRun::exit_code() const {
  if (const int signal_number = signals_->received(); signal_number != 0)
    return 128 + signal_number;
  return bench_exit_code(bundle_, fail_on_, lines_);
}

Result<int> BenchRun::run(bool keep_workspace) {
  signals_.emplace([this](int signal_number) {
    lines_.output().set_drain_timeout(kSignalDrainTimeout);
    control_.end(signal_number);
  });
  bundle_.started = now_utc();
  if (const auto usable = check_agent(); !usable) return lines_.fail_unavailable(usable.error());
  if (const auto found = check_repository(); !found) return not_begun(found.error());
  if (auto prepared = prepare(); !prepared) {
    if (workspace_ && !agent_ran_) workspace_->remove_all();
    const int signal_number = signals_->received();
    if (signal_number != 0) return 128 + signal_number;
    return agent_ran_ ? std::unexpected(prepared.error()) : not_begun(prepared.error());
  }
  bundle_.grades = run_graders(case_.graders, grade_context(), lines_);
  complete_bundle();
  TRY(publish(bundle_, case_.post_evaluation, masker_, signals_->token(), lines_));
  if (!keep_workspace) {
    if (const auto removed = workspace_->remove_sources(); !removed) {
      lines_.warn(describe(removed.error()));
    }
  }
  return exit_code();
}

int bench_run(const Arguments& arguments, const BenchLines& lines) {
  const auto fail_on = fail_on_of(arguments, lines);
  if (!fail_on) return lines.fail(fail_on.error());
  const auto options = read_options(arguments.flag("allow-local"), lines);
  const fs::path file(arguments.value("config"));
  const auto read = trial::read_test_case(file, options);
  if (!read.ok()) return report_case_problems(file, read.problems, arguments, lines);
  for (const auto& warning : read.warnings) lines.warn(to_text(warning));
  for (const auto& key : read.value.agent.ignored_keys) {
    lines.warn(fmt::format("agent.config.{} is ignored: no agent has such an option", key));
  }
  const auto adapter = trial::Adapter::find(read.value.agent);
  if (!adapter) return lines.fail(adapter.error());
  BenchRun one(read.value, *adapter, arguments, *fail_on, lines);
  const auto code = one.run(options.defaults.keep_workspace && !arguments.flag("delete-workspace"));
  return code ? *code : lines.fail(code.error());
}

constexpr Option kBenchRunOptions[] = {
    {"-c,--config", "PATH", "required: the test case"},
    {"--delete-workspace", "", "remove the sources at the end; results are kept"},
    {"--allow-local", "", "allow local repositories and private hosts"},
    {"--sandbox", "", "confine the agent to its workspace (needs bubblewrap)"},
    {"--fail-on", "LIST", "failures that make the exit code non-zero: agent, grader, none"},
    {"-q,--quiet", "", "do not show what the agent does"},
    {"-v,--verbose", "", "also show results of tools, usage and notices"},
};
constexpr Example kBenchRunExamples[] = {
    {"ralph bench run -c testcase.yaml", "run the agent and grade its work"},
    {"ralph bench run -c testcase.yaml --sandbox --fail-on grader", "confined; the graders decide"},
};
constexpr Command kBenchRunCommand{
    "bench run",
    "run an agent on a test case and grade its work",
    "Clones the repository of the test case, runs its agent there once, and grades what the "
    "agent\nleft. Logs and results are in <workspace_dir>/<run>/artifacts.",
    {},
    kBenchRunOptions,
    kBenchRunExamples,
    nullptr};

}  // namespace

const BenchCommand kBenchRun{kBenchRunCommand, bench_run, "config"};

}  // namespace ralph::cli
