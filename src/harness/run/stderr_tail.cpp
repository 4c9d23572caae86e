#include "harness/run/stderr_tail.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/utf8.h"

namespace ralph::run {
namespace {

constexpr std::size_t kLongestShownLine = 500;

}  // namespace

std::string StderrTail::line() const {
  constexpr std::string_view kWhite = " \t\r";
  std::string_view found;
  bool found_error = false;
  for (auto rest = tail_.text(); !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool is_error = line.starts_with("error:") || line.starts_with("Error:");
    if (is_blank(line, kWhite) || (found_error && !is_error)) continue;
    found = trim_end(line, kWhite);
    found_error = is_error;
  }
  return std::string(utf8::prefix(utf8::repaired(found), kLongestShownLine));
}

}  // namespace ralph::run
