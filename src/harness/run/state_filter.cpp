#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "core/base/mask.h"
#include "core/json/document.h"
#include "harness/run/sandbox_env_impl.h"
#include "harness/run/state_filter_impl.h"

namespace ralph::run {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kRemoved = std::to_array<std::string_view>({
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "primaryApiKey",
    "oauthAccount",
    "customApiKeyResponses",
    "otelHeadersHelper",
    "mcpServers",
    "headers",
});

bool is_removed(const std::string& name, const Json& value, const Masker& shapes) {
  if (std::ranges::find(kRemoved, name) != kRemoved.end()) return true;
  if (!value.is_string()) return false;
  return is_secret(name, value.get_ref<const std::string&>(), shapes) ||
         name.starts_with("ANTHROPIC_");
}

/// Recursion ends: json::parse limits the depth.
void filter(Json& value, const Masker& shapes) {
  if (value.is_object()) {
    Json::object_t kept;
    for (auto& [name, member] : value.get_ref<Json::object_t&>()) {
      if (is_removed(name, member, shapes)) continue;
      filter(member, shapes);
      kept.emplace_back(name, std::move(member));
    }
    value = std::move(kept);
  } else if (value.is_array()) {
    for (auto& element : value) filter(element, shapes);
  } else if (value.is_string() && is_secret("", value.get_ref<const std::string&>(), shapes)) {
    value = "";
  }
}

}  // namespace

std::string without_secrets(const std::string& text) {
  auto document = json::parse(text);
  if (!document || !document->is_object()) return "{}";
  filter(*document, Masker());
  return json::write(*document);
}

}  // namespace ralph::run
