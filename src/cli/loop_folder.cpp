#include "cli/loop_folder.h"

#include "core/base/path.h"
#include "cli/run_settings.h"

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
fs::path folder_of_start(const loop::State& state, const fs::path& root,
                         const config::Settings& settings) {
  if (settings.given(config::Key::cwd)) return {};
  const auto known = state.flags.find(kFolderOfLoop);
  if (known == state.flags.end() || known->second.empty()) return unless_current(root);
  std::error_code error;
  const auto folder = fs::weakly_canonical(known->second.front(), error);
  return unless_current(!error && is_below(folder, root) ? folder : root);
}

}  // namespace ralph::cli
