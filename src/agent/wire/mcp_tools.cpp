#include "agent/wire/mcp_tools.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "core/base/contains.h"

namespace ralph::wire {
namespace {

constexpr std::string_view kToolSearch = "ToolSearch";
constexpr std::string_view kAutomatic = "auto";
constexpr std::int64_t kUsualPercent = 10;

/// "auto" or "auto:N", N percent of the context window.
std::int64_t percent_of(std::string_view word) {
  std::int64_t percent = kUsualPercent;
  if (word.starts_with("auto:")) {
    word.remove_prefix(kAutomatic.size() + 1);
    std::from_chars(word.data(), word.data() + word.size(), percent);
  }
  return std::clamp(percent, std::int64_t{0}, std::int64_t{100});
}

}  // namespace

Result<json::Document> McpLink::exchange(const std::string& server, const json::Document& message,
                                         std::optional<Millis> limit, const std::stop_token& stop) {
  TRY_ASSIGN(
      auto answer,
      client_.ask({{"subtype", "mcp_message"}, {"server_name", server}, {"message", message}}, stop,
                  limit));
  const auto found = answer.find("mcp_response");
  if (found == answer.end())
    return fail(Code::malformed, "the client's answer has no mcp_response");
  return *found;
}

std::vector<session::ServerFacts> McpTools::servers() const {
  std::vector<session::ServerFacts> facts;
  for (auto& state : servers_.states()) {
    facts.push_back({.name = std::move(state.name),
                     .status = std::string(to_string(state.status)),
                     .source = std::move(state.source)});
  }
  return facts;
}

void set_mcp_limits(mcp::Surroundings& surroundings, const settings::Environment& environment) {
  const auto positive = [&](std::string_view name, std::int64_t usual) {
    const auto given = environment.number(name).value_or(0);
    return given > 0 ? given : usual;
  };
  surroundings.start_limit = Millis{positive("MCP_TIMEOUT", surroundings.start_limit.count())};
  surroundings.call_limit = Millis{positive("MCP_TOOL_TIMEOUT", surroundings.call_limit.count())};
  surroundings.output_tokens = positive("MAX_MCP_OUTPUT_TOKENS", surroundings.output_tokens);
}

mcp::SearchPolicy mcp_search_policy(const settings::Options& options,
                                    const settings::Environment& environment, std::int64_t window) {
  using When = mcp::SearchPolicy::When;
  const bool left_out = options.tools && !contains(*options.tools, "default") &&
                        !contains(*options.tools, kToolSearch);
  if (left_out || contains(options.disallowed_tools, kToolSearch)) return {.when = When::never};
  constexpr std::string_view kVariable = "ENABLE_TOOL_SEARCH";
  const auto word = environment.get(kVariable);
  if (word.empty()) return {};
  if (word.starts_with(kAutomatic)) return {When::large, window * percent_of(word) / 100};
  return {.when = environment.on(kVariable) ? When::always : When::never};
}

}  // namespace ralph::wire
