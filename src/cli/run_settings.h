#pragma once
#include <span>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"
#include "core/base/result.h"
#include "core/config/load.h"
#include "harness/run/request.h"
#include "ui/console/verbosity.h"

namespace ralph::cli {

/// The settings that have a flag, as options of `ralph run` or `ralph loop`.
std::span<const Option> run_setting_options();
std::span<const Option> loop_setting_options();

/// The settings given on the command line.
std::vector<config::FlagValue> flags_of(const Arguments& arguments);
/// The directory that contains `.ralph` for commands in this directory.
std::filesystem::path project_root_of(const std::filesystem::path& folder);

/// Where to search for settings. `config_file`: the value of --config; empty: search from the directory `from` up to
/// its project's root.
config::LoadRequest load_request(std::string_view config_file,
                                 const std::filesystem::path& from = ".");
/// The settings of all levels.
Result<config::Loaded> load_settings(std::string_view config_file,
                                     std::vector<config::FlagValue> flags,
                                     const std::filesystem::path& from = ".");

/// Every settings file that applies to a command in this workspace, even if it does not exist: the user's and the
/// project's, --config, and `.envrc`. `from`: as in load_request().
std::vector<std::filesystem::path> obeyed_files(std::string_view config_file,
                                                const config::Settings* settings,
                                                const std::filesystem::path& from = ".");
/// Code::usage: one of them changed while an agent was running, and the user has not accepted the change.
Result<> check_obeyed(std::string_view config_file, const config::Settings* settings,
                      const std::filesystem::path& from = ".");

/// Accepts all changes and returns the changed files. Code::busy while an agent runs: it could accept its own changes.
Result<std::vector<std::filesystem::path>> accept_obeyed(std::string_view config_file,
                                                         const config::Settings* settings,
                                                         const std::filesystem::path& from = ".");

/// The files with which the user controls a loop, as absolute paths: settings, goal, template and the .gitignore that
/// 'ralph init' changes.
std::vector<std::filesystem::path> loop_inputs(const run::Request& request,
                                               const config::Settings& settings,
                                               const std::string& goal_file);

/// Makes the run detect changes of the settings files while its agent runs.
void watch_settings(std::string_view config_file, const config::Settings& settings,
                    run::Request& request, const std::filesystem::path& from = ".");

/// One line when `backend: auto` found no agent and ralph's own is used; none with --quiet.
void note_own_agent(const config::Settings& settings, const run::Request& request,
                    StdOutput& output);

console::Verbosity verbosity_of(const config::Settings& settings);

/// The inputs of a run beside its settings; reads standard input if it is the prompt.
Result<run::Invocation> invocation_of(const config::Settings& settings);

}  // namespace ralph::cli
