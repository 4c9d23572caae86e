#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/mask.h"
#include "base/result.h"
#include "http/server.h"
#include "mock/request_log.h"
#include "mock/scenario.h"
#include "mock/script.h"

namespace ralph::mock {

struct ServerOptions {
  std::uint16_t port = 0;     // 0: any free one
  std::filesystem::path log;  // empty: none
  Masker masker;              // for the log
};

/// A scripted Messages API on 127.0.0.1 that answers until stop() or the end of the object.
class Server {
 public:
  static Result<std::unique_ptr<Server>> start(Scenario scenario, const ServerOptions& options);

  std::uint16_t port() const { return http_->port(); }
  std::string url() const { return http_->url(); }
  void stop() { http_->stop(); }
  /// Why the log is not whole; nullopt: it is, or there is none.
  std::optional<Error> log_failure() const;

 private:
  explicit Server(Scenario scenario) : script_(std::move(scenario)) {}
  void answer(const http::Request& request, http::Exchange& exchange);
  /// What to answer, logged. The request's document does not outlive it.
  Plan decide(const http::Request& request);

  Script script_;
  std::unique_ptr<RequestLog> log_;
  std::unique_ptr<http::Server> http_;  // last: its threads use the others
};

}  // namespace ralph::mock
