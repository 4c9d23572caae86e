#include "agent/mcp/deferred_tools.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/mcp/server.h"
#include "agent/tool/input.h"
#include "agent/tool/token_estimate.h"
#include "core/base/safe_text.h"
#include "core/base/text.h"
#include "core/json/field.h"

namespace ralph::mcp {
namespace {

constexpr std::string_view kSelect = "select:";
constexpr std::size_t kLongestNameList = std::size_t{8} << 10;
constexpr std::int64_t kUsualResults = 5;
constexpr std::int64_t kMostResults = 50;
constexpr std::size_t kShownDescription = 120;

constexpr std::string_view kSearchIntroduction =
    "Loads tools of MCP servers. The tools listed below exist, but their parameters are not shown "
    "before they are loaded. Query: \"select:NAME,NAME\" for tools by full name, or words to "
    "search for (\"+word\" must match). From the next message on, the tools that were found can be "
    "called like all others; a tool that was loaded once needs no second search.";

constexpr std::string_view kSearchSchema = R"({
  "type": "object",
  "properties": {
    "query": {"type": "string", "description": "\"select:NAME,NAME\" or words"},
    "max_results": {"type": "number", "description": "How many tools at most; 5 if it is left out"}
  },
  "required": ["query"],
  "additionalProperties": false
})";

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find_first_of(separators));
    if (const auto word = trim(part); !word.empty()) parts.emplace_back(word);
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
  return parts;
}

/// How well a tool matches the words; 0: not at all.
int score_of(const ServerTool& tool, const std::vector<std::string>& words) {
  const auto name = to_lower(tool.name());
  const auto about = to_lower(tool.description());
  int score = 0;
  for (std::string_view word : words) {
    const bool required = word.size() > 1 && word.front() == '+';
    if (required) word.remove_prefix(1);
    const int points = (name.contains(word) ? 3 : 0) + (about.contains(word) ? 1 : 0);
    if (required && points == 0) return 0;
    score += points;
  }
  return score;
}

/// "x: read, write": names without their common beginning.
std::string server_line(const std::string& server, const std::vector<const ServerTool*>& tools) {
  const auto prefix = "mcp__" + server + "__";
  std::string line = "\n" + server + ": ";
  for (const auto* tool : tools) {
    const auto name = tool->name();
    if (tool != tools.front()) line += ", ";
    line += name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  }
  return line;
}

}  // namespace

bool DeferredTools::update(std::vector<const ServerTool*> tools) {
  const std::lock_guard lock(mutex_);
  tools_ = std::move(tools);
  if (policy_.when == SearchPolicy::When::never || tools_.empty()) return active_ = false;
  std::int64_t tokens = 0;
  for (const auto* tool : tools_) tokens += tool::estimated_tokens(tool::definition(*tool));
  // Once active it stays so, because every switch invalidates the prompt cache.
  active_ = active_ || policy_.when == SearchPolicy::When::always || tokens > policy_.tokens;
  return active_;
}

bool DeferredTools::is_offered(const tool::Tool& tool) const {
  const std::lock_guard lock(mutex_);
  return !active_ || tool.name() == "ToolSearch" || loaded_.contains(tool.name());
}

bool DeferredTools::load(std::string_view name) {
  const std::lock_guard lock(mutex_);
  return active_ && loaded_.emplace(name).second;
}

std::size_t DeferredTools::count() const {
  const std::lock_guard lock(mutex_);
  return tools_.size();
}

SearchResult DeferredTools::search(std::string_view query, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  SearchResult result;
  if (query.starts_with(kSelect)) {
    for (auto& name : split(query.substr(kSelect.size()), ",")) {
      const auto found = std::ranges::find_if(
          tools_, [&](const ServerTool* tool) { return tool->name() == name; });
      if (found == tools_.end()) {
        result.unknown.push_back(std::move(name));
      } else {
        result.found.push_back(*found);
      }
    }
    return result;
  }
  const auto words = split(to_lower(query), " \t\n,");
  std::multimap<int, const ServerTool*, std::greater<>> ranked;
  for (const auto* tool : tools_) {
    if (const auto score = score_of(*tool, words); score > 0) ranked.emplace(score, tool);
  }
  for (const auto& [score, tool] : ranked) {
    if (result.found.size() < most) result.found.push_back(tool);
  }
  return result;
}

std::string DeferredTools::list() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::vector<const ServerTool*>> servers;
  for (const auto* tool : tools_) servers[tool->server().key()].push_back(tool);
  std::string all;
  for (const auto& [server, tools] : servers) {
    const auto line = server_line(server, tools);
    if (all.size() + line.size() <= kLongestNameList) {
      all += line;
    } else {
      all += fmt::format("\n{}: {} tools; search for them by words", server, tools.size());
    }
  }
  return all;
}

ToolSearch::ToolSearch(DeferredTools& tools)
    : tools_(tools),
      description_(fmt::format("{}\n\nTools by server; the full name is mcp__SERVER__TOOL:{}",
                               kSearchIntroduction, tools.list())) {}

std::string_view ToolSearch::schema() const { return kSearchSchema; }

tool::Outcome ToolSearch::run(const json::Document& input, const tool::Access& /*access*/,
                              tool::Workspace& /*workspace*/,
                              const std::stop_token& /*stop*/) const {
  const auto query = json::text(input, "query");
  const auto most = std::clamp(tool::number_of(input, "max_results").value_or(kUsualResults),
                               std::int64_t{1}, kMostResults);
  const auto result = tools_.search(trim(query), static_cast<std::size_t>(most));
  auto names = json::Document::array();
  std::string text;
  for (const auto* tool : result.found) {
    tools_.load(tool->name());
    names.push_back(tool->name());
    text += fmt::format("\n- {}: {}", tool->name(),
                        one_line(std::string(tool->description()), kShownDescription));
  }
  text = text.empty() ? "No tool matches." : "These tools can be called now:" + text;
  for (const auto& name : result.unknown) text += fmt::format("\nThere is no tool {}.", name);
  return tool::success(
      text, {{"matches", names}, {"query", query}, {"total_deferred_tools", tools_.count()}});
}

}  // namespace ralph::mcp
