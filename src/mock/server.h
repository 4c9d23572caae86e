#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/mask.h"
#include "core/base/result.h"
#include "mock/recorder.h"
#include "mock/request_log.h"
#include "mock/scenario.h"
#include "mock/script.h"
#include "system/http/server.h"

namespace ralph::mock {

struct ServerOptions {
  std::uint16_t port = 0;     // 0: any free one
  std::filesystem::path log;  // empty: none
  Masker masker;              // for the log
  bool counts_cache = false;  // compute usage from a simulated prompt cache
};

/// A Messages API on 127.0.0.1 that answers until stop() or its destruction: from a script, or by forwarding to a real API
/// and recording its answers.
class Server {
 public:
  static Result<std::unique_ptr<Server>> start(Scenario scenario, const ServerOptions& options);
  static Result<std::unique_ptr<Server>> start(std::unique_ptr<Recorder> recorder,
                                               const ServerOptions& options);
  ~Server() { stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const { return http_->port(); }
  std::string url() const { return http_->url(); }
  void stop();
  /// The first error of writing the log or the recording.
  std::optional<Error> failure() const;

 private:
  Server(Scenario scenario, bool counts_cache, std::unique_ptr<Recorder> recorder)
      : script_(std::move(scenario), counts_cache), recorder_(std::move(recorder)) {}
  static Result<std::unique_ptr<Server>> open(std::unique_ptr<Server> server,
                                              const ServerOptions& options);
  void answer(const http::Request& request, http::Exchange& exchange);
  /// Decides and logs the answer; nullopt: the recorder answers.
  std::optional<Plan> decide(const http::Request& request);

  Script script_;
  std::unique_ptr<Recorder> recorder_;  // nullptr: the script answers
  std::unique_ptr<RequestLog> log_;
  std::unique_ptr<http::Server> http_;  // last: its threads use the others
};

}  // namespace ralph::mock
