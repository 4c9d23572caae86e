#pragma once
#include <string>

#include "harness/loop/loop_context.h"

namespace ralph::loop {

/// What is known of a step once its run is over.
store::LoopRecord make_record(store::LoopRecord::Step step, const store::Current& current,
                              const RunOutcome& outcome, const std::filesystem::path& root,
                              UtcTime now);

/// A step is over: writes its record, then the state without it. A failure becomes the keeper's storage error.
void record_step(LoopContext& loop, const store::RunInfo& run, store::LoopRecord record);

/// The run with which `state.current` begins; on the disk when this returns. False: it could not be written, and the
/// loop must end.
bool save_started(LoopContext& loop, store::Current current);

/// Where the run could not be recorded: brings `.ralph` back. True: an agent had removed it. Else it is a storage
/// error.
bool repair_after_run(LoopContext& loop, const RunOutcome& outcome);

/// The end of a loop that cannot be recorded.
LoopStop storage_stop(const Error& error);
/// A DONE that the disk is too full to check does not count: the next start asks for it again.
LoopStop stop_unchecked(const Error& error, store::LoopRecord& record);

/// After Repository::content(): a repository that cannot be trusted, or not be read for a full disk, ends the loop; the
/// record says so.
MaybeStop stop_if_unreadable(const LoopContext& loop, store::LoopRecord& record);

/// Commits that the agent made itself belong to the iteration: 'ralph undo' takes them back with it.
void record_moved_head(const LoopContext& loop, const store::Current& current,
                       store::LoopRecord& record);

/// The user stopped the run, or the agent itself was interrupted.
LoopStop stopped_run(const LoopContext& loop, const stream::Verdict& verdict);

/// The end of the loop that a record stands for; nullopt: none.
MaybeStop stop_of(const store::LoopRecord& record);

}  // namespace ralph::loop
