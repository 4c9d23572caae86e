#include "agent/hook/matcher.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/core.h>

namespace ralph::hook {
namespace {

constexpr std::string_view kAll = "*";
/// The former name of the tool "Agent", which settings still have.
constexpr std::pair<std::string_view, std::string_view> kAlias{"Agent", "Task"};
constexpr std::uint32_t kAttempts = 100'000;

class Steps final : public schema::MatchBudget {
 public:
  bool spend(std::uint64_t steps) override {
    left_ -= std::min(steps, left_);
    return left_ > 0;
  }

 private:
  std::uint64_t left_ = 1'000'000;
};

bool is_name_list(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '|';
  });
}

}  // namespace

Result<Matcher> Matcher::compile(std::string text) {
  Matcher matcher;
  matcher.text_ = std::move(text);
  if (matcher.text_.empty() || matcher.text_ == kAll) return matcher;
  if (!is_name_list(matcher.text_)) {
    TRY_ASSIGN(matcher.pattern_, schema::EcmaPattern::compile(matcher.text_));
    return matcher;
  }
  for (std::size_t at = 0; at <= matcher.text_.size();) {
    const auto end = std::min(matcher.text_.find('|', at), matcher.text_.size());
    if (end > at) matcher.names_.push_back(matcher.text_.substr(at, end - at));
    at = end + 1;
  }
  if (matcher.names_.empty()) {
    return fail(Code::malformed,
                fmt::format("'{}' has no name, so it matches nothing", matcher.text_));
  }
  return matcher;
}

bool Matcher::matches_name(std::string_view name) const {
  if (!pattern_) return std::ranges::find(names_, name) != names_.end();
  Steps steps;
  return pattern_->search(name, kAttempts, steps) != schema::EcmaPattern::Outcome::absent;
}

bool Matcher::matches(std::string_view subject) const {
  if (subject.empty() || text_.empty() || text_ == kAll) return true;
  return matches_name(subject) || (subject == kAlias.first && matches_name(kAlias.second));
}

}  // namespace ralph::hook
