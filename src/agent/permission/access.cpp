#include "agent/permission/access.h"

#include <algorithm>

#include "core/base/path.h"

namespace ralph::permission {

std::string_view to_string(Grant grant) {
  switch (grant) {
    case Grant::none: return "none";
    case Grant::reading: return "reading";
    case Grant::editing: return "editing";
    case Grant::user: return "user";
  }
  return "none";
}

bool WorkingFolders::contains(const std::filesystem::path& resolved) const {
  return is_below(resolved, root) || std::ranges::any_of(directories, [&](const auto& folder) {
           return is_below(resolved, folder);
         });
}

}  // namespace ralph::permission
