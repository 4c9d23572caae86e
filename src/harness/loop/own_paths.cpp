#include "harness/loop/own_paths.h"

#include <cstdlib>

#include "harness/backend/backend.h"
#include "harness/store/user_state.h"

namespace ralph::loop {

namespace fs = std::filesystem;

std::vector<fs::path> own_paths(const backend::Host& host) {
  std::vector<fs::path> paths{store::user_state_folder()};
  for (const auto* backend : backend::backends()) {
    for (auto& path : backend::state_paths(*backend, host)) paths.push_back(std::move(path));
  }
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && fs::path(config).is_absolute())
    paths.push_back(fs::path(config) / "ralph");
  return paths;
}

}  // namespace ralph::loop
