#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ralph::session {

/// The text as a JSON string, with quotes.
std::string json_string(std::string_view text);
/// ["a","b"]
std::string string_array(const std::vector<std::string>& texts);
/// [{"type":"text","text":…}]
std::string text_content(std::string_view text);
/// The texts of a content, one per line; other blocks are left out.
std::string text_of_content(std::string_view content);

}  // namespace ralph::session
