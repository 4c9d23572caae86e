#pragma once
#include <string>
#include <vector>

namespace ralph {

/// "'a', 'b', 'c' and 2 more": the first three paths, for a message.
std::string join_names(const std::vector<std::string>& paths);

}  // namespace ralph
