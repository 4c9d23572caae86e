#pragma once
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/json/document.h"

namespace ralph::wire {

/// What a client asks for with its `initialize` request, besides the system prompt, hooks and agents. nullopt: not given.
struct ClientSetup {
  std::optional<std::vector<std::string>> sdk_mcp_servers;
  std::optional<std::string> json_schema;  // valid
  std::optional<std::string> title;
  std::optional<std::string> plan_mode_note;  // replaces ours
  bool forward_subagent_text = false;         // once true, it stays so
};

/// Names the first member that is not as it should be.
Result<ClientSetup> read_client_setup(const json::Document& request);

/// The setup of a session. A later request replaces what it gives. Thread-safe.
class ClientSetupStore {
 public:
  void add(ClientSetup setup);
  ClientSetup get() const;
  /// The title given since the last call.
  std::optional<std::string> take_title();

 private:
  mutable std::mutex mutex_;
  ClientSetup setup_;
};

}  // namespace ralph::wire
