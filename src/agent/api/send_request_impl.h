#pragma once
#include <optional>
#include <stop_token>

#include "agent/api/client.h"
#include "agent/api/failure.h"
#include "agent/api/reply.h"
#include "agent/api/request.h"
#include "system/http/client.h"

namespace ralph::api {

/// The result of one HTTP request.
struct Attempt {
  Reply reply;
  std::optional<Failure> failure;
  bool reported = false;  // the listener got a part of the reply
};

/// Sends the request once. Without a failure the reply is complete.
Attempt send_request(http::Client& client, const Endpoint& endpoint, const Request& request,
                     Listener& listener, const std::stop_token& stop);

}  // namespace ralph::api
