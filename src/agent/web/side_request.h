#pragma once
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "agent/api/reply.h"
#include "agent/session/collaborators.h"
#include "agent/session/ledger.h"
#include "agent/settings/model_choice.h"

namespace ralph::web {

/// What a tool needs to ask a model beside the conversation. All of it outlives the tool.
struct SideModel {
  std::function<std::unique_ptr<session::Model>()> connect;  // a connection for one call
  const settings::ModelChoice& choice;
  session::Ledger& ledger;  // pays
};

struct SideRequest {
  bool small = false;  // with the small, fast model
  std::string system;
  std::string prompt;
  std::string tools = {};  // JSON array; empty: none
};

/// The complete reply. Calls may run at the same time.
Result<api::Reply> ask(const SideModel& model, const SideRequest& request,
                       const std::stop_token& stop);

/// The texts of a reply.
std::string text_of(const api::Reply& reply);

}  // namespace ralph::web
