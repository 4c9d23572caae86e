#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ralph::tool {

/// Estimates how many tokens a text costs, without asking the API: four letters or blanks a token, two digits or
/// punctuation marks, two and a half bytes of anything else. Additive: the parts of a text cost what the whole does.
class TokenEstimate {
 public:
  void add(std::string_view text);
  std::int64_t tokens() const { return units_ / kUnits; }

 private:
  static constexpr std::int64_t kUnits = 20;  // of one token
  std::int64_t units_ = 0;
};

std::int64_t estimated_tokens(std::string_view text);

}  // namespace ralph::tool
