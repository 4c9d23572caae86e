#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::store {

/// A JSON object on one line in which no member holds more than about `longest` bytes of text: strings are
/// cut between code points, objects and arrays lose what comes last. The names of the members that were
/// cut are listed in a last member, "cut", after those that the caller left out.
/// nullopt: not an object, or nested too deeply to be read.
std::optional<std::string> shorten_members(std::string_view object, std::size_t longest,
                                           const std::vector<std::string>& left_out = {});

}  // namespace ralph::store
