#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "core/base/id.h"
#include "core/base/money.h"
#include "core/base/names.h"
#include "core/base/path.h"
#include "core/base/safe_text.h"
#include "core/base/utf8.h"
#include "system/git/git.h"
#include "harness/loop/answer_capture.h"
#include "harness/loop/excerpt.h"
#include "harness/loop/loop_impl.h"
#include "harness/loop/run_requests.h"
#include "harness/loop/run_timer.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kLongestProgress = 8000;  // bytes of a text that is no answer
constexpr std::size_t kLongestSubject = 72;
constexpr double kCostSteps = 1e6;  // of a dollar

std::string last_words(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  return utf8::repaired(end_of(text.substr(0, end + 1), kLongestProgress).text);
}

/// The last line with words says what was done; it becomes the first.
std::string last_line_first(std::string text) {
  const auto word =
      text.find_last_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
  const auto before = word == text.npos ? word : text.rfind('\n', word);
  if (before == text.npos) return text;
  const auto end = std::min(text.find('\n', word), text.size());
  const auto line = text.substr(before + 1, end - before - 1);
  return fmt::format("{}\n\n{}", line, text.erase(before, end - before));
}

/// A run that was stopped for what it cost.
bool spent_all(const RunOutcome& end, std::optional<double> max_cost) {
  if (end.verdict.outcome != stream::Outcome::limit_reached || !max_cost) return false;
  const bool said =
      !end.summary.results.empty() && end.summary.results.back().reason.contains("budget");
  return said || end.summary.cost_usd().value_or(0) >= *max_cost;
}

/// Relative where that is possible: a workspace may be moved.
std::string shown_in(const std::filesystem::path& workspace, const std::filesystem::path& path) {
  const bool inside = !path.empty() && is_below(path, workspace);
  return utf8::repaired((inside ? path.lexically_relative(workspace) : path).native());
}

const std::string& text_of(const stream::Summary& summary) {
  return summary.text.empty() ? summary.streamed_text : summary.text;
}

std::string commit_message(const Record& record) {
  auto words = safe_text(record.progress);
  const auto subject = utf8::shortened(words.substr(0, words.find('\n')), kLongestSubject);
  const bool refused = record.is(LoopDecision::refused);
  if (refused) words += "\n\nThe agent said DONE; verification refused it.";
  return fmt::format("ralph: iteration {}{}: {}\n\n{}\n", record.iteration,
                     refused ? ", DONE refused" : "", subject, words);
}

std::string correction_words(std::int64_t n) {
  return fmt::format("no valid answer from the agent; asking again ({} of {})", n,
                     kMostCorrections);
}

}  // namespace

Answer answer_of(const Setup& setup, const stream::Summary& summary) {
  if (answers_by_schema(*setup.request.backend)) return structured_answer(summary.structured);
  return text_answer(text_of(summary), setup.options.done_marker);
}

void Loop::begin_run(Phase phase, std::int64_t iteration, std::string run_id) {
  state_.current =
      Current{iteration, std::move(run_id), now_utc(), phase, {}, {}, {}, {}};
}

/// Read where that can be done: it is needed often.
std::string Loop::head() const {
  if (!git_) return {};
  const auto known = git::read_head(setup_.request.host.workspace);
  const bool read = known && *known && !(*known)->commit.empty();
  return read ? (*known)->commit : git_->head().value_or("");
}

run::Request Loop::within_budget(run::Request request) const {
  const auto& budget = setup_.options.budget;
  if (const auto left = cost_left(budget, totals_, state_.earlier_days, now_utc())) {
    // Some agents print the number as they got it.
    request.ask.max_cost = std::max(1.0, std::round(*left * kCostSteps)) / kCostSteps;
    const bool of_loop = budget.cost_usd && *budget.cost_usd - totals_.cost_usd <= *left;
    request.limits.cost_before_usd =
        (of_loop ? *budget.cost_usd : budget.cost_per_day_usd.value_or(0)) - *left;
  }
  if (budget.time > Millis::zero()) {
    const auto left = std::max(Millis{1}, budget.time - elapsed());
    auto& limits = request.limits;
    if (limits.wall == Millis::zero() || left < limits.wall) {
      limits.wall = left;
      limits.wall_of_loop = budget.time;
    }
  }
  return request;
}

RunOutcome Loop::run(run::Request request, const RunInfo& run) {
  RunOutcome end{{}, {}, stream::Summary(setup_.request.models), {}};
  RunTimer time;
  AnswerCapture given;
  auto handlers = observer_.begin(run, end.summary);
  handlers.insert(handlers.begin(), {&time, &given});
  const run::Audience audience{end.summary, handlers, [&] { observer_.flush(); },
                               [&](Millis patience) { observer_.hurry(patience); }};
  const auto max_cost = request.ask.max_cost;
  if (request.follow_up) {
    // Called from the thread of the events.
    request.follow_up = [this, ask = std::move(request.follow_up)](const auto& summary, int sent) {
      auto text = ask(summary, sent);
      if (text) note(stream::Level::info, correction_words(sent + 1));
      return text;
    };
  }
  request.warnings_told = std::exchange(warnings_told_, true);
  const auto report = run::run(std::move(request), audience, control_.runs(), masker_);
  end.verdict = report.verdict;
  end.raw_log = report.raw_log;
  end.time = time.split();
  end.answer = answer_of(setup_, end.summary);
  end.spent_all = spent_all(end, max_cost);
  // It was paid for.
  if (end.spent_all && end.answer.summary.empty())
    end.answer = structured_answer(given.structured());
  const bool recorded =
      !report.not_recorded && report.verdict.outcome != stream::Outcome::storage_failed;
  log_removed_ = !recorded && mend_workspace().value_or(false);
  if (report.not_recorded && !storage_ && !log_removed_) storage_ = report.not_recorded;
  return end;
}

