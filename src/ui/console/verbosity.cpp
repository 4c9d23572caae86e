#include "ui/console/verbosity.h"

#include <string_view>

namespace ralph::console {
namespace {

bool is_set(const char* value) {
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

}  // namespace

Verbosity resolve_verbosity(std::initializer_list<VerbosityWish> highest_first) {
  for (const auto& wish : highest_first) {
    if (wish.quiet) return Verbosity::quiet;
    if (wish.verbose) return Verbosity::verbose;
  }
  return Verbosity::normal;
}

VerbosityWish verbosity_from_environment(const char* quiet, const char* verbose) {
  return {is_set(quiet), is_set(verbose)};
}

}  // namespace ralph::console
