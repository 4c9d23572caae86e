#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace ralph::loop {

inline constexpr const char* kRalphFolder = ".ralph";
inline constexpr const char* kCheck = "check";
/// What is run: the bytes that were looked at, beside the file they are from so that `dirname "$0"` is the same.
inline constexpr const char* kCheckCopy = "check.running";

/// The bytes of `.ralph/check`; nullopt: there is none. Never a link's, never those of a file that cannot be executed.
Result<std::optional<std::string>> read_check(const std::filesystem::path& workspace);

/// The checked bytes as a file that can be run, gone at the end of the scope.
class CheckCopy {
 public:
  CheckCopy(const CheckCopy&) = delete;
  CheckCopy& operator=(const CheckCopy&) = delete;
  CheckCopy() = default;
  ~CheckCopy();

  Result<> make(const std::filesystem::path& workspace, std::string_view bytes);

 private:
  UniqueFd folder_;
};

/// The NAMEs of `.ralph/NAME` in the commands, but for those that ralph itself writes.
std::set<std::string> named_in(const std::vector<std::string>& commands);

/// Of the regular file `.ralph/NAME`; empty: there is none. A link is an error.
Result<std::string> digest_of_named(const std::filesystem::path& workspace,
                                    const std::string& name);

/// Digests of everything in `.ralph/` that ralph does not write itself, by path within it. Links count as what they
/// say.
std::map<std::string, std::string> ralph_folder_digests(const std::filesystem::path& workspace);

}  // namespace ralph::loop
