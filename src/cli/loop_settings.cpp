#include "cli/loop_settings.h"

#include <utility>

#include "config/setting.h"
#include "config/value.h"

namespace ralph::cli {
namespace {

using config::Key;

/// Limits and what is shown or kept can change between two starts: they decide neither what an agent may do nor what
/// is verified.
bool is_obeyed_at_once(const config::Setting& setting) {
  using config::Topic;
  return setting.topic == Topic::limits || setting.topic == Topic::history ||
         setting.topic == Topic::output || setting.id == Key::verify_timeout ||
         setting.id == Key::git_timeout;
}

}  // namespace

bool is_kept_for_resume(Key key) {
  switch (key) {
    case Key::prompt:
    case Key::prompt_file:
    case Key::env:
    case Key::json:
    case Key::quiet:
    case Key::verbose:
    case Key::cwd: return false;
    default: return true;
  }
}

std::map<std::string, std::string> fixed_settings(const config::Settings& settings) {
  std::map<std::string, std::string> fixed;
  for (const auto& setting : config::settings_table()) {
    if (!is_kept_for_resume(setting.id) || is_obeyed_at_once(setting)) continue;
    auto text = config::to_text(settings.value(setting.id), setting.kind);
    if (text != setting.fallback) fixed[std::string(setting.key)] = std::move(text);
  }
  return fixed;
}

}  // namespace ralph::cli
