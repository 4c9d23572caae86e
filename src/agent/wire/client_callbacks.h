#pragma once
#include "agent/hook/configured_hooks.h"
#include "agent/wire/client_requests.h"

namespace ralph::wire {

/// Calls the client's hooks (`hook_callback`).
class ClientCallbacks final : public hook::Callback {
 public:
  explicit ClientCallbacks(ClientRequests& client) : client_(client) {}

  Result<json::Document> call(std::string_view callback_id, const json::Document& input,
                              std::string_view tool_use_id, Millis limit,
                              const std::stop_token& stop) override;

 private:
  ClientRequests& client_;
};

}  // namespace ralph::wire
