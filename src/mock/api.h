#pragma once
#include <optional>
#include <string>

#include "core/base/time.h"
#include "core/json/document.h"
#include "mock/playback.h"
#include "mock/script.h"
#include "system/http/message.h"

namespace ralph::mock {

/// The answer to a request, decided before it is sent so that it can be logged first.
struct Plan {
  Playback playback;
  Millis delay{0};
  std::optional<std::size_t> step;  // the number of the scenario's step
  std::string usage;                // of the message, as JSON; empty: the answer is not a message
};

/// A request, parsed.
struct Call {
  const http::Request& request;
  const json::Document* body;  // nullptr: not JSON
  std::string request_id;
};

/// The answer of the Messages API: messages from the script, token counts, models, and errors in the API's form for other
/// paths, unless a step matches the path. The path may have a prefix before "/v1/".
Plan plan(const Call& call, Script& script);

}  // namespace ralph::mock
