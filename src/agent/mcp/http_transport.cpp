#include "agent/mcp/http_transport.h"

#include <chrono>
#include <system_error>
#include <utility>

#include "core/base/time.h"

namespace ralph::mcp {
namespace {

constexpr const char* kSessionHeader = "Mcp-Session-Id";
constexpr Millis kListenAgain{1000};

/// nullopt: it cannot be started.
std::jthread start_thread(std::function<void(const std::stop_token&)> work) {
  try {
    return std::jthread(std::move(work));
  } catch (const std::system_error&) {
    return {};
  }
}

}  // namespace

Result<> HttpTransport::open(Receiver& receiver) {
  receiver_ = &receiver;
  return {};
}

void HttpTransport::send(Outgoing message) {
  exchanges_.send(std::move(message), *receiver_,
                  [this](const Outgoing& sent, const std::stop_token& stop) { post(sent, stop); });
}

void HttpTransport::take_session(const HttpAnswer& head) {
  const auto id = head.headers.find(kSessionHeader);
  if (!id || id->empty()) return;
  peer_.set_header(kSessionHeader, std::string(*id));
  const std::lock_guard lock(mutex_);
  has_session_ = true;
}

void HttpTransport::post(const Outgoing& message, const std::stop_token& stop) {
  const auto answer = peer_.exchange(
      peer_.url(), message.json, message.time_limit(),
      [this](const HttpAnswer& head) { take_session(head); },
      [this](const std::string&, const std::string& data) { receiver_->on_message(data); }, stop);
  if (answer && !answer->body.empty()) receiver_->on_message(answer->body);
  if (!message.request) return;
  const Error silent{Code::malformed, "the response contains no answer to the request", {}};
  receiver_->on_lost(*message.request, answer ? silent : answer.error());
}

void HttpTransport::set_ready(const std::string& protocol_version) {
  peer_.set_header("MCP-Protocol-Version", protocol_version);
  listener_ = start_thread([this](const std::stop_token& stop) { listen(stop); });
}

/// Servers need not offer this stream; an error, mostly 405, ends the attempt.
void HttpTransport::listen(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    bool events = false;
    const auto answer = peer_.exchange(
        peer_.url(), {}, std::nullopt, {},
        [&](const std::string&, const std::string& data) {
          events = true;
          receiver_->on_message(data);
        },
        stop);
    if (!answer || !events) return;
    std::unique_lock lock(mutex_);
    stopping_.wait_for(lock, stop, kListenAgain, [] { return false; });
  }
}

void HttpTransport::begin_close() {
  exchanges_.begin_close();
  listener_.request_stop();
  bool ends = false;
  {
    const std::lock_guard lock(mutex_);
    ends = std::exchange(has_session_, false);
  }
  if (ends) ending_ = start_thread([this](const std::stop_token&) { peer_.end_session(); });
}

void HttpTransport::close() {
  begin_close();
  exchanges_.close();
  if (listener_.joinable()) listener_.join();
  if (ending_.joinable()) ending_.join();
}

Result<> SseTransport::open(Receiver& receiver) {
  receiver_ = &receiver;
  listener_ = start_thread([this](const std::stop_token& stop) { listen(stop); });
  if (!listener_.joinable()) return fail(Code::unavailable, "no thread can be started");
  return {};
}

void SseTransport::listen(const std::stop_token& stop) {
  const auto answer = peer_.exchange(
      peer_.url(), {}, std::nullopt, {},
      [this](const std::string& type, const std::string& data) {
        if (type == "endpoint") return take_endpoint(data);
        if (type == "message") receiver_->on_message(data);
      },
      stop);
  if (stop.stop_requested()) return;
  const Error ended{Code::unavailable, "its event stream ended", {}};
  receiver_->on_closed(answer ? ended : answer.error());
}

void SseTransport::take_endpoint(const std::string& named) {
  auto url = same_origin_url(peer_.url(), named);
  if (!url) return receiver_->on_closed(url.error());
  const std::lock_guard lock(mutex_);
  endpoint_ = *std::move(url);
  changed_.notify_all();
}

void SseTransport::send(Outgoing message) {
  exchanges_.send(std::move(message), *receiver_,
                  [this](const Outgoing& sent, const std::stop_token& stop) { post(sent, stop); });
}

void SseTransport::post(const Outgoing& message, const std::stop_token& stop) {
  std::string url;
  {
    std::unique_lock lock(mutex_);
    const auto known = [this] { return !endpoint_.empty(); };
    const auto limit = message.time_limit();
    const auto end = limit ? std::chrono::steady_clock::now() + *limit : SteadyTime::max();
    if (!changed_.wait_until(lock, stop, end, known)) return;
    url = endpoint_;
  }
  const auto answer = peer_.exchange(
      url, message.json, message.time_limit(), {}, [](const std::string&, const std::string&) {},
      stop);
  if (!answer && message.request) receiver_->on_lost(*message.request, answer.error());
}

void SseTransport::begin_close() {
  exchanges_.begin_close();
  listener_.request_stop();
}

void SseTransport::close() {
  begin_close();
  exchanges_.close();
  if (listener_.joinable()) listener_.join();
}

Result<std::string> same_origin_url(std::string_view base, std::string_view named) {
  const auto origin_of = [](std::string_view url) {
    const auto scheme = url.find("://");
    return scheme == url.npos ? std::string_view() : url.substr(0, url.find('/', scheme + 3));
  };
  const auto origin = origin_of(base);
  if (named.starts_with('/') && !named.starts_with("//")) return std::string(origin).append(named);
  if (named.contains("://")) {
    if (origin_of(named) == origin) return std::string(named);
    return fail(Code::permission, "it names an endpoint of another origin");
  }
  const auto path = base.substr(0, base.find_first_of("?#"));
  const auto slash = path.rfind('/');
  if (slash < origin.size()) return std::string(origin).append("/").append(named);
  return std::string(path.substr(0, slash + 1)).append(named);
}

}  // namespace ralph::mcp
