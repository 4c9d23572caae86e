#pragma once
#include <initializer_list>

namespace ralph::console {

enum class Verbosity { quiet, normal, verbose };

/// What one level (flags, environment, config file) asks for; neither: it leaves the choice to the
/// next.
struct VerbosityWish {
  bool quiet = false;
  bool verbose = false;
};

/// The highest level that asks for something decides; at one level quiet beats verbose.
Verbosity resolve_verbosity(std::initializer_list<VerbosityWish> highest_first);

/// From the values of RALPH_QUIET and RALPH_VERBOSE; nullptr, "" and "0" mean not set.
VerbosityWish verbosity_from_environment(const char* quiet, const char* verbose);

}  // namespace ralph::console
