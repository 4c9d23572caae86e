#pragma once
#include <array>
#include <string_view>

namespace ralph::model {

/// The levels of effort, lowest first.
inline constexpr std::array<std::string_view, 5> kEfforts{"low", "medium", "high", "xhigh", "max"};

/// A family of Claude models: its alias, and the variable that sets the model of the alias.
struct Family {
  std::string_view alias, variable;
};
inline constexpr std::array<Family, 4> kFamilies{{{"opus", "ANTHROPIC_DEFAULT_OPUS_MODEL"},
                                                  {"fable", "ANTHROPIC_DEFAULT_FABLE_MODEL"},
                                                  {"sonnet", "ANTHROPIC_DEFAULT_SONNET_MODEL"},
                                                  {"haiku", "ANTHROPIC_DEFAULT_HAIKU_MODEL"}}};

}  // namespace ralph::model
