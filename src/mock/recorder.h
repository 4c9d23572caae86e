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
#include "system/http/client.h"
#include "system/http/exchange.h"
#include "system/http/message.h"
#include "mock/scenario.h"

namespace ralph::mock {

struct RecorderOptions {
  std::string endpoint;       // "https://api.anthropic.com"
  std::filesystem::path out;  // the scenario
  Masker masker;              // for the scenario
};

/// Passes requests on to a real endpoint, the answers back as they come, and keeps them as a
/// scenario: one file, whole after every answer, for the owner only, without keys. May be used by
/// many threads.
class Recorder {
 public:
  /// Starts the file anew.
  static Result<std::unique_ptr<Recorder>> open(RecorderOptions options);

  void answer(const http::Request& request, http::Exchange& exchange);
  /// Ends what is under way. Answers that are not whole by then are not kept.
  void stop() { stop_.request_stop(); }
  /// The first time the file could not be written.
  std::optional<Error> failure() const;

 private:
  explicit Recorder(RecorderOptions options) : options_(std::move(options)) {}

  /// A client nobody uses, to be given back.
  std::unique_ptr<http::Client> take_client();
  void give_back(std::unique_ptr<http::Client> client);
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
