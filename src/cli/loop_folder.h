#pragma once
#include <filesystem>
#include <string_view>

#include "cli/options.h"
#include "cli/std_output.h"
#include "core/base/result.h"
#include "core/config/settings.h"
#include "harness/store/loop_state.h"
#include "ui/console/loop_snapshot.h"

namespace ralph::cli {

/// Among the flags of a loop's state: the directory it works in, where that is not the project's root.
inline constexpr const char* kFolderOfLoop = "folder";

/// Where a new loop works: the directory of its settings file, for which 'verify' is meant. Empty: where the settings
/// say.
std::filesystem::path folder_beside_settings(std::string_view config_file,
                                             const config::Settings& settings);

/// Where a loop worked that is resumed, from whatever directory below `root`. Empty: where the settings say.
std::filesystem::path folder_of_start(const store::LoopState& state,
                                      const std::filesystem::path& root,
                                      const config::Settings& settings);

/// The directory that contains `.ralph` for the one that --cwd names, or for the current one: the root of its
/// repository.
Result<std::filesystem::path> folder_of(const Arguments& arguments);
/// The loop of that directory; warns of files that cannot be read.
console::LoopSnapshot read_loop(const std::filesystem::path& folder, StdOutput& output);

inline constexpr Option kCwdOption{
    "--cwd", "DIR", "a directory of the repository the loop works in (default: the current one)"};

}  // namespace ralph::cli
