#include "harness/loop/done_check.h"

#include <utility>

#include <fmt/core.h>

#include "core/base/names.h"
#include "harness/loop/step_record.h"

namespace ralph::loop {
namespace {

/// A file of the start that commands of verification changed is not the one they verified. Others may be what they
/// make: caches, logs.
Result<> check_not_changed_meanwhile(LoopContext& loop, store::LoopRecord& record) {
  if (record.tree.empty()) return {};
  const auto verified = std::exchange(record.tree, loop.repository.content());
  if (const auto& tampered = loop.repository.tampered()) return std::unexpected(*tampered);
  if (const auto& error = loop.keeper.storage_error(); error && record.tree.empty()) {
    return std::unexpected(*error);
  }
  if (record.tree == verified) return {};
  TRY_ASSIGN(const auto changed, loop.repository.changed_between(verified, record.tree));
  if (!changed.others.empty()) {
    loop.reporter.finding(
        {fmt::format("changed during verification: {}", join_names(changed.others)),
         changed.others});
  }
  if (changed.of_start.empty()) return {};
  return fail(Code::busy,
              fmt::format("files were changed during verification: {} (a log written by 'tee' "
                          "should be outside the workspace or in .gitignore)",
                          join_names(changed.of_start)));
}

LoopStop stop_tampered(const Error& error, store::LoopRecord& record) {
  record.outcome = store::LoopDecision::tampered;
  return {store::StopReason::tampered, describe(error)};
}

void report_verified(LoopContext& loop, const store::Verification& verification) {
  loop.reporter.step(store::VerificationEnded{verification.passed, verification.duration,
                                              verification.where, verification.command,
                                              verification.reason, verification.tail});
}

MaybeStop run_verification(LoopContext& loop, store::LoopRecord& record) {
  auto& state = loop.keeper.state;
  if (state.current) state.current->phase = store::Phase::verify;
  if (auto saved = loop.keeper.save(); !saved) loop.keeper.set_storage_error(saved.error());
  const auto commands = loop.verifier.commands();
  loop.reporter.step(store::VerificationStarted{commands});
  loop.reporter.observer().flush();
  auto verification = loop.verifier.verify(record.tree);
  record.at = loop.clock.now();
  if (!verification && verification.error().code == Code::disk_full) {
    loop.keeper.set_storage_error(verification.error());
    return stop_unchecked(verification.error(), record);
  }
  if (!verification) return stop_tampered(verification.error(), record);
  for (auto& finding : verification->findings) loop.reporter.finding(std::move(finding));
  verification->findings.clear();
  if (const auto cause = loop.control.runs().cancelled_by()) {
    return stopped_by(*cause);
  }
  if (verification->passed) {
    const auto same = check_not_changed_meanwhile(loop, record);
    if (const auto& error = loop.repository.tampered()) return stop_tampered(*error, record);
    if (!same && same.error().code == Code::disk_full) return stop_unchecked(same.error(), record);
    if (!same) {
      verification->passed = false;
      verification->command = commands.front();
      verification->reason = same.error().message;
    }
  }
  verification->commands = commands;
  report_verified(loop, *verification);
  record.verification = *std::move(verification);
  if (record.verification->passed) return LoopStop{store::StopReason::done};
  record.outcome = store::LoopDecision::refused;
  const auto missing = std::exchange(record.verification->missing_program, {});
  if (missing.empty()) return std::nullopt;
  // No iteration can change that.
  return LoopStop{store::StopReason::cannot_verify,
                  fmt::format("`{}`: no program '{}'", record.verification->command, missing)};
}

}  // namespace

MaybeStop check_done(LoopContext& loop, store::LoopRecord& record) {
  const bool unchanged = !record.tree.empty() && record.tree == loop.keeper.state.tree_at_start;
  if (loop.verifier.commands().empty()) {
    if (!unchanged) return LoopStop{store::StopReason::done};
    record.outcome = store::LoopDecision::unchanged;
    return LoopStop{store::StopReason::unchanged};
  }
  auto stop = run_verification(loop, record);
  if (stop && stop->reason == store::StopReason::done && unchanged) {
    loop.reporter.silent_finding({"no file was changed: verification passes without changes"});
  }
  return stop;
}

}  // namespace ralph::loop
