#include "mock/server.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "json/document.h"
#include "mock/api.h"

namespace ralph::mock {

using http::Exchange;
using http::Peer;

Result<std::unique_ptr<Server>> Server::start(Scenario scenario, const ServerOptions& options) {
  std::unique_ptr<Server> server(new Server(std::move(scenario)));
  if (!options.log.empty()) {
    TRY_ASSIGN(server->log_, RequestLog::open(options.log, options.masker));
  }
  TRY_ASSIGN(server->http_,
             http::Server::start({.port = options.port},
                                 [raw = server.get()](const auto& request, auto& exchange) {
                                   raw->answer(request, exchange);
                                 }));
  return server;
}

std::optional<Error> Server::log_failure() const {
  return log_ == nullptr ? std::nullopt : log_->failure();
}

void Server::answer(const http::Request& request, Exchange& exchange) {
  const auto planned = decide(request);
  if (planned.delay > Millis{0} && exchange.wait(planned.delay) == Peer::gone) return;
  perform(planned.performance, request, exchange);
}

Plan Server::decide(const http::Request& request) {
  const auto body = json::parse(request.body, "the request");
  const Call call{request, body ? &*body : nullptr, script_.request_id()};
  auto planned = plan(call, script_);
  if (log_ != nullptr) log_->write(call, planned.step, planned.performance.status);
  return planned;
}

}  // namespace ralph::mock
