#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/mask.h"
#include "core/base/result.h"
#include "mock/scenario.h"
#include "system/http/client.h"
#include "system/http/exchange.h"
#include "system/http/message.h"

namespace ralph::mock {

struct RecorderOptions {
  std::string endpoint;       // "https://api.anthropic.com"
  std::filesystem::path out;  // the scenario
  Masker masker;              // for the scenario
};

/// Forwards requests to a real endpoint and streams its answers back, and records them as a scenario file: complete after
/// every answer, readable by the owner only, with keys masked. Thread-safe.
class Recorder {
 public:
  /// Creates or empties the file.
  static Result<std::unique_ptr<Recorder>> open(RecorderOptions options);

  void answer(const http::Request& request, http::Exchange& exchange);
  /// Cancels requests in progress; their answers are not recorded.
  void stop() { stop_.request_stop(); }
  /// The first error of writing the file.
  std::optional<Error> failure() const;

 private:
  explicit Recorder(RecorderOptions options) : options_(std::move(options)) {}

  /// An unused client; pass it to return_client() after use.
  std::unique_ptr<http::Client> borrow_client();
  void return_client(std::unique_ptr<http::Client> client);
  void keep(std::size_t number, Step step);
  Result<> write() const;

  RecorderOptions options_;
  std::stop_source stop_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<http::Client>> idle_;
  std::size_t requests_ = 0;
  std::map<std::size_t, Step> steps_;  // by the number of their request
  std::optional<Error> failure_;
};

}  // namespace ralph::mock
