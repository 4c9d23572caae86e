#pragma once
#include <span>
#include <vector>

#include "core/base/result.h"
#include "cli/command.h"
#include "cli/options.h"
#include "core/config/load.h"
#include "harness/run/request.h"
#include "ui/console/verbosity.h"

namespace ralph::cli {

/// The settings that have a flag, as options of `ralph run`, or of `ralph loop`.
std::span<const Option> run_setting_options();
std::span<const Option> loop_setting_options();

/// What the command line says about settings.
std::vector<config::FlagValue> flags_of(const Arguments& arguments);
/// The folder that holds `.ralph` for commands in this folder.
std::filesystem::path project_root_of(const std::filesystem::path& folder);

/// Where settings are looked for. `config_file`: of --config; empty: the usual places, from the folder `from` up to its
/// project's root.
config::LoadRequest load_request(std::string_view config_file,
                                 const std::filesystem::path& from = ".");
/// All levels together.
Result<config::Loaded> load_settings(std::string_view config_file,
                                     std::vector<config::FlagValue> flags,
                                     const std::filesystem::path& from = ".");

/// Every file of settings that a command in this workspace obeys, whether it exists or not: those of the user and the
/// project, --config, and `.envrc`. `from`: as in load_request().
std::vector<std::filesystem::path> obeyed_files(std::string_view config_file,
                                                const config::Settings* settings,
                                                const std::filesystem::path& from = ".");
/// Code::usage: one of them changed while an agent worked, and the user has not accepted it.
Result<> check_obeyed(std::string_view config_file, const config::Settings* settings,
                      const std::filesystem::path& from = ".");

/// The user has seen them; those that had changed. Code::busy while an agent works: it could accept its own changes.
Result<std::vector<std::filesystem::path>> accept_obeyed(std::string_view config_file,
                                                         const config::Settings* settings,
                                                         const std::filesystem::path& from = ".");

/// Files that the user tells a loop by, with absolute paths: settings, goal, template, and the .gitignore that 'ralph
/// init' adds to.
std::vector<std::filesystem::path> loop_inputs(const run::Request& request,
                                               const config::Settings& settings,
                                               const std::string& goal_file);

/// Has the run notice when they change while its agent works.
void watch_settings(std::string_view config_file, const config::Settings& settings,
                    run::Request& request, const std::filesystem::path& from = ".");

/// One line when `backend: auto` found no agent and ralph's own is used; none with --quiet.
void note_own_agent(const config::Settings& settings, const run::Request& request,
                    StdOutput& output);

view::Verbosity verbosity_of(const config::Settings& settings);

/// What a run is told beside its settings; standard input is read when it is the prompt.
Result<run::Invocation> invocation_of(const config::Settings& settings);

}  // namespace ralph::cli
