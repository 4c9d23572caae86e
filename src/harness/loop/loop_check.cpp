// What the loop believes of the workspace after an agent worked in it.
#include <utility>

#include <fmt/core.h>

#include "harness/backend/plan.h"
#include "core/base/sha256.h"
#include "core/base/shell_words.h"
#include "system/git/position.h"
#include "harness/loop/command_programs.h"
#include "harness/loop/folder_digest.h"
#include "harness/loop/loop_impl.h"

namespace ralph::loop {

/// Empty: not known. A repository that could be read at the start and cannot be read now was tampered with.
std::string Loop::content() {
  if (!git_) {
    auto id = folder_digest(setup_.request.host.workspace, setup_.state_folder);
    if (id) return *std::move(id);
    if (!std::exchange(content_unknown_, true)) {
      note(stream::Level::warning,
           fmt::format("changes of files cannot be seen: {}", describe(id.error())));
    }
    return {};
  }
  const auto found = integrity_->restore(git_->program());
  if (found) {
    for (const auto& line : *found) add_finding(line);
  }
  auto tree = found ? git_->tree() : Result<std::string>(std::unexpected(found.error()));
  if (tree) return *std::move(tree);
  const auto why = describe(tree.error());
  const bool stopped = control_.runs().cancelled_by() != 0;
  if (state_.tree_at_start.empty() || stopped) {
    if (!std::exchange(content_unknown_, true)) {
      note(stream::Level::warning, fmt::format("changes of files cannot be seen: {}", why));
    }
  } else {
    tampered_ = why;
  }
  return {};
}

std::string Loop::git_digest() const {
  return git_ ? sha256_hex(git_->settings_digest() + integrity_->digest()) : std::string();
}

/// After content(): whether the iteration left a repository that nothing can be said about.
Loop::Over Loop::tampered(Record& record) const {
  if (tampered_.empty()) return std::nullopt;
  record.outcome = LoopDecision::tampered;
  record.changed = false;
  return LoopStop{StopReason::tampered, tampered_};
}

/// "HEAD": it is detached.
Result<std::string> Loop::present_branch() const {
  TRY_ASSIGN(auto branch, git_->branch());
  return branch.empty() ? "HEAD" : std::move(branch);
}

/// The agent may have left HEAD elsewhere. Where the end is about that, it says so.
void Loop::report_branch(const LoopStop& ending) {
  if (!git_ || ending.end == StopReason::not_committed || ending.end == StopReason::tampered) return;
  const auto branch = present_branch();
  if (!branch || *branch == state_.branch_at_start || state_.branch_at_start.empty()) return;
  findings_.push_back(fmt::format("HEAD is on {}, and was on {} when the loop began",
                                  git::short_name(*branch),
                                  git::short_name(state_.branch_at_start)));
}

/// What was verified is what HEAD holds, HEAD is on the branch of the start, and that branch still has its commits.
Result<> Loop::check_on_branch() const {
  TRY(git_->ready());
  TRY_ASSIGN(const auto branch, present_branch());
  if (branch != state_.branch_at_start) {
    return fail(Code::busy,
                fmt::format("{} is checked out, the loop began on {}", git::short_name(branch),
                            git::short_name(state_.branch_at_start)));
  }
  TRY_ASSIGN(const auto dirty, git_->dirty());
  if (!dirty.empty()) {
    return fail(Code::busy, fmt::format("'{}' has changes that are not committed", dirty.front()));
  }
  if (!state_.commit_at_start.empty()) TRY(git_->commits_since(state_.commit_at_start));
  return {};
}

/// With --commit a DONE counts when it is committed. nullopt: it is.
Loop::Over Loop::refuse_uncommitted(const Result<>& committed) const {
  if (!setup_.options.commit || !git_) return std::nullopt;
  const auto on_branch = committed ? check_on_branch() : committed;
  if (on_branch) return std::nullopt;
  return LoopStop{StopReason::not_committed, describe(on_branch.error())};
}

/// A command with a typing error fails only after the first iterations are paid for.
void Loop::check_verify_programs() {
  constexpr std::string_view kBuiltins =
      "for case select function while until if then do ! } test [ [[ cd true false . source exec "
      "export set unset eval command type ulimit umask wait "
      "trap echo printf read readonly alias unalias hash shift shopt builtin getopts break "
      "continue "
      "jobs fg bg kill pwd pushd popd dirs times mapfile enable caller exit return : let local "
      "declare time ( {";
  for (const auto& text : setup_.options.verify) {
    const auto line = parse_shell_line(text);
    if (!line.understood || line.commands.empty()) continue;
    const auto words = unwrap(line.commands.front().words).words;
    if (words.empty() || !words.front().literal) continue;
    const auto& name = words.front().text;
    if (name.contains('/') || has_word(kBuiltins, name)) continue;
    if (backend::find_program(name, setup_.request.host)) continue;
    setup_.warnings.push_back(fmt::format(
        "the program '{}' of the verification command '{}' was not found in PATH", name, text));
  }
}

}  // namespace ralph::loop
