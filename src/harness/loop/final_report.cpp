#include "harness/loop/final_report.h"

#include <algorithm>
#include <set>

#include "harness/loop/end_findings.h"
#include "harness/loop/replaced_loop.h"
#include "harness/loop/start_refs.h"
#include "harness/loop/step_record.h"
#include "system/git/history.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kMostCommits = 10;

void save(StateKeeper& keeper) {
  if (auto saved = keeper.save(); !saved) keeper.set_storage_error(saved.error());
}

/// A loop whose steps could not be recorded did not succeed.
void use_storage_error(LoopStop& stop, const StateKeeper& keeper) {
  const auto& error = keeper.storage_error();
  if (error && row(stop.reason).outcome == stream::Outcome::ok) stop = storage_stop(*error);
}

/// The only place that decides it.
int exit_code_of(const LoopStop& stop, const store::LoopReport& report) {
  stream::Verdict verdict;
  verdict.outcome = stop.outcome.value_or(row(stop.reason).outcome);
  verdict.stopped_by = stop.stopped_by;
  // What is there now is not what was verified.
  if (report.changed_since_verified && verdict.outcome == stream::Outcome::ok) {
    verdict.outcome = stream::Outcome::limit_reached;
  }
  return verdict.exit_code();
}

void add_facts(store::LoopReport& report, const LoopParts& parts, const LoopStop& stop) {
  const auto& keeper = parts.keeper;
  const auto& state = keeper.state;
  report.reason = stop.reason;
  report.why = stop.why;
  report.loop_id = state.loop_id;
  report.started = state.started;
  report.ended = state.ended.value_or(parts.clock.now());
  report.elapsed = state.ran;
  report.waited = state.waited;
  report.would_wait = stop.would_wait;
  report.totals = keeper.totals();
  report.days = store::merge_days(state.earlier_days, keeper.totals().days);
  report.budget = parts.setup.options.budget;
  report.last_model = store::model_used(keeper.records());
  report.models = store::models_used(keeper.records());
  report.taken_back = store::taken_back(keeper.records());
  report.state_folder = keeper.files().folder();
  report.state_is_trusted = keeper.store().user() != nullptr;
  std::string ignored;
  report.guidance_left = std::ssize(parts.guidance.pending(ignored));
}

void add_stash(store::LoopReport& report, const LoopParts& parts) {
  const auto* const git = parts.repository.git();
  report.has_git = git != nullptr;
  if (git == nullptr) return;
  const auto& id = parts.keeper.state.loop_id;
  report.stash_entry = git->stash_entry(store::stash_message(id));
  if (!report.stash_entry.empty()) report.stash = "refs/ralph/" + store::stash_name(id);
}

void add_changes(store::LoopReport& report, LoopParts& parts) {
  const auto& state = parts.keeper.state;
  const auto now =
      report.reason == store::StopReason::tampered ? std::string() : parts.repository.content();
  const auto* const git = parts.repository.git();
  if (git == nullptr || now.empty() || state.tree_at_start.empty()) return;
  report.from = state.tree_at_start;
  report.to = now;
  if (auto files = git::changes(git->program(), *report.from, *report.to)) {
    for (auto& file : *files) {
      report.files.push_back({file.kind, std::move(file.path), file.added, file.removed});
    }
    report.files_known = true;
  }
  report_changed_files(parts.repository, state, report.files, parts.keeper.workspace().root(),
                       parts.reporter);
}

void add_findings(store::LoopReport& report, LoopParts& parts) {
  report_unused_goal(parts.keeper.state, parts.reporter);
  const bool said = report.reason == store::StopReason::not_committed ||
                    report.reason == store::StopReason::tampered;
  if (!said) report_branch(parts.repository, parts.keeper.state, parts.reporter);
  for (const auto& finding : parts.reporter.findings()) report.findings.push_back(finding.text);
  auto findings = report.findings;
  if (parts.changed_since_done) {
    findings.emplace_back("files were changed since verification, and not verified again");
  }
  if (findings.empty() || !report.restored_loop.empty()) return;
  parts.keeper.state.findings = std::move(findings);
  save(parts.keeper);
}

/// What was done last, and not taken back or restored; nullptr: nothing.
const store::LoopRecord* last_step(const std::vector<store::LoopRecord>& records) {
  const auto last = std::ranges::find_if(records.rbegin(), records.rend(), [](const auto& record) {
    return record.step != store::LoopRecord::Step::undo;
  });
  return last == records.rend() ? nullptr : &*last;
}

