#include "harness/store/shorten.h"

#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/json/document.h"

namespace ralph::store {
namespace {

using json::Document;

constexpr std::size_t kBytesPerItem = 8;

/// What one member may still hold.
struct Space {
  std::size_t left;
  bool cut = false;

  bool take(std::size_t bytes) {
    if (bytes > left) return !(cut = true);
    left -= bytes;
    return true;
  }
};

void trim(Document& value, Space& space);

void trim_text(std::string& text, Space& space) {
  if (space.take(text.size())) return;
  text.resize(utf8::prefix(text, space.left).size());
  space.left = 0;
}

/// `size_of_name` and `value_of` tell arrays from objects.
template <typename Items, typename SizeOfName, typename ValueOf>
void trim_items(Items& items, Space& space, SizeOfName size_of_name, ValueOf value_of) {
  std::size_t kept = 0;
  while (kept < items.size() && space.take(kBytesPerItem + size_of_name(items.data()[kept]))) {
    trim(value_of(items.data()[kept++]), space);
  }
  while (items.size() > kept) items.pop_back();
}

void trim(Document& value, Space& space) {
  if (value.is_string()) {
    trim_text(value.get_ref<std::string&>(), space);
  } else if (value.is_array()) {
    trim_items(
        value.get_ref<Document::array_t&>(), space, [](const auto&) { return std::size_t{0}; },
        [](auto& item) -> Document& { return item; });
  } else if (value.is_object()) {
    trim_items(
        value.get_ref<Document::object_t&>(), space,
        [](const auto& item) { return item.first.size(); },
        [](auto& item) -> Document& { return item.second; });
  }
}

}  // namespace

std::optional<std::string> shorten_members(std::string_view object, std::size_t longest,
                                           const std::vector<std::string>& left_out) {
  auto document = json::parse(object);
  if (!document || !document->is_object()) return std::nullopt;
  Document cut = left_out;
  for (auto& [name, value] : document->get_ref<Document::object_t&>()) {
    Space space{longest};
    trim(value, space);
    if (space.cut) cut.push_back(name);
  }
  if (!cut.empty()) (*document)["cut"] = std::move(cut);
  return json::write(*document);
}

}  // namespace ralph::store
