#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "agent/instructions/client_prompt.h"
#include "agent/instructions/skills.h"
#include "agent/mcp/servers.h"
#include "agent/session/turn_control.h"
#include "agent/settings/model_choice.h"
#include "agent/settings/options.h"
#include "agent/wire/event_writer.h"
#include "agent/wire/input_line.h"

namespace ralph::wire {

/// Answers the client's control requests on the thread that reads them, also during a turn.
class ControlRequestHandler {
 public:
  ControlRequestHandler(EventWriter& writer, session::TurnControl& control,
                        settings::ModelChoice& model, const instructions::Skills& skills,
                        const settings::Options& options, instructions::ClientPrompt& prompt,
                        mcp::Servers& servers)
      : writer_(writer),
        control_(control),
        model_(model),
        skills_(skills),
        options_(options),
        prompt_(prompt),
        servers_(servers) {}

  void handle(const ControlRequest& request);

 private:
  /// `payload`: JSON; empty: none.
  void succeed(std::string_view id, std::string_view payload);
  void refuse(std::string_view id, std::string_view error, std::string_view code);
  /// Why the requested session is not supported; empty: it is.
  std::string unsupported(const ControlRequest& request) const;
  void initialize(const ControlRequest& request);
  void interrupt(const ControlRequest& request);
  void set_model(const ControlRequest& request);
  void mcp_status(const ControlRequest& request);
  void mcp_set_servers(const ControlRequest& request);

  EventWriter& writer_;
  session::TurnControl& control_;
  settings::ModelChoice& model_;
  const instructions::Skills& skills_;
  const settings::Options& options_;
  instructions::ClientPrompt& prompt_;
  mcp::Servers& servers_;
};

}  // namespace ralph::wire
