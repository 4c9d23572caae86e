#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/json/document.h"
#include "harness/backend/credentials.h"
#include "harness/backend/entries_impl.h"

namespace ralph::backend {
namespace {

namespace fs = std::filesystem;
using Kind = Credential::Kind;

constexpr std::size_t kLargestFile = std::size_t{4} << 20;

struct Row {
  Kind kind;
  std::string_view name;
  std::string_view words;  // "{}" is the name
  bool for_proxy = false;  // Credential's
};

constexpr auto kBeforeHelper = std::to_array<Row>({
    {Kind::cloud, "CLAUDE_CODE_USE_BEDROCK", "Amazon Bedrock, chosen by {}"},
    {Kind::cloud, "CLAUDE_CODE_USE_VERTEX", "Google Vertex AI, chosen by {}"},
    {Kind::cloud, "CLAUDE_CODE_USE_FOUNDRY", "Microsoft Foundry, chosen by {}"},
    {Kind::token, "ANTHROPIC_AUTH_TOKEN", "bearer token in {}", true},
    {Kind::api_key, "ANTHROPIC_API_KEY", "API key in {} (billed per use)", true},
});
constexpr auto kOwnCredentials = std::to_array<Row>({
    {Kind::api_key, "ANTHROPIC_API_KEY", "API key in {} (billed per use)", true},
    {Kind::token, "ANTHROPIC_AUTH_TOKEN", "bearer token in {}", true},
});
constexpr auto kAfterHelper = std::to_array<Row>({
    {Kind::token, "CLAUDE_CODE_OAUTH_TOKEN", "login token in {}"},
});

/// A switch that is set to "0" or "false" is off.
bool is_on(const Row& row, const std::string& value) {
  return !value.empty() && (row.kind != Kind::cloud || (value != "0" && value != "false"));
}

void look_for(std::span<const Row> rows, const Host& host, std::vector<Credential>& found) {
  for (const Row& row : rows) {
    if (!is_on(row, variable(host, row.name).value_or(""))) continue;
    found.push_back({row.kind, std::string(row.name),
                     fmt::format(fmt::runtime(row.words), row.name), row.for_proxy});
  }
}

/// A file in Claude Code's own directory; empty path: there is no such directory to look in.
fs::path file_of_claude(const Host& host, std::string_view name) {
  const auto paths = state_paths(kClaude, host);
  return paths.empty() ? fs::path{} : paths.front() / name;
}

/// The value of a key; null: no such file, no JSON, no such key.
json::Document value_in(const fs::path& file, const char* key) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return nullptr;
  const auto text = read_file(file, kLargestFile);
  if (!text) return nullptr;
  const auto document = json::parse(*text);
  if (!document || !document->is_object() || !document->contains(key)) return nullptr;
  return *document->find(key);
}

void look_for_helper(const Host& host, std::vector<Credential>& found) {
  const auto settings = file_of_claude(host, "settings.json");
  const auto helper = value_in(settings, "apiKeyHelper");
  if (!helper.is_string() || helper.get_ref<const std::string&>().empty()) return;
  found.push_back({Kind::helper, settings.string(),
                   fmt::format("API key from the apiKeyHelper in {}", settings.string())});
}

/// What 'ralph auth login' wrote.
fs::path own_key_file(const Host& host) {
  fs::path folder = variable(host, "XDG_CONFIG_HOME").value_or("");
  if (!folder.is_absolute()) folder = fs::path(variable(host, "HOME").value_or("")) / ".config";
  return folder / "ralph" / "auth.json";
}

fs::path login_file(const Host& host) { return file_of_claude(host, ".credentials.json"); }

}  // namespace

std::vector<Credential> claude_credentials(const Host& host) {
  std::vector<Credential> found;
  look_for(kBeforeHelper, host, found);
  look_for_helper(host, found);
  look_for(kAfterHelper, host, found);
  if (has_stored_login(host)) {
    const auto file = login_file(host).string();
    found.push_back({Kind::login, file, fmt::format("login stored in {}", file)});
  }
  return found;
}

std::vector<Credential> own_credentials(const Host& host) {
  std::vector<Credential> found;
  look_for(kOwnCredentials, host, found);
  look_for_helper(host, found);
  const auto file = own_key_file(host);
  if (value_in(file, "api_key").is_string()) {
    found.push_back(
        {Kind::api_key, file.string(), fmt::format("API key stored in {}", file.string()), true});
  }
  return found;
}

bool has_stored_login(const Host& host) {
  const auto login = value_in(login_file(host), "claudeAiOauth");
  return login.is_object() && !login.empty();
}

}  // namespace ralph::backend
