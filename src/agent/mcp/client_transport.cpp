#include "agent/mcp/client_transport.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace ralph::mcp {

Result<> ClientTransport::open(Receiver& receiver) {
  receiver_ = &receiver;
  return {};
}

void ClientTransport::send(Outgoing message) {
  exchanges_.send(
      std::move(message), *receiver_,
      [this](const Outgoing& sent, const std::stop_token& stop) { exchange(sent, stop); });
}

void ClientTransport::exchange(const Outgoing& message, const std::stop_token& stop) {
  const auto parsed = json::parse(message.json);
  if (!parsed) return;
  auto answer = link_.exchange(server_, *parsed, message.time_limit(), stop);
  if (!answer) {
    if (message.request) receiver_->on_lost(*message.request, answer.error());
    return;
  }
  receiver_->on_message(json::write(*answer));
  if (message.request) {
    receiver_->on_lost(*message.request, {Code::malformed, "the client gave no valid answer", {}});
  }
}

}  // namespace ralph::mcp
