#pragma once
#include <string>
#include <string_view>

#include "agent/session/events.h"
#include "agent/settings/options.h"
#include "agent/api/failure.h"

namespace ralph::session {

/// How a request that failed for good is told: as an answer, and why the turn ended.
struct FailureWords {
  ApiErrorFacts facts;
  std::string terminal_reason;  // "api_error", "prompt_too_long", "image_error"
};
FailureWords words_for(const api::Failure& failure, std::string_view model, bool with_token);

/// A picture or document the API refused was removed, and the model is asked again.
ApiErrorFacts media_removed(const api::MediaRefusal& refusal, api::MediaKind removed);

/// No credential at all.
FailureWords not_logged_in();

/// What the text format shows of a result.
std::string shown(const ResultFacts& facts, const settings::Options& options);

}  // namespace ralph::session
