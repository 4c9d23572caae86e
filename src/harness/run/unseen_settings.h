#pragma once
#include <filesystem>

#include "core/base/result.h"
#include "core/base/time.h"

namespace ralph::run {

/// An agent worked from `from` to `to` in a tree below `root` that was not scanned as a whole for settings: what changed
/// there in that time counts as changed by the agent.
Result<> record_unseen_run(const std::filesystem::path& state, const std::filesystem::path& root,
                           UtcTime from, UtcTime to);

/// Whether a settings file was changed in such a time and the user has not accepted it as it is now.
bool is_unseen_change(const std::filesystem::path& state, const std::filesystem::path& file);
Result<> accept_unseen_change(const std::filesystem::path& state,
                              const std::filesystem::path& file);

/// Whether the last change of the file, which cannot be set back, is not earlier than that. True where there is none.
bool is_changed_since(const std::filesystem::path& file, UtcTime time);
/// Now, by the clock that stamps files; it can be a few milliseconds behind the other.
UtcTime file_clock();

}  // namespace ralph::run
