#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ralph {

/// "'a', 'b', 'c' and 2 more": the first three paths, for a message.
std::string join_names(const std::vector<std::string>& paths);

/// The word as a shell reads it back: "a.txt", "'two words'".
std::string shell_word(std::string_view word);

/// "1,234,567".
std::string grouped(std::int64_t number);
/// "1 file", "3 files", "2 processes".
std::string counted(std::int64_t number, std::string_view thing);

}  // namespace ralph
