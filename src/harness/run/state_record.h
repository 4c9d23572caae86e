#pragma once
#include <filesystem>
#include <string_view>

#include "core/base/result.h"

namespace ralph::run {

/// A directory of records in ralph's state directory, for the owner only.
Result<> make_state_folder(const std::filesystem::path& state, std::string_view name);

/// Replaces the record as a whole. Not synced: it has to outlive ralph, not the machine, and a run writes several.
Result<> write_state_record(const std::filesystem::path& record, std::string_view text);

}  // namespace ralph::run
