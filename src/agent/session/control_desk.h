#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "agent/session/client_prompt.h"
#include "agent/session/input_line.h"
#include "agent/session/live.h"
#include "agent/session/model_choice.h"
#include "agent/session/options.h"
#include "agent/session/skills.h"
#include "agent/session/wire.h"

namespace ralph::agent {

/// Answers the client's control requests, on the thread that reads them: also while a turn runs.
class ControlDesk {
 public:
  ControlDesk(Wire& wire, Live& live, ModelChoice& model, const Skills& skills,
              const Options& options, ClientPrompt& prompt)
      : wire_(wire),
        live_(live),
        model_(model),
        skills_(skills),
        options_(options),
        prompt_(prompt) {}

  void serve(const ControlRequest& request);

 private:
  /// `payload`: JSON; empty: none.
  void succeed(std::string_view id, std::string_view payload);
  void refuse(std::string_view id, std::string_view error, std::string_view code);
  /// Why a session cannot begin as the client wants it; empty: it can.
  std::string unsupported(const ControlRequest& request) const;
  void initialize(const ControlRequest& request);
  void interrupt(const ControlRequest& request);
  void set_model(const ControlRequest& request);

  Wire& wire_;
  Live& live_;
  ModelChoice& model_;
  const Skills& skills_;
  const Options& options_;
  ClientPrompt& prompt_;
};

}  // namespace ralph::agent