/// An agent that answers in text is told in its session what is wrong with the answer.
RunOutcome Loop::run_with_corrections(run::Request request, const RunInfo& run) {
  auto end = this->run(request, run);
  const auto& can = request.backend->can;
  for (int sent = 0; sent < kMostCorrections; ++sent) {
    const bool answered = end.verdict.status() == stream::Status::success;
    const bool possible = can.resume && !can.json_schema && !end.summary.session_id.empty();
    if (!answered || !possible || !end.answer.summary.empty() || control_.wants_end()) break;
    note(stream::Level::info, correction_words(sent + 1));
    auto again = run;
    again.run_id = make_run_id();
    auto more = this->run(correction_request(request, again.run_id, end.summary.session_id,
                                             end.answer.correction, sent),
                          again);
    end.time += more.time;
    end.answer = more.answer;
    end.verdict = more.verdict;
    end.corrections.push_back(std::move(more.summary));
  }
  return end;
}

/// Starts of the iteration so far that do not count, and this one.
std::int64_t Loop::attempt_of(std::int64_t iteration) const {
  return 1 + std::ranges::count_if(records_, [&](const Record& record) {
           return record.step == Record::Step::attempt && record.iteration == iteration &&
                  !record.is(LoopDecision::no_summary);
         });
}

Loop::Over Loop::iterate() {
  const auto iteration = totals_.iterations + 1;
  use_edited_goal();
  begin_run(Phase::agent, iteration, make_run_id());
  auto& current = *state_.current;
  current.tree_before = std::exchange(left_content_, {});
  if (current.tree_before.empty()) current.tree_before = content();
  if (!tampered_.empty()) return LoopStop{StopReason::tampered, tampered_};
  current.commit_before = head();
  current.branch = state_.branch_at_start == "HEAD" ? "" : state_.branch_at_start;
  std::string refused;
  const auto guidance = guidance_.pending(refused);
  if (!refused.empty() && refused != refused_guidance_) note(stream::Level::warning, refused);
  refused_guidance_ = refused;
  for (const auto& each : guidance) current.guidance.push_back(each.name);
  if (auto saved = save(); !saved) {
    storage_ = saved.error();
    return std::nullopt;
  }
  std::vector<std::string> cuts;
  auto prompt =
      make_prompt(setup_.form, prompt_parts(setup_, records_, guidance, verifier_->names()),
                  setup_.options.caps, cuts);
  for (const auto& cut : cuts) {
    note(stream::Level::warning, fmt::format("{} is too long for the prompt and was cut", cut));
  }
  auto request = within_budget(worker_request(
      setup_, current.run_id, {iteration, attempt_of(iteration)}, std::move(prompt)));
  if (!goal_note_.empty()) request.notes.push_back(goal_note_);
  auto end = run_with_corrections(request, {RunInfo::Kind::worker, iteration, current.run_id});
  return settle(current, std::move(end));
}

Record Loop::make_record(Record::Step step, const Current& current, const RunOutcome& end) const {
  Record record;
  record.step = step;
  record.iteration = current.iteration;
  record.at = now_utc();
  record.run_id = current.run_id;
  record.raw_log = shown_in(setup_.request.host.root(), end.raw_log);
  record.outcome = end.verdict.outcome;
  record.cost_usd = end.summary.cost_usd();
  if (end.cost_at_least_usd > record.cost_usd.value_or(0)) record.cost_usd = end.cost_at_least_usd;
  record.tokens = end.summary.usage();
  record.model = end.summary.model;
  record.tool_calls = end.summary.tool_calls;
  for (const auto& more : end.corrections) {
    if (more.cost_usd()) {
      record.cost_usd = rounded_usd(record.cost_usd.value_or(0) + *more.cost_usd());
    }
    record.tokens += more.usage();
    record.tool_calls += more.tool_calls;
  }
  record.time = end.time;
  record.commit_before = current.commit_before;
  return record;
}

/// The record first: whoever finds it knows that the step is over.
Result<> Loop::keep(const RunInfo& run, Record record) {
  record.progress = masker_.mask(record.progress);
  if (record.verification) record.verification->tail = masker_.mask(record.verification->tail);
  if (run.kind == RunInfo::Kind::worker) record.note = std::exchange(goal_note_, {});
  TRY(mend_workspace());
  check_goal_after_run();
  TRY(store_.append(record));
  if (record.step == Record::Step::iteration && state_.current) {
    guidance_.remove(state_.current->guidance);
  }
  records_.push_back(record);
  totals_ = add_up(records_, state_.fresh_from);
  state_.current.reset();
  TRY(save());
  observer_.ended(run, record, totals_);
  return {};
}

