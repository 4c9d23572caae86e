#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::backend {

struct Backend;

/// What an agent without a backend of its own is started with; it prints plain text.
struct PlainRequest {
  std::string model, agent_name;
  std::filesystem::path workspace, log_dir;
};

/// An agent as test cases of the benchmark name it (`agent.type`).
struct AgentType {
  std::string_view name;      // "claude-code"
  std::string_view backend;   // of ralph
  std::string_view product;   // "Claude Code", in messages
  std::string_view provider;  // of its models
  std::string_view logs;      // the directory for its output
  std::string_view login;     // how to log in, as a sentence
  /// The command line of the backend custom; nullptr: the backend has its own.
  std::vector<std::string> (*command)(const PlainRequest& request) = nullptr;
};

/// Types that are not named as their backend.
std::span<const AgentType> agent_types();
/// Those, and every backend under its own name. nullopt: there is no such type.
std::optional<AgentType> find_agent_type(std::string_view name);

/// Files and directories that some agent obeys when it finds them at any depth of its workspace.
std::span<const std::string_view> instruction_paths();

}  // namespace ralph::backend
