#include "harness/backend/agent_type.h"

#include <algorithm>
#include <array>

#include "harness/backend/backend.h"

namespace ralph::backend {
namespace {

std::vector<std::string> copilot_command(const PlainRequest& request) {
  std::vector<std::string> words{"copilot", "-p", "{prompt}"};
  if (!request.model.empty()) words.insert(words.end(), {"--model", request.model});
  if (!request.agent_name.empty()) words.insert(words.end(), {"--agent", request.agent_name});
  words.insert(words.end(),
               {"--allow-all-tools", "--allow-all-paths", "--log-level", "all", "--log-dir",
                request.log_dir.native(), "--add-dir", request.workspace.native()});
  return words;
}

constexpr auto kTypes = std::to_array<AgentType>({
    {"claude-code", "claude", "Claude Code", "Anthropic", "claude-code-logs",
     "Run \"claude /login\" or set ANTHROPIC_API_KEY environment variable."},
    {"copilot-cli", "custom", "GitHub Copilot CLI", "GitHub", "copilot-logs",
     "Run \"copilot\" once and log in.", copilot_command},
});

constexpr auto kInstructionPaths = std::to_array<std::string_view>(
    {"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".mcp.json", ".claude", ".copilot",
     ".ralph", ".github/agents", ".github/instructions", ".github/copilot-instructions.md"});

}  // namespace

std::span<const std::string_view> instruction_paths() { return kInstructionPaths; }

std::span<const AgentType> agent_types() { return kTypes; }

std::optional<AgentType> find_agent_type(std::string_view name) {
  if (const auto row = std::ranges::find(kTypes, name, &AgentType::name); row != kTypes.end()) {
    return *row;
  }
  const auto* backend = find_backend(name);
  if (backend == nullptr) return std::nullopt;
  const bool known = !backend->access.endpoint.empty();
  return AgentType{backend->name,    backend->name,
                   backend->product, known ? "Anthropic" : "unknown",
                   "agent-logs",     backend->auth_hint};
}

}  // namespace ralph::backend
