#include "harness/run/model_proxy.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/core.h>

#include "core/base/log.h"
#include "core/base/utf8.h"
#include "core/json/writer.h"
#include "system/http/end_to_end.h"

namespace ralph::run {
namespace {

constexpr std::size_t kMostConnections = 64;
constexpr std::size_t kLargestBody = std::size_t{64} << 20;
constexpr std::size_t kLargestRefusedBody = std::size_t{64} << 10;
constexpr std::size_t kMostHeld = std::size_t{256} << 20;
constexpr std::size_t kMostRefused = 20;
constexpr std::size_t kLongestShown = 120;

/// Asked by clients to see whether there is a network. The answer is ours.
bool is_probe(const http::Request& request) {
  return request.method == "HEAD" && request.target == "/";
}

bool is_allowed(const http::Request& request, const backend::ModelApi& api) {
  // Not the absolute form, whose host we would not go to.
  if (!request.target.starts_with('/')) return false;
  return std::ranges::any_of(api.requests, [&](const backend::ApiRequest& allowed) {
    return request.method == allowed.method && request.path == allowed.path;
  });
}

/// Takes as long for every text of that length.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  }
  return difference == 0;
}

bool shows(const http::Request& request, const backend::ModelRoute& route) {
  const std::string_view token = route.token;
  const auto key = request.headers.find(route.api.key_header).value_or("");
  auto bearer = request.headers.find("authorization").value_or("");
  if (bearer.starts_with("Bearer ")) bearer.remove_prefix(7);
  return same(key, token) || same(bearer, token);
}

/// In the form of the API, so that every client can show it.
http::Response failure(int status, std::string_view type, std::string_view message) {
  std::string inner;
  json::ObjectWriter(inner).text("type", type).text("message", message).close();
  std::string body;
  json::ObjectWriter(body).text("type", "error").raw("error", inner).close();
  return {status, {{"content-type", "application/json"}}, std::move(body)};
}

http::Headers headers_for(const http::Request& request, const backend::ModelRoute& route) {
  http::Headers headers;
  for (const auto& header : http::end_to_end(request.headers)) {
    const bool credential = http::equal_ignoring_case(header.name, route.api.key_header) ||
                            http::equal_ignoring_case(header.name, "authorization") ||
                            http::equal_ignoring_case(header.name, "cookie");
    if (!credential) headers.add(header.name, header.value);
  }
  headers.add(route.header, route.secret);
  return headers;
}

Result<> check_connected(http::Peer peer) {
  if (peer == http::Peer::there) return {};
  return fail(Code::unavailable, "the agent hung up");
}

}  // namespace

Result<std::unique_ptr<ModelProxy>> ModelProxy::start(backend::ModelRoute route) {
  std::unique_ptr<ModelProxy> proxy(new ModelProxy(std::move(route)));
  http::ServerOptions options;
  options.unix_socket = proxy->route_.socket;
  options.max_connections = kMostConnections;
  options.max_held = kMostHeld;
  options.limits.body_of = [raw = proxy.get()](const http::Request& head) {
    return raw->largest_body(head);
  };
  TRY_ASSIGN(proxy->server_,
             http::Server::start(options, [raw = proxy.get()](const http::Request& request,
                                                              http::Exchange& exchange) {
               raw->answer(request, exchange);
             }));
  return proxy;
}

ModelProxy::~ModelProxy() {
  stop_.request_stop();
  if (server_) server_->stop();
}

std::string_view ModelProxy::refusal_of(const http::Request& head) const {
  if (is_probe(head)) return {};
  if (!is_allowed(head, route_.api)) {
    return "this sandbox has no network: only the model's Messages API is reachable";
  }
  if (!shows(head, route_)) return "the request does not show the key of this sandbox";
  return {};
}

/// Called once for each request: a large body of one that is refused is never read.
std::size_t ModelProxy::largest_body(const http::Request& head) {
  if (refusal_of(head).empty()) return kLargestBody;
  record_refused(head);
  return kLargestRefusedBody;
}

void ModelProxy::answer(const http::Request& request, http::Exchange& exchange) {
  if (const auto why = refusal_of(request); !why.empty()) {
    exchange.respond(failure(403, "permission_error", why));
  } else if (is_probe(request)) {
    exchange.respond({200, {}, ""});
  } else {
    pass_on(request, exchange);
  }
}

void ModelProxy::record_refused(const http::Request& request) {
  // Without the query: it may be what the agent wanted to send out.
  const auto target = request.target.substr(0, request.target.find('?'));
  const auto what =
      utf8::shortened(utf8::repaired(fmt::format("{} {}", request.method, target)), kLongestShown);
  log::debug("sandbox", "refused " + what);
  const std::scoped_lock lock(mutex_);
  if (refused_.contains(what) || refused_.size() < kMostRefused) {
    ++refused_[what];
  } else {
    ++refused_others_;
  }
}

void ModelProxy::pass_on(const http::Request& request, http::Exchange& exchange) {
  http::ClientRequest asked;
  asked.method = request.method;
  asked.url = route_.endpoint + request.target;
  asked.headers = headers_for(request, route_);
  asked.body = request.body;
  bool begun = false;
  const http::ResponseSink sink{
      [&](const http::Response& head) {
        begun = true;
        return check_connected(exchange.begin(head.status, http::end_to_end(head.headers)));
      },
      [&](std::string_view bytes) { return check_connected(exchange.send(bytes)); }};
  auto client = take_client();
  const auto sent = client->send(asked, sink, stop_.get_token());
  give_back(std::move(client));
  if (sent) {
    exchange.end();
  } else if (begun) {
    exchange.close();
  } else {
    exchange.respond(failure(502, "api_error", describe(sent.error())));
  }
}

std::unique_ptr<http::Client> ModelProxy::take_client() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) return std::make_unique<http::Client>();
  auto client = std::move(idle_.back());
  idle_.pop_back();
  return client;
}

void ModelProxy::give_back(std::unique_ptr<http::Client> client) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(client));
}

std::vector<std::string> ModelProxy::refused() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> lines;
  for (const auto& [what, count] : refused_) {
    lines.push_back(count == 1 ? what : fmt::format("{} ({} times)", what, count));
  }
  if (refused_others_ > 0) lines.push_back(fmt::format("{} other requests", refused_others_));
  return lines;
}

}  // namespace ralph::run
