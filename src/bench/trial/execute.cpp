#include <cstring>

#include <fmt/core.h>

#include "bench/trial/adapter.h"
#include "bench/trial/message_recorder.h"
#include "bench/trial/terminal_log.h"
#include "bench/trial/workspace.h"
#include "core/base/text.h"
#include "harness/run/run.h"
#include "harness/run/versions.h"

namespace ralph::trial {
namespace {

int exit_code_of(const stream::ProcessEnd& end) {
  if (end.signal) return 128 + *end.signal;
  return end.exit_code.value_or(1);
}

std::string signal_text(int number) {
  const char* words = ::sigdescr_np(number);
  return words == nullptr ? fmt::format("signal {}", number)
                          : fmt::format("signal {} ({})", number, words);
}

/// How the process ended, for a person; empty: as it should.
std::string end_text(std::string_view product, const stream::ProcessEnd& end) {
  if (end.signal) return fmt::format("{} was ended by {}", product, signal_text(*end.signal));
  if (end.exit_code.value_or(0) == 0) return {};
  return fmt::format("{} exited with code {}", product, *end.exit_code);
}

/// The first line, as far as it fits into a message.
std::string first_line(const TerminalLog& terminal) {
  constexpr std::size_t kMost = 200;
  const auto text = terminal.text(kMost);
  if (!text) return {};
  const auto line = trim(*text);
  return std::string(line.substr(0, line.find('\n')));
}

/// Fills an Execution from what a run left.
class Normaliser {
 public:
  Normaliser(const backend::AgentType& type, const AgentSpec& spec, const ExecutionContext& context)
      : type_(type), spec_(spec), context_(context) {}

  void add_facts(const run::Report& report, const stream::Summary& summary, bool plain_text);
  void add_errors(const run::Report& report, const TerminalLog& terminal);
  void add_messages(MessageRecorder& recorder, const TerminalLog& terminal, bool plain_text);

  Execution execution;

 private:
  void add_error(std::string message) {
    if (!message.empty()) execution.errors.push_back({std::move(message), execution.completed});
  }