/// Words without a form are an answer too, where no form can be asked for.
void take_words(const Setup& setup, RunOutcome& end) {
  if (!end.answer.summary.empty() || answers_by_schema(*setup.request.backend)) return;
  end.answer.summary = last_line_first(last_words(text_of(end.summary)));
}

Loop::Over Loop::settle(const Current& current, RunOutcome end) {
  if (end.verdict.status() == stream::Status::success) take_words(setup_, end);
  if (!answers_by_schema(*setup_.request.backend) && !end.answer.done) {
    const auto line = done_not_taken(text_of(end.summary), setup_.options.done_marker);
    if (!line.empty()) {
      note(
          stream::Level::warning,
          fmt::format("the agent printed '{}', which does not count as DONE: its last line must be "
                      "'{}', or its whole output DONE",
                      line, setup_.options.done_marker));
    }
  }
  const bool answered = !end.answer.summary.empty() &&
                        (end.verdict.status() == stream::Status::success || end.spent_all ||
                         end.verdict.outcome == stream::Outcome::cancelled);
  // `current` is a part of the state, which keep() changes.
  const auto kept = current;
  leave_out_edited_goal();
  return answered ? settle_answer(kept, end) : settle_failure(kept, end);
}

Loop::Over Loop::settle_answer(const Current& current, const RunOutcome& end) {
  pauses_ = 0;
  auto record = make_record(Record::Step::iteration, current, end);
  record.progress = masker_.mask(last_words(end.answer.summary));
  record.done = end.answer.done;
  record.tree = content();
  record.changed = record.tree.empty() || record.tree != current.tree_before;
  Over over = tampered(record);
  if (record.done && !over) over = verify(record);
  if (over && over->end == StopReason::stopped) {
    // Whoever resumes finds the answer in the journal, and verifies it then.
    return over;
  }
  auto committed = tampered_.empty() ? commit(current, record) : Result<>();
  if (!committed) note(stream::Level::warning, "not committed: " + describe(committed.error()));
  if (over && over->end == StopReason::done) {
    if (auto refused = refuse_uncommitted(committed)) {
      over = std::move(refused);
      record.outcome = LoopDecision::not_committed;
    }
  }
  // Commands of verification may write files.
  if (!record.done) left_content_ = record.tree;
  if (auto kept = keep({RunInfo::Kind::worker, current.iteration, current.run_id}, std::move(record));
      !kept) {
    storage_ = kept.error();
  }
  return over;
}

/// A commit made before a crash counts as made.
Result<> Loop::commit(const Current& current, Record& record) {
  if (!setup_.options.commit || !git_) return {};
  if (state_.current) state_.current->phase = Phase::commit;
  auto made = git_->commit(commit_message(record), current.branch);
  if (!made || made->empty()) {
    record_moved_head(current, record);
    return made ? Result<>() : std::unexpected(made.error());
  }
  record.commit = *std::move(made);
  record.changed = true;  // perhaps by an earlier attempt of the iteration
  observer_.committed(record.commit, record.iteration);
  return {};
}

/// Commits that the agent made itself are the iteration's: 'ralph undo' takes them back with it.
void Loop::record_moved_head(const Current& current, Record& record) const {
  if (!setup_.options.commit) return;
  if (const auto now = head(); now != current.commit_before) record.commit = now;
}

Result<> Loop::roll_back(const Current& current, Record& record) {
  if (!git_ || current.commit_before.empty()) return {};
  TRY_ASSIGN(const auto back,
             git_->put_back_missing(inputs_ref(state_.loop_id), current.commit_before));
  if (!back.empty()) {
    note(stream::Level::warning,
         fmt::format("deleted by the iteration, and put back: {}", join_names(back)));
  }
  TRY_ASSIGN(const auto dirty, git_->dirty());
  TRY_ASSIGN(const auto branch, git_->branch());
  if (dirty.empty() && head() == current.commit_before && branch == current.branch) return {};
  if (state_.current) state_.current->phase = Phase::rollback;
  TRY(save());
  std::vector<std::string> replaced;
  TRY_ASSIGN(const auto kept,
             git_->reset_to(current.commit_before,
                            fmt::format("rolled-back/{}-{}", state_.loop_id, record.iteration),
                            current.branch, &replaced));
  record.tree = content();
  record.changed = false;
  observer_.rolled_back(current.commit_before, record.iteration);
  note(stream::Level::info,
       fmt::format("what was there is kept: 'ralph undo --restore {}' goes back to it", kept));
  if (!replaced.empty()) {
    note(stream::Level::warning,
         fmt::format("the commit has something else where {}, '{}' first, {}: kept in {} only",
                     counted(std::ssize(replaced), "ignored file"), replaced.front(),
                     replaced.size() == 1 ? "was" : "were", kept));
  }
  return {};
}

}  // namespace ralph::loop
