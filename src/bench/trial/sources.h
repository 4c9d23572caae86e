#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "bench/trial/test_case.h"
#include "core/base/result.h"
#include "system/git/program.h"

namespace ralph::trial {

/// The repository of a case, as git is given it.
struct Source {
  std::string address;  // a local path becomes file://
  std::string branch, commit;
};
/// A local path counts from the directory of the case's file.
Source source_of(const TestCase& test_case);

/// Clones the repository into `folder`. Its history ends at the commit of the case: no later objects, no remote, no tags.
/// Without `commit` only the newest commit is there. Returns that commit.
Result<std::string> clone_base(const git::Program& git, const Source& source,
                               const std::filesystem::path& folder);

/// The commit of the branch now. Code::not_found: the repository has no such branch. It is cloned only after the agent has
/// ended, so that the agent cannot read the expected result.
Result<std::string> check_branch(const git::Program& git, const Source& source,
                                 const std::string& branch);
/// A branch, and the commit that it must be at.
struct ExpectedBranch {
  std::string name, commit;
};
/// Code::permission: the branch was moved.
Result<> clone_expected(const git::Program& git, const Source& source,
                        const ExpectedBranch& expected, const std::filesystem::path& folder);

/// Of the user's git settings, which an agent that is not confined can write.
std::string user_settings_digest();

}  // namespace ralph::trial
