#include "cli/loop_folder.h"

#include <fmt/core.h>

#include "cli/failure.h"
#include "cli/run_settings.h"
#include "core/base/path.h"

namespace ralph::cli {
namespace {

namespace fs = std::filesystem;

fs::path unless_current(const fs::path& folder) {
  std::error_code error;
  auto real = fs::weakly_canonical(folder, error);
  return error || real == fs::current_path(error) ? fs::path() : real;
}

}  // namespace

fs::path folder_beside_settings(std::string_view config_file, const config::Settings& settings) {
  if (settings.given(config::Key::cwd)) return {};
  const auto folder = config::project_folder(config::find_files(load_request(config_file)));
  return folder.empty() ? fs::path() : unless_current(folder);
}

/// An agent may have written the state: nothing outside of the root is taken from it.
fs::path folder_of_start(const store::LoopState& state, const fs::path& root,
                         const config::Settings& settings) {
  if (settings.given(config::Key::cwd)) return {};
  const auto known = state.flags.find(kFolderOfLoop);
  if (known == state.flags.end() || known->second.empty()) return unless_current(root);
  std::error_code error;
  const auto folder = fs::weakly_canonical(known->second.front(), error);
  return unless_current(!error && is_below(folder, root) ? folder : root);
}

Result<std::filesystem::path> folder_of(const Arguments& arguments) {
  const std::filesystem::path given(arguments.value("cwd", "."));
  std::error_code error;
  auto folder = std::filesystem::canonical(given, error);
  if (error || !std::filesystem::is_directory(folder, error)) {
    return fail(Code::not_found, fmt::format("'{}' is not a directory", given.native()),
                "--cwd takes an existing directory");
  }
  return project_root_of(folder);
}

console::LoopSnapshot read_loop(const fs::path& folder, StdOutput& output) {
  auto snapshot = console::read_loop(folder);
  for (const auto& warning : snapshot.warnings) warn(warning, output);
  return snapshot;
}

}  // namespace ralph::cli
