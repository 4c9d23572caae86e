#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/money.h"
#include "core/base/names.h"
#include "core/base/own_output.h"
#include "core/base/utf8.h"
#include "system/git/old_files.h"
#include "system/git/stale_locks.h"
#include "harness/loop/loop_impl.h"
#include "system/process/descriptor_limit.h"
#include "harness/run/sandbox.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kMostDays = 60;
constexpr std::string_view kAccept = "--accept-changes takes them as they are now";

/// "model: sonnet, now opus".
std::string different_settings(const std::map<std::string, std::string>& old,
                               const std::map<std::string, std::string>& now,
                               std::string_view missing = "the default") {
  const auto value = [&](const auto& settings, const std::string& key) {
    const auto found = settings.find(key);
    return found == settings.end() ? std::string(missing) : utf8::shortened(found->second, 80);
  };
  auto keys = old;
  keys.insert(now.begin(), now.end());
  std::string text;
  for (const auto& [key, ignored] : keys) {
    const auto before = value(old, key), after = value(now, key);
    const bool same = old.contains(key) == now.contains(key) &&
                      (!old.contains(key) || old.at(key) == now.at(key));
    if (!same)
      text += fmt::format("{}{}: {}, now {}", text.empty() ? "" : "; ", key, before, after);
  }
  return text;
}

}  // namespace

std::map<std::string, double> days_together(std::map<std::string, double> days,
                                            const std::map<std::string, double>& more) {
  for (const auto& [day, cost] : more) days[day] = rounded_usd(days[day] + cost);
  while (days.size() > kMostDays) days.erase(days.begin());
  return days;
}

/// The record stands for the iterations too, which write none of their own.
Result<> Loop::protect_files() {
  const auto& request = setup_.request;
  const auto removed = workspace_->run_folder(setup_.loop_id).path() / "removed";
  for (auto& line :
       run::ProtectedFiles::recover(request.host.workspace, request.state_folder, removed)) {
    setup_.warnings.push_back(std::move(line));
  }
  if (!request.host.sandboxed()) return {};
  protected_.emplace(request.host.workspace, run::named_by_repository(request.host));
  return protected_->remember(request.state_folder);
}

Result<> Loop::begin() {
  const auto& host = setup_.request.host;
  TRY(process::check_descriptor_limit());
  TRY(check_goal(setup_.goal));
  TRY_ASSIGN(workspace_, store::Workspace::open(host.root()));
  TRY_ASSIGN(auto lock, store::Lock::take(workspace_->lock_file(), store::Lock::kLoop, setup_.loop_id));
  lock_.emplace(std::move(lock));
  store::sweep_tmp(*workspace_);
  TRY_ASSIGN(auto watch, run::ConfigWatch::begin(setup_.request.state_folder,
                                                 setup_.request.obeyed_files, host.root()));
  config_watch_.emplace(std::move(watch));
  TRY(protect_files());
  TRY_ASSIGN(auto wrap, run::sandbox_for_commands(host));
  TRY_ASSIGN(verifier_, Verifier::make({host.workspace, backend::environment_changes(host),
                                        setup_.options.verify_limit, std::move(wrap), host.root()},
                                       setup_.options.verify));
  check_verify_programs();
  // Before anything is written: what cannot be started shall leave nothing.
  auto probe = setup_.request;
  probe.ask.prompt = std::string("-");
  if (!probe.ask.max_cost) probe.ask.max_cost = setup_.options.budget.cost_per_day_usd;
  std::vector<std::string> ignored;
  TRY(run::prepare(probe, ignored));
  if (auto outside = store_.prepare(); !outside) {
    setup_.warnings.push_back(
        fmt::format("the state of this loop cannot be kept where no agent writes: {}; 'ralph loop "
                    "--resume' will need --accept-changes",
                    describe(outside.error())));
  }
  std::string warning;
  TRY(store::load_budget(workspace_->budget_file(), warning));  // moves an unreadable one aside
  if (!warning.empty()) setup_.warnings.push_back(warning);
  TRY_ASSIGN(auto old, load_old());
  return take_over(std::move(old));
}

