#include "agent/tool/grep_globs.h"

#include <algorithm>

#include "agent/tool/search_exclusions.h"

namespace ralph::tool {
namespace {

constexpr std::size_t kMostAlternatives = 64;

/// The position of the matching brace; npos: none, the brace is a plain character.
std::size_t closing_brace(std::string_view text, std::size_t open) {
  int depth = 0;
  for (auto at = open; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> alternatives(std::string_view inner) {
  std::vector<std::string_view> found;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < inner.size(); ++at) {
    if (inner[at] == '{') ++depth;
    if (inner[at] == '}') --depth;
    if (inner[at] != ',' || depth != 0) continue;
    found.push_back(inner.substr(begin, at - begin));
    begin = at + 1;
  }
  found.push_back(inner.substr(begin));
  return found;
}

/// False: too many alternatives.
bool expand(std::string_view glob, std::vector<std::string>& into) {
  std::vector<std::string> open{std::string(glob)};
  while (!open.empty()) {
    if (open.size() + into.size() > kMostAlternatives) return false;
    const auto text = std::move(open.back());
    open.pop_back();
    const auto begin = text.find('{');
    const auto end = begin == text.npos ? text.npos : closing_brace(text, begin);
    if (end == text.npos) {
      into.push_back(text);
      continue;
    }
    const auto inner = std::string_view(text).substr(begin + 1, end - begin - 1);
    for (const auto part : alternatives(inner)) {
      open.push_back(text.substr(0, begin).append(part).append(text, end + 1));
      if (open.size() > kMostAlternatives) return false;
    }
  }
  return true;
}

std::vector<std::string> glob_parts(std::string_view glob) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= glob.size();) {
    const auto end = std::min(glob.find('/', at), glob.size());
    if (end > at) parts.emplace_back(glob.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace

std::vector<std::string> split_globs(std::string_view text) {
  std::vector<std::string> globs(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (c == ' ' || (c == ',' && depth == 0)) {
      globs.emplace_back();
    } else {
      globs.back() += c;
    }
  }
  std::erase(globs, "");
  return globs;
}

Result<std::vector<std::string>> rebased_globs(std::string_view glob,
                                               const std::filesystem::path& below) {
  const bool negated = glob.starts_with('!');
  const auto plain = glob.substr(negated ? 1 : 0);
  if (below.empty() || plain.find('/') >= plain.size() - 1) {
    return std::vector{std::string(glob)};
  }
  std::vector<std::string> expanded;
  if (!expand(plain, expanded)) {
    return fail(Code::limit, "The glob has more than 64 alternatives in braces.");
  }
  std::vector<std::string> globs;
  for (const auto& one : expanded) {
    const auto deeper = negated ? Below::included : Below::left_out;
    for (const auto& rebased : globs_below(glob_parts(one), below, deeper)) {
      globs.push_back((negated ? "!" : "") + rebased);
    }
  }
  return globs;
}

}  // namespace ralph::tool