  const backend::AgentType& type_;
  const AgentSpec& spec_;
  const ExecutionContext& context_;
};

void Normaliser::add_facts(const run::Report& report, const stream::Summary& summary,
                           bool plain_text) {
  auto& it = execution;
  it.type = spec_.type;
  it.product = type_.product;
  it.provider = type_.provider;
  it.version = summary.agent_version;
  it.model = summary.model.empty() ? spec_.model : summary.model;
  if (it.model.empty()) it.model = "unknown";
  it.status = status_of(facts_of(summary, report.process, plain_text));
  it.exit_code = exit_code_of(report.process);
  it.signal = report.process.signal;
  auto verdict = report.verdict;
  // Where the raw log is on this machine means nothing to a reader elsewhere.
  verdict.raw_log.clear();
  using enum stream::Outcome;
  if (verdict.outcome == crashed || verdict.outcome == no_result || verdict.outcome == no_output) {
    verdict.hint = "";
  }
  it.outcome = stream::row(verdict.outcome).name;
  it.message = verdict.message();
  if (it.status == TrialStatus::success && verdict.status() != stream::Status::success) {
    it.outcome = "plain_text";
    it.message = "the agent printed plain text";
  }
  if (summary.error) it.failure_class = stream::to_string(summary.error->error_class);
  it.session_id = summary.session_id;
  it.permission_mode = summary.permission_mode;
  it.counted = !plain_text && summary.any_event();
  it.usage = summary.usage();
  it.cost_usd = summary.cost_usd();
  it.turns = summary.turns;
  it.tool_calls = summary.tool_calls;
  it.denials = summary.denial_count;
  it.skipped_lines = report.process.skipped_lines;
  it.raw_log = report.raw_log;
  it.answer = summary.text;
  it.structured = summary.structured;
}

void Normaliser::add_errors(const run::Report& report, const TerminalLog& terminal) {
  auto& it = execution;
  const auto& end = report.process;
  it.output_bytes = terminal.bytes();
  if (it.outcome == stream::row(stream::Outcome::no_output).name && terminal.bytes() > 0) {
    it.message = fmt::format("the agent printed no stream-json: {}", first_line(terminal));
  }
  it.terminal_log = terminal.path();
  if (it.status == TrialStatus::timeout) {
    add_error(fmt::format("Execution timed out after {}ms", context_.timeout.count()));
    add_error(fmt::format("{} ran for {}ms and printed {} bytes, which are in {}", type_.product,
                          it.duration.count(), terminal.bytes(),
                          terminal.path().filename().native()));
  } else if (it.status == TrialStatus::cancelled) {
    add_error(fmt::format("cancelled by {}", end.cancelled_by->text()));
  } else if (it.status == TrialStatus::failed) {
    add_error(end_text(type_.product, end));
    if (report.verdict.status() != stream::Status::success) add_error(it.message);
    if (!end.stderr_line.empty()) add_error(fmt::format("stderr: {}", end.stderr_line));
  }
  if (report.not_recorded) add_error(describe(*report.not_recorded));
}

/// An agent that printed plain text has one message: all of it.
void Normaliser::add_messages(MessageRecorder& recorder, const TerminalLog& terminal,
                              bool plain_text) {
  if (plain_text) {
    const auto text = terminal.text(kMostCaptured + 1);
    recorder.add(Message::Role::assistant,
                 text && !text->empty() ? *text : std::string("No output captured"));
    if (text) execution.answer = *text;
  }
  execution.messages = recorder.take();
  execution.truncated = recorder.truncated();
  if (execution.truncated) add_error(std::string(kTruncatedError));
}

/// Of an agent that does not say it: what an earlier 'ralph doctor' found. Starts nothing.
std::string version_of(const backend::Plan& plan, const backend::Host& host) {
  auto version = run::Versions(run::Versions::usual_cache(host)).known(plan.program);
  return version.empty() ? "unknown" : version;
}

}  // namespace

Result<Execution> Adapter::execute(const ExecutionContext& context, const Watchers& watchers,
                                   run::Control& control, const Masker& masker) const {
  TRY_ASSIGN(const auto planned, plan(context));
  auto request = make_request(context);
  const auto host = request.host;
  const auto models = request.models;
  const bool by_stream = planned.output == backend::Output::stream_json;

  Normaliser normaliser(type_, *spec_, context);
  auto& execution = normaliser.execution;
  execution.started = now_utc();
  execution.command = planned.command.argv;
  const auto began = std::chrono::steady_clock::now();
  TRY_ASSIGN(auto terminal, TerminalLog::create(context.artifacts / type_.logs /
                                                fmt::format("terminal-output-{}.log",
                                                            file_time(execution.started))));
  MessageRecorder recorder(execution.started);
  recorder.add(Message::Role::system, fmt::format("{} CLI started", type_.product));
  recorder.add(Message::Role::user, spec_->prompt);
  stream::Summary summary(models);
  run::RunObservers observers{summary, watchers.handlers, watchers.flush,
                              watchers.set_drain_timeout};
  if (by_stream) observers.handlers.push_back(&recorder);
  observers.on_output = [&](std::string_view bytes) { return terminal.append(bytes); };

  const auto report = run::run(std::move(request), observers, control, masker);
  if (report.start_error) return std::unexpected(*report.start_error);
  execution.completed = now_utc();
  execution.duration = std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - began);
  normaliser.add_facts(report, summary, !by_stream);
  normaliser.add_errors(report, terminal);
  normaliser.add_messages(recorder, terminal, !by_stream || !summary.any_event());
  if (execution.version.empty()) execution.version = version_of(planned, host);
  return std::move(execution);
}

}  // namespace ralph::trial