void add_verified(store::LoopReport& report, const LoopParts& parts) {
  const auto& records = parts.keeper.records();
  const bool by_these_commands = report.reason == store::StopReason::done ||
                                 std::ssize(records) > parts.keeper.state.fresh_from;
  const auto* const last = last_step(records);
  if (!by_these_commands || last == nullptr) return;
  if (!last->verification || !last->verification->passed) return;
  report.verified = store::how_known(*last);
  report.changed_since_verified = parts.changed_since_done;
}

/// Those of `ids` that were made while a run of the loop worked; the rest was made between two starts of the loop.
std::set<std::string> commits_of_runs(const std::vector<std::string>& ids, const LoopParts& parts) {
  const std::set<std::string> present(ids.begin(), ids.end());
  std::set<std::string> made;
  const auto add = [&](const std::string& before, const std::string& after) {
    if (!present.contains(after)) return;
    const auto& program = parts.repository.git()->program();
    const auto more = before.empty() ? git::commits_to(program, after)
                                     : git::commits_between(program, before, after);
    if (more) made.insert(more->begin(), more->end());
  };
  for (const auto& record : parts.keeper.records()) {
    add(record.commit_before, record.commit.empty() ? record.head : record.commit);
  }
  // A run that was stopped has no record yet.
  if (const auto& current = parts.keeper.state.current) {
    add(current->commit_before, parts.repository.head());
  }
  return made;
}

/// What the branch has beyond the commit of the start.
void add_commits(store::LoopReport& report, const LoopParts& parts) {
  if (report.reason == store::StopReason::tampered) return;
  const auto ids = parts.repository.commits_since_start();
  const auto made = commits_of_runs(ids, parts);
  report.commit_count = std::ranges::count_if(ids, [&](auto& id) { return made.contains(id); });
  report.other_commits = std::ssize(ids) - report.commit_count;
  for (std::size_t i = 0; i < std::min(ids.size(), kMostCommits); ++i) {
    report.commits.push_back({ids[i],
                              git::subject(parts.repository.git()->program(), ids[i]).value_or(""),
                              made.contains(ids[i])});
  }
  // With --commit what changed is in commits, whose ids are those of `git log`.
  const bool committed = !ids.empty() && parts.setup.options.commit;
  if (!committed || report.reason == store::StopReason::not_committed) return;
  const auto& start = parts.keeper.state.commit_at_start;
  if (!start.empty()) report.from = start;
  report.to = parts.repository.head();
}

/// A loop that was over is resumed, and ends again without a step.
bool ended_as_before(const LoopParts& parts, store::StopReason reason) {
  const auto& before = parts.past_end;
  return before && before->reason == reason && before->records == parts.keeper.records().size();
}

/// An empty loop is discarded and the previous one restored.
void restore_previous_loop(store::LoopReport& report, LoopParts& parts, store::StopReason reason) {
  if (!is_empty_loop(parts, reason)) return;
  parts.user_files.bring_back_stash();
  if (!parts.replaced) return;
  report.restored_loop = parts.replaced->state.loop_id;
  if (auto back = bring_back_replaced(parts); !back) parts.keeper.set_storage_error(back.error());
}

}  // namespace

store::LoopReport finish_loop(LoopParts& parts, LoopStop stop) {
  use_storage_error(stop, parts.keeper);
  auto& state = parts.keeper.state;
  const bool nothing_ran = ended_as_before(parts, stop.reason);
  state.ran = nothing_ran ? parts.past_end->ran : parts.keeper.elapsed();
  state.ended = nothing_ran ? parts.past_end->at : parts.clock.now();
  state.would_wait = stop.would_wait;
  state.status = store::LoopStatus::ended;
  state.end = stop.reason;
  state.end_why = stop.why;
  save(parts.keeper);
  const auto* const git = parts.repository.git();
  if (git != nullptr) report_lost_refs(*git, state.loop_id, parts.reporter);
  store::LoopReport report;
  report.nothing_ran = nothing_ran;
  restore_previous_loop(report, parts, stop.reason);
  use_storage_error(stop, parts.keeper);  // of the last save, too
  parts.keeper.files().forget_stop();
  add_stash(report, parts);
  add_facts(report, parts, stop);
  add_changes(report, parts);
  add_findings(report, parts);
  add_verified(report, parts);
  add_commits(report, parts);
  report.exit_code = exit_code_of(stop, report);
  if (const auto& failure = parts.reporter.failure()) {
    parts.reporter.warn("the steps of this loop are not recorded: " + describe(*failure));
  }
  parts.reporter.step(store::LoopEnded{report.reason, report.why, report.exit_code});
  return report;
}

}  // namespace ralph::loop
