#include "harness/store/location.h"

namespace ralph::store {

Location Location::operator/(std::string_view name) const {
  auto names = names_;
  names.emplace_back(name);
  return {root_, std::move(names)};
}

std::filesystem::path Location::path() const {
  auto path = root_;
  for (const auto& name : names_) path /= name;
  return path;
}

Result<Folder> Location::walk(std::size_t depth, Missing missing) const {
  const bool make = missing == Missing::is_made;
  auto at = Folder::open(root_);
  if (make && !at && at.error().code == Code::not_found) at = Folder::make(root_);
  for (std::size_t i = 0; at && i < depth; ++i) {
    at = make ? at->make_folder(names_[i]) : at->open_folder(names_[i]);
  }
  // A directory of ours that is something else is trouble with the disk, not with data in it.
  if (!at && at.error().code == Code::malformed) at.error().code = Code::storage;
  return at;
}

}  // namespace ralph::store
