#include <algorithm>
#include <random>

#include "agent/api/client.h"
#include "agent/api/status_impl.h"

namespace ralph::api {
namespace {

constexpr double kJitterShare = 0.25;

int limit_of_status(int status, const RetryPolicy& policy) {
  switch (status) {
    case 401: return policy.max_unauthorized.value_or(policy.max_retries);
    case 408:
    case 409:
    case 429: return policy.max_retries;
    case 529: return policy.max_overloaded;
    default: return status >= 500 ? policy.max_retries : 0;
  }
}

int limit_of_connection(const Failure& failure, const RetryPolicy& policy) {
  const bool untrusted =
      failure.http == http::Failure::tls || failure.http == http::Failure::certificate;
  return untrusted ? 0 : policy.max_retries;
}

int limit_of(const Failure& failure, const RetryPolicy& policy) {
  switch (failure.kind) {
    case FailureKind::status:
    case FailureKind::error_event: return limit_of_status(status_of(failure), policy);
    case FailureKind::connection: return limit_of_connection(failure, policy);
    case FailureKind::timed_out:
    case FailureKind::stalled:
    case FailureKind::cut: return policy.max_retries;
    case FailureKind::cancelled:
    case FailureKind::garbage:
    case FailureKind::setup: return 0;
  }
  return 0;
}

double random_share() {
  std::random_device device;
  return std::uniform_real_distribution<double>(0, 1)(device);
}

}  // namespace

std::optional<Millis> pause_before_retry(const Failure& failure, int retries,
                                         const RetryPolicy& policy) {
  auto limit = limit_of(failure, policy);
  if (failure.should_retry == true && limit == 0) limit = policy.max_retries;
  if (failure.should_retry == false) limit = 0;
  if (retries >= std::min(limit, policy.max_retries)) return std::nullopt;
  const auto asked = failure.retry_after.value_or(Millis{0});
  if (asked > policy.longest_retry_after) return std::nullopt;
  auto pause = policy.first_pause;
  for (int i = 0; i < retries && pause < policy.longest_pause; ++i) pause *= 2;
  pause = std::min(pause, policy.longest_pause);
  const auto share = std::clamp(policy.jitter ? policy.jitter() : random_share(), 0.0, 1.0);
  const auto jitter = static_cast<double>(pause.count()) * kJitterShare * share;
  return std::max(pause + Millis{static_cast<Millis::rep>(jitter)}, asked);
}

}  // namespace ralph::api
