#pragma once
#include <filesystem>
#include <string_view>

#include "core/config/settings.h"
#include "harness/loop/state.h"

namespace ralph::cli {

/// Among the flags of a loop's state: the folder it works in, where that is not the project's root.
inline constexpr const char* kFolderOfLoop = "folder";

/// Where a new loop works: the folder of its settings file, for which 'verify' is meant. Empty: where the settings say.
std::filesystem::path folder_beside_settings(std::string_view config_file,
                                             const config::Settings& settings);

/// Where a loop worked that is resumed, from whatever folder below `root`. Empty: where the settings say.
std::filesystem::path folder_of_start(const loop::State& state, const std::filesystem::path& root,
                                      const config::Settings& settings);

}  // namespace ralph::cli
