#include "agent/wire/client_callbacks.h"

#include <nlohmann/json.hpp>

namespace ralph::wire {

Result<json::Document> ClientCallbacks::call(std::string_view callback_id,
                                             const json::Document& input,
                                             std::string_view tool_use_id, Millis limit,
                                             const std::stop_token& stop) {
  const json::Document request{{"subtype", "hook_callback"},
                               {"callback_id", callback_id},
                               {"input", input},
                               {"tool_use_id", tool_use_id}};
  return client_.ask(request, stop, limit);
}

}  // namespace ralph::wire
