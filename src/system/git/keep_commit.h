#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "system/git/program.h"

namespace ralph::git {

/// A commit that no ref leads to yet.
Result<std::string> make_commit(const Program& git, const std::string& tree,
                                const std::vector<std::string>& parents, std::string_view message);

/// Creates a ref to the commit under the first free name: `name`, `name`-2, -3 …; returns the ref.
Result<std::string> keep_commit(const Program& git, const std::string& name,
                                const std::string& commit);

}  // namespace ralph::git
