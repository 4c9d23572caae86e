#include "mock/recorder.h"

#include <utility>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/json/mask.h"
#include "core/json/writer.h"
#include "mock/recorded_answer.h"
#include "system/http/end_to_end.h"

namespace ralph::mock {
namespace {

using http::Exchange;
using http::Peer;

/// In the form of the API's errors, which every client can read.
http::Response bad_gateway(const Error& error) {
  std::string inner;
  json::ObjectWriter(inner).text("type", "api_error").text("message", describe(error)).close();
  std::string body;
  json::ObjectWriter(body).text("type", "error").raw("error", inner).close();
  return {502, {{"content-type", "application/json"}}, std::move(body)};
}

/// Forwards one answer from the endpoint to the client.
class Forwarder {
 public:
  Forwarder(const http::Request& request, Exchange& exchange)
      : request_(request), exchange_(exchange) {}

  http::ResponseSink sink() {
    return {[this](const http::Response& head) { return begin(head); },
            [this](std::string_view bytes) { return pass(bytes); }};
  }

  /// The answer as a step; nullopt: there is nothing to record.
  std::optional<Step> step(const http::Sent& sent) const {
    const bool cancelled = !sent && sent.error().failure == http::Failure::cancelled;
    if (client_gone_ || cancelled || !begun_ || request_.method == "HEAD") return std::nullopt;
    return step_of_answer(answer_, sent ? Ended::whole : Ended::cut);
  }

  /// Ends the answer to the client as the endpoint ended it.
  void end(const http::Sent& sent) {
    if (!begun_ && !sent) {
      exchange_.respond(bad_gateway(sent.error()));
    } else if (sent) {
      exchange_.end();
    } else {
      exchange_.close();
    }
  }

 private:
  Result<> begin(const http::Response& head) {
    begun_ = true;
    answer_ = {head.status, head.headers, {}};
    return check_client(exchange_.begin(head.status, http::end_to_end(head.headers)));
  }
  Result<> pass(std::string_view bytes) {
    answer_.body += bytes;
    return check_client(exchange_.send(bytes));
  }
  Result<> check_client(Peer peer) {
    client_gone_ = peer == Peer::gone;
    if (client_gone_) return fail(Code::unavailable, "the client hung up");
    return {};
  }

  const http::Request& request_;
  Exchange& exchange_;
  http::Response answer_;
  bool begun_ = false;
  bool client_gone_ = false;
};

/// Messages answer in order; answers to other paths match their path.
void place(Step& step, const http::Request& request) {
  if (request.path.ends_with(kMessagesPath)) return;
  step.match.emplace().path = request.path;
  step.times = 1;
}

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(RecorderOptions options) {
  while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
  const std::filesystem::path folder =
      options.out.has_parent_path() ? options.out.parent_path() : ".";
  if (std::error_code ignored; !std::filesystem::is_directory(folder, ignored)) {
    return fail(Code::not_found,
                fmt::format("cannot write the recording '{}': directory '{}' does not exist",
                            options.out.native(), folder.native()));
  }
  std::unique_ptr<Recorder> recorder(new Recorder(std::move(options)));
  TRY(recorder->write());
  return recorder;
}

void Recorder::answer(const http::Request& request, Exchange& exchange) {
  std::size_t number = 0;
  {
    const std::scoped_lock lock(mutex_);
    number = ++requests_;
  }
  http::ClientRequest asked;
  asked.method = request.method;
  asked.url = options_.endpoint + request.target;
  asked.headers = http::end_to_end(request.headers);
  asked.body = request.body;
  Forwarder forwarder(request, exchange);
  auto client = borrow_client();
  const auto sent = client->send(asked, forwarder.sink(), stop_.get_token());
  return_client(std::move(client));
  if (auto step = forwarder.step(sent)) {
    place(*step, request);
    keep(number, *std::move(step));
  }
  forwarder.end(sent);
}

std::unique_ptr<http::Client> Recorder::borrow_client() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) return std::make_unique<http::Client>();
  auto client = std::move(idle_.back());
  idle_.pop_back();
  return client;
}

void Recorder::return_client(std::unique_ptr<http::Client> client) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(client));
}

void Recorder::keep(std::size_t number, Step step) {
  const std::scoped_lock lock(mutex_);
  steps_.emplace(number, std::move(step));
  if (const auto written = write(); !written && !failure_) failure_ = written.error();
}

Result<> Recorder::write() const {
  Scenario scenario;
  scenario.then = Then::error;
  for (const auto& [number, step] : steps_) scenario.steps.push_back(step);
  return write_file_atomically(options_.out, json::mask(write_scenario(scenario), options_.masker),
                               0600);
}

std::optional<Error> Recorder::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

}  // namespace ralph::mock
