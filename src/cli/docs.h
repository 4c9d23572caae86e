#pragma once
#include <string>
#include <vector>

namespace ralph::cli {

/// The documents of 'ralph docs'.
std::vector<std::string> document_names();

}  // namespace ralph::cli
