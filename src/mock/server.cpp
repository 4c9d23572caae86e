#include "mock/server.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "core/json/document.h"
#include "mock/api.h"

namespace ralph::mock {

using http::Exchange;
using http::Peer;

Result<std::unique_ptr<Server>> Server::start(Scenario scenario, const ServerOptions& options) {
  return open(
      std::unique_ptr<Server>(new Server(std::move(scenario), options.counts_cache, nullptr)),
      options);
}

Result<std::unique_ptr<Server>> Server::start(std::unique_ptr<Recorder> recorder,
                                              const ServerOptions& options) {
  return open(std::unique_ptr<Server>(new Server({}, false, std::move(recorder))), options);
}

Result<std::unique_ptr<Server>> Server::open(std::unique_ptr<Server> server,
                                             const ServerOptions& options) {
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

void Server::stop() {
  if (recorder_ != nullptr) recorder_->stop();
  if (http_ != nullptr) http_->stop();
}

std::optional<Error> Server::failure() const {
  auto failure = log_ == nullptr ? std::nullopt : log_->failure();
  return failure || recorder_ == nullptr ? failure : recorder_->failure();
}

void Server::answer(const http::Request& request, Exchange& exchange) {
  const auto planned = decide(request);
  if (!planned) return recorder_->answer(request, exchange);
  if (planned->delay > Millis{0} && exchange.wait(planned->delay) == Peer::gone) return;
  play(planned->playback, request, exchange);
}

std::optional<Plan> Server::decide(const http::Request& request) {
  if (recorder_ != nullptr && log_ == nullptr) return std::nullopt;
  const auto body = json::parse(request.body, "the request");
  const Call call{request, body ? &*body : nullptr, script_.request_id()};
  if (recorder_ != nullptr) {
    log_->write(call, {});
    return std::nullopt;
  }
  auto planned = plan(call, script_);
  if (log_ != nullptr) log_->write(call, {planned.step, planned.playback.status, planned.usage});
  return planned;
}

}  // namespace ralph::mock
