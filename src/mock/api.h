#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "http/message.h"
#include "json/document.h"
#include "mock/message.h"
#include "mock/script.h"

namespace ralph::mock {

/// A message, event by event.
struct EventStream {
  std::vector<Event> events;
  Millis chunk_delay{0};  // before each delta
};

/// What a request will be answered with: decided first, so that it can be logged before it is said.
struct Plan {
  std::variant<http::Response, EventStream> answer;
  Millis delay{0};
  std::optional<std::size_t> step;  // the scenario's step that answers

  int status() const;
};

/// A request together with what was made of it.
struct Call {
  const http::Request& request;
  const json::Document* body;  // nullptr: it is no JSON
  std::string request_id;
};

/// Decides the answer of the Messages API: messages from the script, token counts, models, and
/// errors in the API's form for anything else. A prefix before "/v1/" is fine.
Plan plan(const Call& call, Script& script);

}  // namespace ralph::mock
