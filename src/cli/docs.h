#pragma once
#include <string>
#include <vector>

namespace ralph::cli {

/// What 'ralph docs' can print.
std::vector<std::string> document_names();

}  // namespace ralph::cli
