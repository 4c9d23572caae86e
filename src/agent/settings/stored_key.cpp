#include "agent/settings/stored_key.h"

#include <system_error>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/json/document.h"
#include "core/json/field.h"
#include "core/json/writer.h"

namespace ralph::settings {
namespace {

constexpr std::string_view kHint = "run 'ralph auth login' again, or 'ralph auth logout'";

bool others_may_read(const std::filesystem::path& path) {
  std::error_code error;
  const auto mode = std::filesystem::status(path, error).permissions();
  using std::filesystem::perms;
  return !error && (mode & (perms::group_all | perms::others_all)) != perms::none;
}

}  // namespace

std::filesystem::path stored_key_path(const Environment& environment) {
  return environment.own_config_folder() / "auth.json";
}

Result<std::optional<std::string>> read_stored_key(const Environment& environment) {
  const auto path = stored_key_path(environment);
  const auto text = read_file(path, std::size_t{1} << 20);
  if (!text && text.error().code == Code::not_found) return std::nullopt;
  if (!text) return std::unexpected(text.error());
  if (others_may_read(path)) {
    return fail(Code::permission,
                fmt::format("other users can read the API key in {}", path.string()),
                fmt::format("chmod 600 {}", path.string()));
  }
  const auto parsed = json::parse(*text, path.string());
  if (!parsed) {  // the parser's error would quote the key
    return fail(Code::config, fmt::format("{} is not JSON", path.string()), std::string(kHint));
  }
  const auto* const key = json::find_text(*parsed, "api_key");
  if (key == nullptr) {
    return fail(Code::config, fmt::format("{} has no 'api_key'", path.string()),
                std::string(kHint));
  }
  return *key;
}

Result<> store_key(const Environment& environment, std::string_view key) {
  const auto path = stored_key_path(environment);
  TRY(make_folders(path.parent_path(), 0700));
  std::string text;
  json::ObjectWriter(text).text("api_key", key).close();
  return write_file_atomically(path, text + "\n", 0600);
}

Result<bool> forget_key(const Environment& environment) {
  const auto path = stored_key_path(environment);
  std::error_code error;
  const bool removed = std::filesystem::remove(path, error);
  if (error) return fail_errno(error.value(), fmt::format("cannot remove {}", path.string()));
  return removed;
}

}  // namespace ralph::settings
