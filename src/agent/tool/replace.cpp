#include "agent/tool/replace.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/base/utf8.h"

namespace ralph::tool {
namespace {

constexpr std::size_t kLinesCompared = 5000;
constexpr std::size_t kCharactersCompared = 80;
constexpr std::size_t kCharactersShown = 200;
constexpr std::size_t kLinesAround = 2;

/// A text without the "\r" of its "\r\n", and their positions.
struct Plain {
  std::string text;
  std::vector<std::size_t> removed;  // positions in `text` before which a "\r" was, ascending

  std::size_t in_file(std::size_t at) const {
    const auto before = std::ranges::lower_bound(removed, at) - removed.begin();
    return at + static_cast<std::size_t>(before);
  }
};

Plain plain_of(std::string_view bytes) {
  Plain plain;
  plain.text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (bytes.substr(at, 2) == "\r\n") {
      plain.removed.push_back(plain.text.size());
    } else {
      plain.text += bytes[at];
    }
  }
  return plain;
}

std::vector<Span> find_all(std::string_view text, std::string_view wanted) {
  std::vector<Span> found;
  if (wanted.empty()) return found;
  const std::boyer_moore_horspool_searcher searcher(wanted.begin(), wanted.end());
  for (auto from = text.begin();;) {
    const auto at = std::search(from, text.end(), searcher);
    if (at == text.end()) return found;
    const auto begin = static_cast<std::size_t>(at - text.begin());
    found.push_back({begin, begin + wanted.size()});
    from = at + static_cast<std::ptrdiff_t>(wanted.size());
  }
}

bool mostly_crlf(std::string_view bytes) {
  std::size_t all = 0;
  std::size_t crlf = 0;
  for (auto at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
    ++all;
    if (at > 0 && bytes[at - 1] == '\r') ++crlf;
  }
  return crlf * 2 > all;
}

std::string with_crlf(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n' && (at == 0 || text[at - 1] != '\r')) out += '\r';
    out += text[at];
  }
  return out;
}

/// For comparisons: trimmed, lower case, shortened.
std::string normalized_line(std::string_view line) {
  return to_lower(trim(line, " \t\r").substr(0, kCharactersCompared));
}

std::vector<std::string_view> lines_of(std::string_view text, std::size_t most) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < most) {
    const auto line = text.substr(0, text.find('\n'));
    lines.push_back(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

std::string first_normalized_line(std::string_view text) {
  for (const auto line : lines_of(text, 50)) {
    if (auto found = normalized_line(line); !found.empty()) return found;
  }
  return {};
}

}  // namespace

std::vector<Span> occurrences(std::string_view bytes, std::string_view old_text) {
  const auto plain = plain_of(bytes);
  auto found = find_all(plain.text, plain_of(old_text).text);
  if (found.empty()) return find_all(bytes, old_text);
  for (auto& span : found) span = {plain.in_file(span.begin), plain.in_file(span.end)};
  return found;
}

std::size_t replaced_size(std::string_view bytes, const std::vector<Span>& spans,
                          std::string_view new_text) {
  const auto each = mostly_crlf(bytes) ? with_crlf(new_text).size() : new_text.size();
  std::size_t size = bytes.size() + spans.size() * each;
  for (const auto& span : spans) size -= span.end - span.begin;
  return size;
}

std::string replaced(std::string_view bytes, const std::vector<Span>& spans,
                     std::string_view new_text) {
  const auto text = mostly_crlf(bytes) ? with_crlf(new_text) : std::string(new_text);
  std::string out;
  std::size_t done = 0;
  for (const auto& span : spans) {
    out += bytes.substr(done, span.begin - done);
    out += text;
    done = span.end;
  }
  out += bytes.substr(done);
  return out;
}

std::string nearest_lines(std::string_view text, std::string_view wanted) {
  const auto target = first_normalized_line(wanted);
  if (target.size() < 3) return {};
  const auto lines = lines_of(text, kLinesCompared);
  std::size_t best = lines.size();
  std::size_t least = target.size() / 3 + 1;
  for (std::size_t i = 0; i < lines.size() && least > 0; ++i) {
    const auto candidate = normalized_line(lines[i]);
    if (candidate.size() > target.size() + least || target.size() > candidate.size() + least) {
      continue;
    }
    if (const auto distance = edit_distance(candidate, target); distance < least) {
      least = distance;
      best = i;
    }
  }
  std::string shown;
  if (best == lines.size()) return shown;
  for (auto i = best; i < std::min(lines.size(), best + kLinesAround + 1); ++i) {
    fmt::format_to(std::back_inserter(shown), "{}{}\t{}", i == best ? "" : "\n", i + 1,
                   utf8::shortened(lines[i], kCharactersShown));
  }
  return shown;
}

}  // namespace ralph::tool
