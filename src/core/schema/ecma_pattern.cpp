#include "core/schema/ecma_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/core.h>
#include <pcre2.h>

#include "core/base/utf8.h"

namespace ralph::schema {
namespace {

constexpr std::uint32_t kMaxHeapKib = 64 * 1024;
constexpr std::uint32_t kMaxGroupDepth = 200;
constexpr std::uint64_t kNanosecondsPerStep = 100;
constexpr std::uint64_t kStepsPerCall = 4;

struct FreeContext {
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
template <typename T>
using Owned = std::unique_ptr<T, FreeContext>;

std::string error_text(int number) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(number, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

std::uint64_t cpu_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// PCRE2 counts attempts anew at every place of the text, so a search goes over the text in pieces
/// that grow while they are cheap, and pays for each.
class Search {
 public:
  Search(const pcre2_code* code, std::string_view text, std::uint32_t attempts)
      : code_(code),
        text_(text),
        data_(pcre2_match_data_create(1, nullptr)),
        context_(pcre2_match_context_create(nullptr)) {
    if (!ready()) return;
    pcre2_set_match_limit(context_.get(), attempts);
    pcre2_set_depth_limit(context_.get(), attempts);
    pcre2_set_heap_limit(context_.get(), kMaxHeapKib);
  }

  bool ready() const { return data_ && context_; }

  /// A match that starts in [from, last], as PCRE2's return code.
  int between(std::size_t from, std::size_t last) {
    pcre2_set_offset_limit(context_.get(), last);
    return pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(), from,
                       PCRE2_NO_UTF_CHECK, data_.get(), context_.get());
  }

  int anywhere(MatchBudget& budget, bool anchored) {
    constexpr std::uint64_t kCheap = 1'000'000;
    std::size_t piece = 64;
    for (std::size_t from = 0; from <= text_.size();) {
      const auto last = anchored ? text_.size() : last_start(from, piece);
      const auto began = cpu_nanoseconds();
      const int code = between(from, last);
      const auto spent = cpu_nanoseconds() - began;
      if (!budget.spend(kStepsPerCall + spent / kNanosecondsPerStep)) return PCRE2_ERROR_MATCHLIMIT;
      if (code != PCRE2_ERROR_NOMATCH) return code;
      piece = spent < kCheap ? piece * 4 : std::max<std::size_t>(piece / 4, 1);
      from = next_start(last);
    }
    return PCRE2_ERROR_NOMATCH;
  }

 private:
  bool inside_character(std::size_t at) const {
    return at < text_.size() && (static_cast<unsigned char>(text_[at]) & 0xC0) == 0x80;
  }
  std::size_t next_start(std::size_t at) const {
    do ++at;
    while (inside_character(at));
    return at;
  }
  std::size_t last_start(std::size_t from, std::size_t piece) const {
    if (piece >= text_.size() - from) return text_.size();
    auto last = from + piece;
    while (inside_character(last)) --last;
    return last;
  }

  const pcre2_code* code_;
  std::string_view text_;
  Owned<pcre2_match_data> data_;
  Owned<pcre2_match_context> context_;
};

}  // namespace

void EcmaPattern::Free::operator()(pcre2_real_code_8* code) const { pcre2_code_free(code); }

EcmaPattern::EcmaPattern(std::string source, pcre2_real_code_8* code)
    : source_(std::move(source)), code_(code) {
  std::uint32_t options = 0;
  pcre2_pattern_info(code, PCRE2_INFO_ALLOPTIONS, &options);
  anchored_ = (options & PCRE2_ANCHORED) != 0;
}

Result<EcmaPattern> EcmaPattern::compile(std::string_view pattern) {
  TRY_ASSIGN(const auto translated, translate_ecma_pattern(pattern));
  const Owned<pcre2_compile_context> context(pcre2_compile_context_create(nullptr));
  if (!context) return fail(Code::unavailable, "no memory for a pattern");
  pcre2_set_parens_nest_limit(context.get(), kMaxGroupDepth);
  pcre2_set_compile_extra_options(context.get(), PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
  constexpr std::uint32_t kOptions = PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_DOLLAR_ENDONLY |
                                     PCRE2_MATCH_UNSET_BACKREF | PCRE2_USE_OFFSET_LIMIT |
                                     PCRE2_NEVER_BACKSLASH_C;
  int error = 0;
  PCRE2_SIZE place = 0;
  auto* const code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()),
                                   translated.size(), kOptions, &error, &place, context.get());
  if (code == nullptr) return fail(Code::malformed, error_text(error));
  return EcmaPattern(std::string(pattern), code);
}

EcmaPattern::Outcome EcmaPattern::search(std::string_view text, std::uint32_t attempts,
                                         MatchBudget& budget) const {
  std::string repaired;
  if (!utf8::valid(text)) text = repaired = utf8::repaired(text);
  Search search(code_.get(), text, attempts);
  if (!search.ready()) return Outcome::too_hard;
  const int code = search.anywhere(budget, anchored_);
  if (code >= 0) return Outcome::found;
  return code == PCRE2_ERROR_NOMATCH ? Outcome::absent : Outcome::too_hard;
}

}  // namespace ralph::schema
