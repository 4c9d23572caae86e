#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

struct pcre2_real_code_8;

namespace ralph::schema {

/// Translates an ECMA-262 regular expression to PCRE2 (UTF mode). Syntax that only PCRE2 has is an error or literal, as in
/// a browser.
Result<std::string> translate_ecma_pattern(std::string_view pattern);

/// Limits of a search. `spend` is called with the steps used; false aborts.
class MatchBudget {
 public:
  virtual ~MatchBudget() = default;
  virtual bool spend(std::uint64_t steps) = 0;
};

/// A compiled ECMA-262 regular expression, immutable, usable from many threads.
class EcmaPattern {
 public:
  static Result<EcmaPattern> compile(std::string_view pattern);

  enum class Outcome { found, absent, too_hard };
  /// Is there a match anywhere in `text`? `attempts` bounds the tries at one place of the text.
  Outcome search(std::string_view text, std::uint32_t attempts, MatchBudget& budget) const;

  const std::string& source() const { return source_; }

 private:
  struct Free {
    void operator()(pcre2_real_code_8* code) const;
  };
  EcmaPattern(std::string source, pcre2_real_code_8* code);

  std::string source_;
  std::unique_ptr<pcre2_real_code_8, Free> code_;
  bool anchored_;
};

}  // namespace ralph::schema
