#pragma once
#include <optional>
#include <string>

#include "core/base/time.h"
#include "system/http/message.h"
#include "core/json/document.h"
#include "mock/performance.h"
#include "mock/script.h"

namespace ralph::mock {

/// What a request will be answered with: decided first, so that it can be logged before it is said.
struct Plan {
  Performance performance;
  Millis delay{0};
  std::optional<std::size_t> step;  // the scenario's step that answers
  std::string usage;                // of the message, as JSON; empty: it is none
};

/// A request together with what was made of it.
struct Call {
  const http::Request& request;
  const json::Document* body;  // nullptr: it is no JSON
  std::string request_id;
};

/// Decides the answer of the Messages API: messages from the script, token counts, models, and
/// errors in the API's form for anything else, unless a step's match is about that path. A prefix
/// before "/v1/" is fine.
Plan plan(const Call& call, Script& script);

}  // namespace ralph::mock
