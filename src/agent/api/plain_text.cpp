#include <array>

#include "agent/api/plain_text_impl.h"
#include "core/base/utf8.h"
#include "system/http/message.h"

namespace ralph::api {
namespace {

constexpr std::size_t kMostRead = std::size_t{64} << 10;
constexpr std::size_t kLongest = 300;
constexpr std::array<std::string_view, 3> kUnread{"script", "style", "head"};

bool is_space(char c) { return static_cast<unsigned char>(c) <= ' '; }

/// The name of the tag that starts at `at`, with the "/" of an end tag.
std::string_view tag_at(std::string_view page, std::size_t at) {
  const auto end = page.find_first_of(" \t\r\n>", at + 1);
  return end == page.npos ? page.substr(at + 1) : page.substr(at + 1, end - at - 1);
}

/// The end of the element that starts at `at`; of elements whose content is not text, the end of their end tag.
std::size_t end_of_tag(std::string_view page, std::size_t at) {
  const auto name = tag_at(page, at);
  auto end = page.find('>', at);
  for (const auto unread : kUnread) {
    if (!http::equal_ignoring_case(name, unread)) continue;
    for (auto next = page.find("</", at); next != page.npos; next = page.find("</", next + 2)) {
      if (!http::equal_ignoring_case(tag_at(page, next).substr(1), unread)) continue;
      end = page.find('>', next);
      break;
    }
  }
  return end == page.npos ? page.size() : end + 1;
}

bool starts_tag(std::string_view page, std::size_t at) {
  if (page[at] != '<' || at + 1 >= page.size()) return false;
  const char next = page[at + 1];
  return next == '/' || next == '!' || next == '?' || (next >= 'a' && next <= 'z') ||
         (next >= 'A' && next <= 'Z');
}

}  // namespace

std::string one_line_of(std::string_view page) {
  page = page.substr(0, kMostRead);
  std::string line;
  bool blank = false;
  for (std::size_t at = 0; at < page.size();) {
    const bool tag = starts_tag(page, at);
    if (tag || is_space(page[at])) {
      blank = !line.empty();
      at = tag ? end_of_tag(page, at) : at + 1;
      continue;
    }
    if (blank) line += ' ';
    blank = false;
    line += page[at++];
  }
  return utf8::shortened(utf8::repaired(line), kLongest);
}

}  // namespace ralph::api
