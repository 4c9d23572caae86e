#include "mock/server.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "json/document.h"
#include "mock/api.h"

namespace ralph::mock {
namespace {

using http::Exchange;
using http::Peer;

void play(const http::Response& response, const Call&, Exchange& exchange) {
  exchange.respond(response);
}

void play(const EventStream& stream, const Call& call, Exchange& exchange) {
  exchange.begin(200, {{"content-type", "text/event-stream; charset=utf-8"},
                       {"cache-control", "no-cache"},
                       {"request-id", call.request_id}});
  for (const auto& event : stream.events) {
    const bool slow = stream.chunk_delay > Millis{0} && event.name == "content_block_delta";
    if (slow && exchange.wait(stream.chunk_delay) == Peer::gone) return;
    if (exchange.send(event_bytes(event)) == Peer::gone) return;
  }
  exchange.end();
}

}  // namespace

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
  const auto body = json::parse(request.body, "the request");
  const Call call{request, body ? &*body : nullptr, script_.request_id()};
  const auto planned = plan(call, script_);
  if (log_ != nullptr) log_->write(call, planned);
  if (planned.delay > Millis{0} && exchange.wait(planned.delay) == Peer::gone) return;
  std::visit([&](const auto& what) { play(what, call, exchange); }, planned.answer);
}

}  // namespace ralph::mock
