#include "cli/run_settings.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/environment.h"
#include "cli/failure.h"
#include "core/base/file.h"
#include "core/base/id.h"
#include "core/config/load.h"
#include "harness/backend/plan.h"
#include "harness/run/config_watch.h"
#include "harness/store/lock.h"
#include "harness/store/user_state.h"
#include "harness/store/workspace.h"
#include "system/git/project_root.h"

namespace ralph::cli {
namespace {

using config::Key;

/// The help text, with the default unless it is obvious.
std::string help_of(const config::Setting& setting, bool of_loop) {
  const auto fallback =
      of_loop && !setting.loop_fallback.empty() ? setting.loop_fallback : setting.fallback;
  constexpr std::string_view kObvious[] = {"", "0s", ".", "auto", "off", "false"};
  if (std::ranges::find(kObvious, fallback) != std::end(kObvious)) {
    return std::string(setting.help);
  }
  return fmt::format("{} (default: {})", setting.help, fallback);
}

/// Called once per command: the texts live as long as the program.
std::vector<Option> setting_options(bool of_loop) {
  static std::array<std::vector<std::string>, 2> texts_of_commands;
  auto& texts = texts_of_commands[of_loop ? 1 : 0];
  for (const auto& setting : config::settings_table()) texts.push_back(help_of(setting, of_loop));
  std::vector<const config::Setting*> shown;
  for (const auto& setting : config::settings_table()) {
    if (!setting.flag.empty() && (of_loop || !setting.loop_only)) shown.push_back(&setting);
  }
  std::ranges::stable_sort(shown, {}, &config::Setting::topic);
  std::vector<Option> list;
  for (const auto* const setting : shown) {
    list.push_back({setting->flag, setting->value, texts[static_cast<std::size_t>(setting->id)],
                    config::title(setting->topic), setting->listed == config::Listed::on_request,
                    setting->choices});
  }
  return list;
}

}  // namespace

std::span<const Option> run_setting_options() {
  static const auto options = setting_options(false);
  return options;
}

std::span<const Option> loop_setting_options() {
  static const auto options = setting_options(true);
  return options;
}

std::vector<config::FlagValue> flags_of(const Arguments& arguments) {
  std::vector<config::FlagValue> flags;
  for (const auto& setting : config::settings_table()) {
    const auto name = long_name(setting.flag);
    if (!setting.flag.empty() && arguments.flag(name)) {
      const bool has_value = !setting.value.empty();
      flags.push_back({setting.id, has_value ? arguments.all(name) : std::vector<std::string>()});
    }
  }
  if (!arguments.rest().empty()) flags.push_back({Key::extra_args, arguments.rest()});
  return flags;
}

std::filesystem::path project_root_of(const std::filesystem::path& folder) {
  const char* home = std::getenv("HOME");
  return git::find_project_root(folder, home == nullptr ? "" : home).folder;
}

config::LoadRequest load_request(std::string_view config_file, const std::filesystem::path& from) {
  config::LoadRequest request;
  request.config_file = config_file;
  request.environment = environment();
  request.from = from;
  request.root = project_root_of(from);
  request.backends = backend::known_backends();
  return request;
}

Result<config::Loaded> load_settings(std::string_view config_file,
                                     std::vector<config::FlagValue> flags,
                                     const std::filesystem::path& from) {
  auto request = load_request(config_file, from);
  request.flags = std::move(flags);
  return config::load(request);
}

std::vector<std::filesystem::path> obeyed_files(std::string_view config_file,
                                                const config::Settings* settings,
                                                const std::filesystem::path& from) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : config::find_files(load_request(config_file, from))) {
    files.push_back(file.path);
  }
  const std::filesystem::path folder = settings == nullptr ? "." : settings->text(Key::cwd);
  for (const auto* name : {"ralph.yml", ".ralph/config.yml", ".envrc"}) {
    auto path = (folder / name).lexically_normal();
    if (std::ranges::find(files, path) == files.end()) files.push_back(std::move(path));
  }
  return files;
}

Result<> check_obeyed(std::string_view config_file, const config::Settings* settings,
                      const std::filesystem::path& from) {
  return run::ConfigWatch::check(store::user_state_folder(),
                                 obeyed_files(config_file, settings, from), Masker(environment()));
}

Result<std::vector<std::filesystem::path>> accept_obeyed(std::string_view config_file,
                                                         const config::Settings* settings,
                                                         const std::filesystem::path& from) {
  const std::filesystem::path folder = settings == nullptr ? "." : settings->text(Key::cwd);
  if (const auto holder =
          store::Lock::holder(store::Workspace::at(project_root_of(folder)).lock_file())) {
    return fail(Code::busy, fmt::format("{} is running here", to_string(holder->user)),
                "accept the settings after it has ended");
  }
  return run::ConfigWatch::accept(store::user_state_folder(),
                                  obeyed_files(config_file, settings, from));
}

std::vector<std::filesystem::path> loop_inputs(const run::Request& request,
                                               const config::Settings& settings,
                                               const std::string& goal_file) {
  namespace fs = std::filesystem;
  auto files = request.obeyed_files;
  files.push_back(request.host.root() / ".gitignore");
  for (const auto& file : {goal_file, settings.text(Key::template_file)}) {
    if (!file.empty() && file != "-") files.emplace_back(file);
  }
  std::vector<fs::path> found;
  for (const auto& file : files) {
    std::error_code error;
    const auto folder = fs::canonical(fs::absolute(file).parent_path(), error);
    if (error) continue;
    auto path = folder / file.filename();
    if (std::ranges::find(found, path) == found.end()) found.push_back(std::move(path));
  }
  return found;
}

void watch_settings(std::string_view config_file, const config::Settings& settings,
                    run::Request& request, const std::filesystem::path& from) {
  request.state_folder = store::user_state_folder();
  request.obeyed_files = obeyed_files(config_file, &settings, from);
  if (!request.state_folder.empty()) return;
  request.warnings.emplace_back(
      "HOME is not set: ralph cannot detect that an agent changes its settings");
}

void note_own_agent(const config::Settings& settings, const run::Request& request,
                    StdOutput& output) {
  const bool chosen =
      run::backend_name(settings) == "auto" && request.backend->program == backend::kOwnProgram;
  if (!chosen || settings.boolean(Key::quiet)) return;
  std::vector<std::string_view> programs;
  for (const auto& candidate : backend::candidates()) {
    const bool own = candidate.backend == request.backend;
    if (candidate.backend != nullptr && !own && !candidate.program.empty()) {
      programs.push_back(candidate.program);
    }
  }
  note(fmt::format("no agent CLI found in PATH ({}); using ralph's own agent",
                   fmt::join(programs, ", ")),
       output);
}

console::Verbosity verbosity_of(const config::Settings& settings) {
  if (settings.boolean(Key::quiet)) return console::Verbosity::quiet;
  return settings.boolean(Key::verbose) ? console::Verbosity::verbose : console::Verbosity::normal;
}

Result<run::Invocation> invocation_of(const config::Settings& settings) {
  run::Invocation invocation;
  invocation.run_id = make_run_id();
  invocation.environment = environment();
  invocation.is_root = ::geteuid() == 0;
  if (settings.text(Key::prompt_file) == "-") {
    TRY_ASSIGN(invocation.standard_input, read_fd(0, "standard input"));
  }
  return invocation;
}

}  // namespace ralph::cli
