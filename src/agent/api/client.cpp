#include "agent/api/client.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "agent/api/features_impl.h"
#include "agent/api/send_request_impl.h"
#include "agent/api/status_impl.h"

namespace ralph::api {
namespace {

constexpr std::int64_t kMostTokensInOnePiece = 64'000;
constexpr Millis kHeadTimeoutInOnePiece{300'000};

/// A complete text or tool call is kept: the conversation continues after it.
bool stands(const Reply& reply) {
  return std::ranges::any_of(reply.content, [](const Block& block) {
    return block.type == BlockType::tool_use ||
           (block.type == BlockType::text && !block.text.empty());
  });
}

bool broke(const Failure& failure) {
  switch (failure.kind) {
    case FailureKind::error_event:
    case FailureKind::stalled:
    case FailureKind::cut:
    case FailureKind::garbage: return true;
    default: return false;
  }
}

/// Whether to send the request again at once, without streaming.
bool may_work_in_one_piece(const Failure& failure) {
  return (broke(failure) && failure.kind != FailureKind::cut) || failure.status == 404;
}

void ask_in_one_piece(Request& request, Endpoint& endpoint) {
  auto& shape = request.shape;
  request.stream = false;
  shape.max_tokens = std::min(shape.max_tokens, kMostTokensInOnePiece);
  shape.thinking_budget = std::min(shape.thinking_budget, shape.max_tokens - 1);
  auto& timeout = endpoint.head_timeout;
  timeout =
      timeout > Millis{0} ? std::min(timeout, kHeadTimeoutInOnePiece) : kHeadTimeoutInOnePiece;
}

enum class Waited { through, stopped };

Waited wait(Millis pause, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, pause, [] { return false; });
  return stop.stop_requested() ? Waited::stopped : Waited::through;
}

}  // namespace

/// One call of ask().
class Client::Call {
 public:
  Call(Client& client, const Request& request, Listener& listener, const std::stop_token& stop)
      : client_(client), request_(request), listener_(listener), stop_(stop) {}

  Answer ask() {
    for (;;) {
      auto tried = ask_streamed_or_whole();
      if (!tried.failure) return answer(std::move(tried));
      if (stop_.stop_requested()) return cancelled(std::move(tried.reply));
      const auto pause = next_pause(*tried.failure);
      if (!pause) return answer(std::move(tried));
      abandon(tried);
      ++retries_;
      if (status_of(*tried.failure) == 529) ++overloaded_;
      listener_.on_retry({retries_, client_.policy_.max_retries, *pause, *tried.failure});
      if (wait(*pause, stop_) == Waited::stopped) return cancelled({});
    }
  }

 private:
  /// Streams; without streaming if the stream was invalid.
  Attempt ask_streamed_or_whole() {
    auto tried = ask_with_accepted_features(request_, client_.endpoint_);
    if (!tried.failure || !request_.stream || stop_.stop_requested()) return tried;
    if (broke(*tried.failure) && stands(tried.reply)) {
      tried.failure.reset();
      return tried;
    }
    if (!may_work_in_one_piece(*tried.failure)) return tried;
    abandon(tried);
    auto request = request_;
    auto endpoint = client_.endpoint_;
    ask_in_one_piece(request, endpoint);
    return ask_with_accepted_features(request, endpoint);
  }

  /// Leaves out optional parts that the endpoint rejects. They are remembered once it accepts the rest.
  Attempt ask_with_accepted_features(const Request& wanted, const Endpoint& endpoint) {
    auto unsupported = client_.unsupported_[wanted.shape.model];
    for (;;) {
      auto request = wanted;
      remove_parts(request, unsupported);
      auto tried = send_request(client_.http_, endpoint, request, listener_, stop_);
      if (!tried.failure) client_.unsupported_[wanted.shape.model] = unsupported;
      if (!tried.failure || !note_unsupported(request, *tried.failure, unsupported)) return tried;
    }
  }

  std::optional<Millis> next_pause(const Failure& failure) const {
    if (retries_ >= client_.policy_.max_retries) return std::nullopt;
    const auto earlier = status_of(failure) == 529 ? overloaded_ : retries_;
    auto policy = client_.policy_;
    const auto named = [&](const std::string& part) {
      return request_.shape.model.find(part) != std::string::npos;
    };
    if (std::ranges::none_of(policy.scarce_models, named))
      policy.max_overloaded = policy.max_retries;
    return pause_before_retry(failure, earlier, policy);
  }

  void abandon(Attempt& tried) {
    if (std::exchange(tried.reported, false)) listener_.on_abandoned(tried.reply, 0);
  }

  static Answer answer(Attempt tried) { return {std::move(tried.reply), std::move(tried.failure)}; }

  static Answer cancelled(Reply so_far) {
    return {std::move(so_far),
            Failure{.kind = FailureKind::cancelled, .message = "the request was cancelled"}};
  }

  Client& client_;
  const Request& request_;
  Listener& listener_;
  const std::stop_token& stop_;
  int retries_ = 0;
  int overloaded_ = 0;
};

Client::Client(Endpoint endpoint, RetryPolicy policy)
    : endpoint_(std::move(endpoint)), policy_(std::move(policy)) {
  const auto& [api_key, token] = endpoint_.credential;
  if (!policy_.max_unauthorized && api_key.empty() && !token.empty()) policy_.max_unauthorized = 1;
}

Answer Client::ask(const Request& request, Listener& listener, const std::stop_token& stop) {
  return Call(*this, request, listener, stop).ask();
}

}  // namespace ralph::api
