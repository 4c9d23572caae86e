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

/// Code::not_found: the repository has no such branch. The branch is cloned only after the agent has ended, so that the agent
/// cannot read the expected result.
Result<> check_branch(const git::Program& git, const Source& source, const std::string& branch);
Result<> clone_expected(const git::Program& git, const Source& source, const std::string& branch,
                        const std::filesystem::path& folder);

}  // namespace ralph::trial
