#pragma once
#include <optional>
#include <stop_token>

#include "api/client.h"
#include "api/failure.h"
#include "api/reply.h"
#include "api/request.h"
#include "http/client.h"

namespace ralph::api {

/// One HTTP request and what came of it.
struct Attempt {
  Reply reply;
  std::optional<Failure> failure;
  bool told = false;  // the listener has heard of the reply
};

/// Sends the request once. Without a failure the reply is whole.
Attempt attempt(http::Client& client, const Endpoint& endpoint, const Request& request,
                Listener& listener, const std::stop_token& stop);

}  // namespace ralph::api
