#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/permission/decide.h"
#include "agent/settings/environment.h"
#include "agent/settings/options.h"
#include "agent/settings/source_file.h"
#include "core/base/result.h"
#include "core/json/document.h"

namespace ralph::instructions {

/// A kind of agent: what a subagent, or with --agent the session itself, works as.
struct AgentDefinition {
  std::string name;
  std::string description;  // for the model that chooses an agent
  std::string prompt;
  std::optional<std::vector<std::string>> tools = {};  // nullopt: all
  std::vector<std::string> disallowed_tools = {};
  std::string model = {};  // an alias or an id; empty: the caller's
  std::string effort = {};
  std::optional<permission::Mode> mode = {};  // its calls must be allowed in this mode too
  std::optional<std::int64_t> max_turns = {};
  bool background = false;   // it always runs in the background
  std::string problem = {};  // why it cannot be used; empty: it can
};

/// Reads {"description", "prompt", "tools", "disallowedTools", "model", "effort", "permissionMode", "maxTurns", "background"}.
/// Lists may be texts with commas. An error names `where` and the key; so does one about a key that would restrict the agent
/// and is not supported.
Result<AgentDefinition> parse_agent(std::string_view name, const json::Document& definition,
                                    std::string_view where);

/// The agents of a session, by name. Thread-safe: a client can add some while the session runs.
class AgentDefinitions {
 public:
  /// The built-in agents, and those of agents/*.md in the user's configuration directory and in .claude/ of the workspace,
  /// where later ones win. A workspace that is not trusted replaces none. A file with a mistake defines an agent with a
  /// problem. Only the built-in ones with --bare.
  AgentDefinitions(const settings::Options& options, const settings::Environment& environment,
                   const std::filesystem::path& cwd, const settings::DeniedFiles& denied);

  /// They replace agents of the same names.
  void add(std::vector<AgentDefinition> agents);
  /// nullopt: there is none.
  std::optional<AgentDefinition> find(std::string_view name) const;
  /// Sorted by name.
  std::vector<AgentDefinition> all() const;
  /// Of files with mistakes, for stderr.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Place;
  void find_in(const Place& place);
  void add_file(const std::filesystem::path& file, const Place& place);

  mutable std::mutex mutex_;
  std::map<std::string, AgentDefinition, std::less<>> all_;
  std::vector<std::string> notes_;
};

/// {"name": {…}, …}, as of `--agents` and the client's `initialize` request.
Result<std::vector<AgentDefinition>> read_agents(const json::Document& definitions,
                                                 std::string_view where);

/// The agents of `--agents`, which is JSON or the name of a file.
Result<> add_given(AgentDefinitions& agents, const std::string& given,
                   const std::filesystem::path& cwd);

/// The options of a session that works as this agent: never more tools than `options` allow.
settings::Options options_of(const settings::Options& options, const AgentDefinition& agent);

}  // namespace ralph::instructions
