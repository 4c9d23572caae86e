#pragma once
#include <cstdint>
#include <string_view>

namespace ralph::loop {

/// The value of MAX_THINKING_TOKENS for a model (alias or id) and "none", "low", "med" or "high"; 0: it is not set.
std::int64_t thinking_tokens(std::string_view model, std::string_view reasoning);

/// The same for models that take an effort instead: "low", "medium", "high"; empty: their own.
std::string_view effort_of(std::string_view reasoning);

}  // namespace ralph::loop
