#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ralph::tool {

/// Estimates the tokens of a text without the API: a token is four letters or blanks, two digits or punctuation marks, or
/// two and a half bytes of anything else. Additive over the parts of a text.
class TokenEstimate {
 public:
  void add(std::string_view text);
  std::int64_t tokens() const { return units_ / kUnits; }

 private:
  static constexpr std::int64_t kUnits = 20;  // per token
  std::int64_t units_ = 0;
};

std::int64_t estimated_tokens(std::string_view text);

}  // namespace ralph::tool
