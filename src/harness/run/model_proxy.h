#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "harness/backend/plan.h"
#include "system/http/client.h"
#include "system/http/exchange.h"
#include "system/http/message.h"
#include "system/http/server.h"

namespace ralph::run {

/// The only way out of a strict sandbox: listens on the route's Unix socket, passes requests for the Messages API that
/// show the route's token on to its endpoint with the real key, and the answers back as they come. Everything else gets
/// 403 and is remembered for the report. Lives as long as the agent.
class ModelProxy {
 public:
  static Result<std::unique_ptr<ModelProxy>> start(backend::ModelRoute route);
  ~ModelProxy();
  ModelProxy(const ModelProxy&) = delete;
  ModelProxy& operator=(const ModelProxy&) = delete;

  /// What was refused: "CONNECT example.org:443", with how often. At most twenty.
  std::vector<std::string> refused() const;

 private:
  explicit ModelProxy(backend::ModelRoute route) : route_(std::move(route)) {}
  /// Why a request is not passed on, decided by its head; empty: it is.
  std::string_view refusal_of(const http::Request& head) const;
  std::size_t largest_body(const http::Request& head);
  void answer(const http::Request& request, http::Exchange& exchange);
  void record_refused(const http::Request& request);
  void pass_on(const http::Request& request, http::Exchange& exchange);
  std::unique_ptr<http::Client> take_client();
  void give_back(std::unique_ptr<http::Client> client);

  backend::ModelRoute route_;
  std::stop_source stop_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<http::Client>> idle_;
  std::map<std::string, std::size_t> refused_;
  std::size_t refused_others_ = 0;
  std::unique_ptr<http::Server> server_;  // last: its threads use the others
};

}  // namespace ralph::run
