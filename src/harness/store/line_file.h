#pragma once
#include <string_view>

#include "core/base/folder.h"
#include "core/base/result.h"

namespace ralph::store {

/// What a line survives once append_line() has returned.
enum class Durability { process_crash, power_failure };

/// Appends a line to a private file (0600), which is made when it is missing. Where a crash cut the last line, this one
/// begins a new line all the same.
Result<> append_line(const Folder& folder, std::string_view name, std::string_view line,
                     Durability durability);

}  // namespace ralph::store
