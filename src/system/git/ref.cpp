#include "system/git/ref.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/text.h"

namespace ralph::git {
namespace {

constexpr std::string_view kForbidden = " ~^:?*[\\\x7f";
constexpr std::size_t kMostName = 1024;
constexpr std::size_t kMostPart = 255;
constexpr std::size_t kMostId = 64;

bool is_forbidden(char c) {
  return static_cast<unsigned char>(c) < 0x20 || kForbidden.find(c) != kForbidden.npos;
}

bool is_part(std::string_view part) {
  return !part.empty() && part.size() <= kMostPart && part.front() != '.';
}

}  // namespace

bool is_commit_id(std::string_view text) {
  return (text.size() == 40 || text.size() == kMostId) &&
         text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

bool is_ref_name(std::string_view name) {
  if (!name.starts_with("refs/") || name.size() > kMostName) return false;
  if (name.find("..") != name.npos || std::ranges::any_of(name, is_forbidden)) return false;
  for (;;) {
    const auto slash = name.find('/');
    if (!is_part(name.substr(0, slash))) return false;
    if (slash == name.npos) return true;
    name.remove_prefix(slash + 1);
  }
}

Result<Ref> parse_ref(std::string_view text, std::string_view file) {
  constexpr std::string_view kRef = "ref:";
  text = trim_end(text);
  if (is_commit_id(text)) return Ref{std::string(text), {}};
  if (!text.starts_with(kRef)) {
    return fail(Code::malformed,
                fmt::format("'{}' holds neither a commit id nor the name of a ref", file));
  }
  const auto name = trim(text.substr(kRef.size()));
  if (!is_ref_name(name) && name != kReftableHead) {
    return fail(Code::malformed,
                fmt::format("'{}' names a ref that is not allowed: too long, not below refs/, or "
                            "with '..', a hidden part or a forbidden character",
                            file));
  }
  return Ref{{}, std::string(name)};
}

void PackedSearch::feed(std::string_view piece) {
  // One more than the longest line worth reading: an overlong one, cut, is never taken for it.
  const auto most = kMostId + wanted_.size() + 1;
  while (!found_ && !piece.empty()) {
    const auto end = piece.find('\n');
    line_ += piece.substr(0, std::min(end, most - line_.size()));
    if (end == piece.npos) return;
    take_line();
    piece.remove_prefix(end + 1);
  }
}

void PackedSearch::take_line() {
  const std::string_view line = line_;
  if (line.size() <= kMostId + wanted_.size() && line.ends_with(wanted_) && line.front() != '#') {
    id_ = line.substr(0, line.size() - wanted_.size());
    found_ = !id_.empty();
  }
  line_.clear();
}

std::string PackedSearch::finish() {
  if (!found_) take_line();
  return id_;
}

}  // namespace ralph::git
