#pragma once
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <variant>

namespace ralph::json {

/// A member's name or an element's number on the way down into a JSON text.
using Step = std::variant<std::string_view, std::size_t>;

/// The value at the end of the path, as it is written in `text`; empty when it is not there.
/// For texts a parser has accepted; on others it finds nothing or something, but stays in bounds.
std::string_view locate(std::string_view text, std::initializer_list<Step> path);
/// The text from the start of that value to the end of `text`; what follows the value is not parsed.
std::string_view locate_start(std::string_view text, std::initializer_list<Step> path);

/// Iterates once over the elements of an array.
class Elements {
 public:
  /// `text` starts with the array; more may follow.
  explicit Elements(std::string_view text) : text_(text) {}
  /// The text from where element `index` starts; empty if the array is shorter. Indexes must increase.
  std::string_view start(std::size_t index);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t index_ = 0;
  bool begun_ = false;
};

}  // namespace ralph::json
