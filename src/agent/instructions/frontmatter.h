#pragma once
#include <map>
#include <string>
#include <string_view>

namespace ralph::instructions {

/// A text that may begin with facts about itself: "key: value" lines between two lines "---".
struct Fronted {
  std::map<std::string, std::string, std::less<>> head;
  std::string body;  // what follows, without blank lines in front

  /// Empty: the head does not say.
  std::string_view value(std::string_view key) const;
  bool is_true(std::string_view key) const;
};

/// Takes as much of YAML as people write there: quotes around a value, and values on indented lines, which become one
/// line. What it does not understand is passed over; without a closing "---" all is body.
Fronted split_front(std::string_view text);

}  // namespace ralph::instructions
