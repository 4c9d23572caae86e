#include "harness/store/stop_reason.h"

#include <algorithm>
#include <array>

namespace ralph::store {
namespace {

using stream::Outcome;

constexpr auto kReasons = std::to_array<StopReasonRow>({
    {StopReason::done, "done", Outcome::ok, "done", ""},
    {StopReason::unchanged, "unchanged", Outcome::limit_reached,
     "the agent says DONE, but no file was changed since the start (ignored ones do not count)",
     "if nothing had to be done, this is correct; otherwise make the goal more precise or add "
     "--verify"},
    {StopReason::refused, "refused", Outcome::limit_reached, "verification refused DONE too often",
     "read the output of verification; 'ralph tell' gives the agent a hint"},
    {StopReason::iterations, "iterations", Outcome::limit_reached, "iteration limit reached", ""},
    {StopReason::time, "time", Outcome::limit_reached, "time limit reached", ""},
    {StopReason::cost, "cost", Outcome::limit_reached, "cost limit reached", ""},
    {StopReason::cost_per_day, "cost_per_day", Outcome::limit_reached, "daily cost limit reached",
     "from tomorrow on (UTC), 'ralph loop --resume' works without a higher limit"},
    {StopReason::failures, "failures", Outcome::limit_reached,
     "too many failed iterations in a row", "the reasons are in .ralph/state/progress.ndjson"},
    {StopReason::no_progress, "no_progress", Outcome::limit_reached,
     "no progress: no file changed, and the agent said the same each time",
     "'ralph tell' gives the agent a hint"},
    {StopReason::stopped, "stopped", Outcome::cancelled, "stopped", ""},
    {StopReason::tampered, "tampered", Outcome::permission_denied,
     "verification or the repository was tampered with during the loop",
     "check the changes before you resume"},
    {StopReason::cannot_verify, "cannot_verify", Outcome::not_installed,
     "the verification command cannot run",
     "install the program, or give another command with --verify when you resume"},
    {StopReason::not_committed, "not_committed", Outcome::limit_reached,
     "the agent says DONE, but the work is not committed on the branch",
     "commit or restore the branch, then resume"},
    {StopReason::agent, "agent", Outcome::agent_error, "the agent cannot work here", ""},
    {StopReason::storage, "storage", Outcome::storage_failed,
     "the state or the logs of the loop cannot be written", ""},
    {StopReason::undone, "undone", Outcome::cancelled, "undone", ""},
    {StopReason::restored, "restored", Outcome::cancelled, "restored", ""},
    {StopReason::unknown, "unknown", Outcome::agent_error, "unknown", ""},
});

}  // namespace

const StopReasonRow& row(StopReason reason) { return kReasons[static_cast<std::size_t>(reason)]; }

bool why_is_complete(StopReason reason) {
  return reason == StopReason::agent || reason == StopReason::storage;
}

std::optional<StopReason> stop_reason_named(std::string_view name) {
  if (name.empty()) return std::nullopt;
  const auto found = std::ranges::find(kReasons, name, &StopReasonRow::name);
  return found == kReasons.end() ? StopReason::unknown : found->reason;
}

}  // namespace ralph::store
