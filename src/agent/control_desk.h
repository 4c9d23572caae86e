#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "agent/input_line.h"
#include "agent/live.h"
#include "agent/model_choice.h"
#include "agent/skills.h"
#include "agent/wire.h"

namespace ralph::agent {

/// Answers the client's control requests, on the thread that reads them: also while a turn runs.
class ControlDesk {
 public:
  ControlDesk(Wire& wire, Live& live, ModelChoice& model, const Skills& skills)
      : wire_(wire), live_(live), model_(model), skills_(skills) {}

  void serve(const ControlRequest& request);

 private:
  /// `payload`: JSON; empty: none.
  void succeed(std::string_view id, std::string_view payload);
  void refuse(std::string_view id, std::string_view error, std::string_view code);
  void initialize(const ControlRequest& request);
  void interrupt(const ControlRequest& request);
  void set_model(const ControlRequest& request);

  Wire& wire_;
  Live& live_;
  ModelChoice& model_;
  const Skills& skills_;
};

}  // namespace ralph::agent
