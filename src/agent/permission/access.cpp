#include "agent/permission/access.h"

#include <algorithm>

#include "core/base/path.h"
#include "core/base/words.h"

namespace ralph::permission {

std::string_view to_string(Grant grant) {
  static constexpr ralph::Words<Grant, 4> kGrants{{"none", "reading", "editing", "user"}};
  return kGrants.of(grant);
}

bool WorkingFolders::contains(const std::filesystem::path& resolved) const {
  return is_below(resolved, root) || std::ranges::any_of(directories, [&](const auto& folder) {
           return is_below(resolved, folder);
         });
}

}  // namespace ralph::permission
