#include "harness/loop/excerpt.h"

#include <algorithm>

#include "core/base/utf8.h"

namespace ralph::loop {
namespace {

std::size_t longest_run(std::string_view text, char wanted) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == wanted ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string prompt_text(std::string_view text) {
  std::string clean(text);
  std::ranges::replace(clean, '\0', '\xFF');
  return utf8::repaired(clean);
}

Excerpt beginning_of(std::string_view text, std::size_t most_bytes) {
  const auto kept = utf8::prefix(text, most_bytes);
  return {kept, text.size() - kept.size()};
}

Excerpt end_of(std::string_view text, std::size_t most_bytes) {
  const auto kept = utf8::suffix(text, most_bytes);
  return {kept, text.size() - kept.size()};
}

std::string fenced(std::string_view text) {
  const std::string fence(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
  std::string block = fence + '\n';
  block += text;
  if (!text.empty() && !text.ends_with('\n')) block += '\n';
  return block + fence;
}

}  // namespace ralph::loop
