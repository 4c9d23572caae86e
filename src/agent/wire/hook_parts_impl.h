#pragma once
// Private to this module's .cpp files.
#include <filesystem>
#include <string>
#include <vector>

#include "agent/hook/configured_hooks.h"
#include "agent/permission/decide.h"
#include "agent/settings/settings.h"

namespace ralph::wire {

/// The hooks of all settings files. An error names the file and what is wrong.
Result<hook::HookSettings> read_hooks(const settings::Settings& settings,
                                      const settings::Options& options);

/// What every hook's input has.
json::Document common_hook_input(const settings::Environment& environment,
                                 const std::filesystem::path& cwd, const std::string& session_id,
                                 permission::Mode mode);

/// The commands, and where and with which variables they run. Takes `commands` over.
hook::ConfiguredHooksParts hook_parts(std::vector<hook::CommandHook> commands,
                                      const settings::Settings& settings,
                                      const settings::Environment& environment,
                                      const std::filesystem::path& cwd);

}  // namespace ralph::wire
