#pragma once
#include <algorithm>

namespace ralph {

/// Whether a list has the item.
template <typename List, typename Item>
constexpr bool contains(const List& list, const Item& item) {
  return std::ranges::find(list, item) != std::ranges::end(list);
}

}  // namespace ralph
