#pragma once
#include <string>

#include "agent/api/usage.h"

namespace ralph::session {

/// Usage and cost of one model in a session.
struct ModelTotal {
  std::string model;
  api::Usage usage;
  double cost_usd = 0;
};

}  // namespace ralph::session
