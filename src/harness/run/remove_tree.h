#pragma once
#include <filesystem>

#include "core/base/result.h"

namespace ralph::run {

/// Removes a directory with everything below, also where programs took its directories' permissions away. It need not
/// exist. Code::storage: something is left.
Result<> remove_tree(const std::filesystem::path& folder);

}  // namespace ralph::run
