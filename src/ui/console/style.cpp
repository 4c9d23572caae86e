#include "ui/console/style.h"

#include <algorithm>
#include <array>

#include "ui/console/safe_text.h"

namespace ralph::console {
namespace {

constexpr std::array kOwn{kReset, kDim, kGreen, kCyan, kYellow, kRed, kEraseLine};

/// Length of the sequence of ours at the start of `text`; 0: there is none.
std::size_t own_length(std::string_view text) {
  const auto found =
      std::ranges::find_if(kOwn, [&](std::string_view own) { return text.starts_with(own); });
  return found == kOwn.end() ? 0 : found->size();
}

}  // namespace

std::string safe_styled_text(std::string_view text) {
  std::string out;
  std::size_t plain = 0;  // where the text begins that is not in `out` yet
  for (auto at = text.find_first_of("\r\x1b"); at != text.npos;) {
    const auto length = own_length(text.substr(at));
    if (length > 0) {
      out.append(safe_text(text.substr(plain, at - plain))).append(text.substr(at, length));
      plain = at + length;
    }
    at = text.find_first_of("\r\x1b", at + std::max<std::size_t>(length, 1));
  }
  return out.append(safe_text(text.substr(plain)));
}

}  // namespace ralph::console
