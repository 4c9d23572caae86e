#include "agent/settings/environment.h"

#include <pwd.h>
#include <unistd.h>

#include "core/base/number.h"
#include "core/base/path.h"
#include "system/process/environment.h"

namespace ralph::settings {

std::optional<std::string> Environment::find(std::string_view name) const {
  return std::optional<std::string>(process::variable(entries_, name));
}

bool Environment::on(std::string_view name) const {
  const auto value = get(name);
  return !value.empty() && value != "0" && value != "false" && value != "no" && value != "off";
}

std::optional<std::int64_t> Environment::number(std::string_view name) const {
  const auto value = get(name);
  if (value.empty()) return std::nullopt;
  return leading_number<std::int64_t>(value).value_or(0);
}

std::filesystem::path Environment::home() const {
  if (std::filesystem::path home = get("HOME"); home.is_absolute()) return home;
  const auto* const user = ::getpwuid(::geteuid());
  const std::filesystem::path known = user == nullptr ? "" : user->pw_dir;
  return known.is_absolute() ? known : "/";
}

std::filesystem::path Environment::config_folder() const {
  if (const auto folder = get("CLAUDE_CONFIG_DIR"); !folder.empty()) return folder;
  return home() / ".claude";
}

std::filesystem::path Environment::own_config_folder() const {
  std::filesystem::path folder = get("XDG_CONFIG_HOME");
  if (!folder.is_absolute()) folder = home() / ".config";
  return folder / "ralph";
}

std::filesystem::path Environment::state_folder() const {
  return ralph::state_folder(get("XDG_STATE_HOME"), home());
}

}  // namespace ralph::settings
