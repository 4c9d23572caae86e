#include "harness/run/run.h"

namespace ralph::run {

stream::Outcome outcome_of(const Error& error) {
  using stream::Outcome;
  switch (error.code) {
    case Code::not_found: return Outcome::not_installed;
    case Code::busy: return Outcome::locked;
    case Code::storage:
    case Code::disk_full:
    case Code::permission: return Outcome::storage_failed;
    case Code::config: return Outcome::bad_config;
    case Code::usage:
    case Code::limit: return Outcome::bad_usage;
    case Code::malformed:
    case Code::unavailable:
    case Code::internal: break;
  }
  return Outcome::not_started;
}

}  // namespace ralph::run