/// What a new loop takes over is its cost only: for that the copy in the workspace is better than nothing.
Result<std::optional<State>> Loop::load_old() {
  using enum StateStore::Source;
  const bool strict = setup_.resumed && !setup_.options.accept_changes;
  std::string warning;
  if (!strict) TRY(files_.load(warning));  // moves an unreadable one aside
  if (!warning.empty()) setup_.warnings.push_back(warning);
  TRY_ASSIGN(auto loaded, store_.load(strict ? trusted : workspace));
  if (!loaded) {
    std::int64_t bad = 0;
    TRY_ASSIGN(records_, files_.records(bad));
    return std::nullopt;
  }
  if (setup_.resumed) {
    setup_.warnings.insert(setup_.warnings.end(), loaded->warnings.begin(), loaded->warnings.end());
  }
  records_ = std::move(loaded->records);
  if (loaded->trusted) outputs_ = loaded->state.outputs;
  if (!loaded->trusted) TRY(store_.adopt(loaded->state, records_));
  if (!loaded->trusted && setup_.resumed) {
    // Whether it was done is for verification to say.
    unsure_of_end_ = true;
    loaded->state.end.reset();
    loaded->state.end_why.clear();
    loaded->state.current.reset();
  }
  return std::move(loaded->state);
}

Result<> Loop::take_over(std::optional<State> old) {
  if (old && !old->aside.empty()) {
    // A ralph was killed while it put the loop before it aside.
    TRY(store_.put_records_aside(old->aside));
    old->aside.clear();
  }
  if (!setup_.resumed) return begin_anew(old);
  if (!old) {
    return fail(Code::usage, "there is no loop to resume here", "begin one: ralph loop GOAL.md");
  }
  return go_on_with(*std::move(old));
}

/// What a run had cost whose ralph was killed, when nobody goes on with it.
Result<> Loop::settle_old(const State& old) {
  if (!old.current) return {};
  const auto& current = *old.current;
  if (std::ranges::find(records_, current.run_id, &Record::run_id) != records_.end()) return {};
  std::string warning;
  TRY_ASSIGN(const auto end, end_of_interrupted(current, warning));
  if (!warning.empty()) setup_.warnings.push_back(warning);
  auto record = make_record(Record::Step::attempt, current, end);
  record.outcome = LoopDecision::interrupted;
  record.progress = failure_progress("interrupted");
  TRY(store_.append(record));
  records_.push_back(std::move(record));
  return {};
}

void Loop::name_goal() {
  state_.goal = setup_.goal;
  state_.goal_file = setup_.goal_file;
  state_.goal_path = setup_.goal_path.native();
  state_.goal_seen = setup_.goal_seen;
}

Result<> Loop::begin_anew(const std::optional<State>& old) {
  TRY(prepare_git());
  if (old) TRY(settle_old(*old));
  auto days = add_up(records_).days;
  if (old) {
    days = days_together(old->earlier_days, days);
    TRY(files_.put_aside(*old));
    if (!old->end) {
      setup_.warnings.push_back(
          fmt::format("the loop {} was not over: it is kept as loop-{}.json, and a new one begins",
                      old->loop_id, old->loop_id));
    }
  }
  files_.forget_stop();
  state_ = {};
  state_.loop_id = setup_.loop_id;
  state_.started = now_utc();
  state_.earlier_days = std::move(days);
  name_goal();
  state_.settings = setup_.settings;
  state_.tree_at_start = content();
  state_.commit_at_start = head();
  state_.git_digest = git_digest();
  TRY(begin_git());
  TRY(prepare_verification());
  state_.verify_digest = verifier_->digest();
  state_.verify_programs = verifier_->programs();
  state_.protected_digest = start_files_.digest();
  if (setup_.options.rollback && state_.commit_at_start.empty()) {
    setup_.warnings.push_back("there is no commit yet: the first iteration cannot be rolled back");
  }
  if (!records_.empty() || files_.has_records()) {
    state_.aside = old ? old->loop_id : "before-" + setup_.loop_id;
  }
  if (old && add_up(records_).iterations > 0) before_ = Before{*old, std::move(records_)};
  records_.clear();
  TRY(save());
  if (state_.aside.empty()) return {};
  TRY(store_.put_records_aside(state_.aside));
  state_.aside.clear();
  return save();
}

