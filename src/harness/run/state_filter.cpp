#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/base/mask.h"
#include "core/json/document.h"
#include "harness/run/sandbox_env_impl.h"
#include "harness/run/state_filter_impl.h"

namespace ralph::run {
namespace {

using Json = nlohmann::ordered_json;

bool is_removed(const std::string& name, const Json& value, const backend::AgentState& state,
                const Masker& shapes) {
  const auto secret = state.secret_settings;
  if (std::ranges::find(secret, name) != secret.end()) return true;
  if (!value.is_string()) return false;
  const bool for_model = !state.secret_prefix.empty() && name.starts_with(state.secret_prefix);
  return for_model || is_secret(name, value.get_ref<const std::string&>(), shapes);
}

/// Recursion ends: json::parse limits the depth.
void filter(Json& value, const backend::AgentState& state, const Masker& shapes) {
  if (value.is_object()) {
    Json::object_t kept;
    for (auto& [name, member] : value.get_ref<Json::object_t&>()) {
      if (is_removed(name, member, state, shapes)) continue;
      filter(member, state, shapes);
      kept.emplace_back(name, std::move(member));
    }
    value = std::move(kept);
  } else if (value.is_array()) {
    for (auto& element : value) filter(element, state, shapes);
  } else if (value.is_string() && is_secret("", value.get_ref<const std::string&>(), shapes)) {
    value = "";
  }
}

}  // namespace

std::string without_secrets(const std::string& text, const backend::AgentState& state) {
  auto document = json::parse(text);
  if (!document || !document->is_object()) return "{}";
  filter(*document, state, Masker());
  return json::write(*document);
}

}  // namespace ralph::run
