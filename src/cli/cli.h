#pragma once
#include <string>
#include <vector>

namespace ralph::cli {

/// The whole program: words[0] is the name we were called by. Returns the exit code.
int main(const std::vector<std::string>& words);

}  // namespace ralph::cli