/// What an agent may have changed is not believed unasked.
Result<> Loop::check_unchanged(const State& old) const {
  if (setup_.options.accept_changes) return {};
  if (const auto changed = different_settings(old.settings, setup_.settings_before);
      !changed.empty()) {
    return fail(
        Code::usage, "settings are not those the loop began with: " + changed,
        fmt::format("look at ralph.yml, .ralph/config.yml and RALPH_ variables; {}", kAccept));
  }
  if (old.verify_digest != verifier_->digest()) {
    const auto moved = different_settings(old.verify_programs, verifier_->programs(), "not found");
    if (!old.verify_programs.empty() && !moved.empty()) {
      return fail(
          Code::usage,
          "PATH finds other programs for verification than when the loop began: " + moved,
          fmt::format("set PATH as it was (the same virtual environment?), and look at programs "
                      "that an agent may have made; {}",
                      kAccept));
    }
    return fail(Code::usage, "the commands of verification are not those the loop began with",
                fmt::format("look at 'verify' and .ralph/check; {}", kAccept));
  }
  if (git_ && !old.git_digest.empty() && old.git_digest != git_digest()) {
    return fail(Code::usage, "git's settings are not those the loop began with",
                fmt::format("look at .git/config, .git/info and flags of the index (git ls-files "
                            "-v); {}",
                            kAccept));
  }
  if (git_ && setup_.options.commit) {
    TRY_ASSIGN(const auto branch, present_branch());
    if (branch != old.branch_at_start) {
      return fail(Code::usage,
                  fmt::format("the loop began on '{}', and '{}' is checked out",
                              old.branch_at_start, branch),
                  fmt::format("git checkout that branch; {}", kAccept));
    }
  }
  return {};
}

/// A git that was killed with the last ralph or its agent left locks behind, which git itself never removes.
void Loop::remove_locks_left(const State& old) {
  if (!git_ || !old.current) return;
  for (const auto& file :
       git::remove_stale_locks(git_->program(), old.current->branch, old.current->began)) {
    setup_.warnings.push_back(
        fmt::format("removed '{}', which a git left that was killed", file.native()));
  }
}

Result<> Loop::go_on_with(State old) {
  TRY(open_git());
  remove_locks_left(old);
  state_ = old;  // what was there at the start
  TRY(prepare_verification());
  TRY(check_unchanged(old));
  TRY(recover_protected());
  TRY(check_goal(old.goal));
  if (setup_.goal.empty()) setup_.goal = old.goal;
  const bool same_goal = setup_.goal == old.goal;
  const bool same_checks = old.verify_digest == verifier_->digest();
  state_ = std::move(old);
  state_.git_digest = git_digest();
  if (git_) {
    TRY_ASSIGN(state_.branch_at_start, present_branch());
  }
  TRY(leave_out_as_before());
  if (git_ && setup_.options.commit) {
    git_->leave_alone_before(state_.files_before.value_or(state_.started));
  }
  keep_refs();
  keep_inputs();
  ended_before_ = state_.end.has_value();
  const bool done_already =
      state_.end == StopReason::done && same_goal && same_checks;  // nothing will be committed
  if (setup_.options.commit && !state_.current && !done_already) TRY(check_users_changes());
  files_.forget_stop();
  if (!same_checks) unsure_of_end_ = true;
  if (ended_before_ || !same_checks) state_.fresh_from = static_cast<std::int64_t>(records_.size());
  totals_ = add_up(records_, state_.fresh_from);
  ran_before_ = state_.ran;
  name_goal();
  goal_note_ = setup_.goal_note;
  state_.verify_digest = verifier_->digest();
  state_.verify_programs = verifier_->programs();
  state_.findings.clear();
  state_.protected_digest = start_files_.digest();
  state_.settings = setup_.settings;
  // What other commands verified is not done by these.
  if (!done_already) {
    state_.end.reset();
    state_.end_why.clear();
  }
  TRY(store_.rewrite_copy(records_));
  return save();
}

