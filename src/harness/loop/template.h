#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ralph::loop {

/// A template: text with {{name}} for a part, and {{#name}}…{{/name}} around what is there only when the part is not
/// empty ({{^name}}…{{/name}}: only when it is). What is put in is never looked at again. A line that holds nothing but
/// the beginning or the end of a section is not in the text.
class Template {
 public:
  /// Names unknown to us, sections that are not closed: an error with `name` and the line.
  static Result<Template> parse(std::string_view text, std::string_view name);
  /// The one built in.
  static const Template& builtin();

  struct Value {
    std::string_view name, text;
  };
  /// Whether {{name}} stands in it.
  bool has(std::string_view name) const;
  std::string fill(const std::vector<Value>& values) const;

 private:
  struct Piece {
    enum class Kind { text, value, when, unless, end };
    Kind kind;
    std::string text;
  };
  std::vector<Piece> pieces_;
};

}  // namespace ralph::loop
