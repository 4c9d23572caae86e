#include "agent/tool/token_estimate.h"

namespace ralph::tool {

void TokenEstimate::add(std::string_view text) {
  for (const char c : text) {
    const auto lower = static_cast<unsigned char>(c | 0x20);
    if ((lower >= 'a' && lower <= 'z') || c == ' ' || c == '\t') {
      units_ += 5;
    } else {
      units_ += static_cast<unsigned char>(c) < 0x80 ? 10 : 8;
    }
  }
}

std::int64_t estimated_tokens(std::string_view text) {
  TokenEstimate estimate;
  estimate.add(text);
  return estimate.tokens();
}

}  // namespace ralph::tool