Result<> Loop::open_git() {
  outputs_ = own_outputs_and(outputs_);
  std::string why_not;
  TRY_ASSIGN(git_, git::Work::open(setup_.request.host.workspace, why_not,
                                   {setup_.options.git_timeout, control_.runs().token()}));
  if (git_) {
    TRY_ASSIGN(auto wrap, run::sandbox_for_git(setup_.request.host));
    git_->wrap_with(std::move(wrap));
    git_->leave_out_outputs(outputs_);
    git_->leave_out_own(own_paths(setup_.request.host));
    TRY_ASSIGN(integrity_, git::Integrity::read(git_->program()));
  }
  if (git_ && setup_.options.commit) TRY(git_->ready());
  if (!setup_.options.commit || git_) return {};
  return fail(Code::usage, "--commit needs a git repository: " + why_not,
              "run 'git init', or leave --commit out");
}

/// What a new loop has to know of the repository: where it began, and which files were there before.
Result<> Loop::begin_git() {
  if (!git_) return {};
  TRY_ASSIGN(state_.branch_at_start, present_branch());
  keep_refs();
  if (!setup_.options.commit) return {};
  keep_inputs();
  TRY_ASSIGN(state_.files_before, git::file_time_now(git_->root()));
  git_->leave_alone_before(*state_.files_before);
  if (const auto name = git_->name_of_commits(); !name.empty()) {
    setup_.warnings.push_back(fmt::format(
        "git does not know your name (user.name, user.email): the commits are by {}", name));
  }
  if (git_->wants_signatures()) {
    setup_.warnings.push_back(
        "commit.gpgsign is set, but the commits of the loop are not signed: there is no "
        "terminal for a passphrase");
  }
  return {};
}

/// A tree the user has changes in is not ours to commit.
Result<> Loop::prepare_git() {
  TRY(open_git());
  return setup_.options.commit ? stash_or_refuse() : Result<>();
}

/// What differs from the end of the last iteration is the user's.
Result<> Loop::check_users_changes() {
  auto known = state_.tree_at_start;
  for (const auto& record : records_) {
    if (!record.tree.empty()) known = record.tree;
  }
  TRY_ASSIGN(const auto now, git_->tree());
  return now == known ? Result<>() : stash_or_refuse();
}

Result<> Loop::stash_or_refuse() {
  TRY_ASSIGN(auto dirty, git_->dirty());
  TRY(leave_out_inputs(dirty));
  if (dirty.empty()) return {};
  if (!setup_.options.stash) {
    return fail(Code::usage,
                dirty.size() == 1 ? fmt::format("uncommitted changes in '{}'", dirty.front())
                                  : fmt::format("uncommitted changes in {} files, '{}' first",
                                                dirty.size(), dirty.front()),
                "commit them, or let --stash put them aside, or leave --commit out");
  }
  const auto keep_as = stash_name(setup_.loop_id);
  TRY_ASSIGN(const bool stashed, git_->stash(stash_message(setup_.loop_id), keep_as));
  stashed_ = stashed;
  if (stashed) {
    setup_.warnings.push_back(
        fmt::format("your changes were stashed; 'git stash apply --index refs/ralph/{}' brings "
                    "them back, and so "
                    "does the command in the report",
                    keep_as));
  }
  return {};
}

}  // namespace ralph::loop
