#include "agent/settings.h"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "json/document.h"

namespace ralph::agent {
namespace {

enum class Trust { users_own, repository };

std::string text_of(const json::Document& settings, const char* key) {
  const auto found = settings.find(key);
  return found != settings.end() && found->is_string() ? found->get<std::string>() : "";
}

void put_on_top(Settings& settings, const json::Document& more, Trust trust) {
  if (!more.is_object()) return;
  if (auto model = text_of(more, "model"); !model.empty()) settings.model = std::move(model);
  auto helper = text_of(more, "apiKeyHelper");
  if (trust == Trust::users_own && !helper.empty()) settings.api_key_helper = std::move(helper);
}

void read_into(Settings& settings, const std::filesystem::path& path, Trust trust) {
  const auto text = read_file(path);
  if (!text) return;
  if (const auto parsed = json::parse(*text, path.string())) put_on_top(settings, *parsed, trust);
}

bool wants(const Options& options, std::string_view source) {
  return !options.setting_sources ||
         std::ranges::find(*options.setting_sources, source) != options.setting_sources->end();
}

/// --settings: JSON, or the name of a file with it.
Result<json::Document> given_settings(const std::string& given) {
  if (auto inlined = json::parse(given); inlined && inlined->is_object()) return inlined;
  const auto text = read_file(given);
  if (!text) {
    return fail(Code::usage, fmt::format("Error: Settings file not found: {}", given));
  }
  auto parsed = json::parse(*text, given);
  if (!parsed || !parsed->is_object()) {
    return fail(Code::usage, fmt::format("Error: Settings file is not a JSON object: {}", given));
  }
  return parsed;
}

}  // namespace

Result<Settings> read_settings(const Options& options, const Environment& environment,
                               const std::filesystem::path& cwd) {
  Settings settings;
  if (!options.bare) {
    if (wants(options, "user")) {
      read_into(settings, environment.config_folder() / "settings.json", Trust::users_own);
    }
    if (wants(options, "project")) {
      read_into(settings, cwd / ".claude" / "settings.json", Trust::repository);
    }
    if (wants(options, "local")) {
      read_into(settings, cwd / ".claude" / "settings.local.json", Trust::repository);
    }
  }
  if (!options.settings.empty()) {
    TRY_ASSIGN(const auto given, given_settings(options.settings));
    put_on_top(settings, given, Trust::users_own);
  }
  return settings;
}

}  // namespace ralph::agent
