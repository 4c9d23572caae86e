#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/schema/ecma_pattern.h"

namespace ralph::hook {

/// What a hook is for. Empty and "*": everything; "Edit" and "Edit|Write": these names; otherwise a JavaScript regular
/// expression that is searched in the subject.
class Matcher {
 public:
  /// An error: not a valid expression.
  static Result<Matcher> compile(std::string text);

  /// An empty subject matches. So does one for which the search takes too long: then the hook runs.
  bool matches(std::string_view subject) const;
  const std::string& text() const { return text_; }

 private:
  bool matches_name(std::string_view name) const;

  std::string text_;
  std::vector<std::string> names_;
  std::optional<schema::EcmaPattern> pattern_;
};

}  // namespace ralph::hook
