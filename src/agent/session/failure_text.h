#pragma once
#include <string>
#include <string_view>

#include "agent/api/failure.h"
#include "agent/session/event.h"
#include "agent/settings/options.h"

namespace ralph::session {

/// How a turn that failed is reported: as a reply, and why it ended.
struct FailureWords {
  ApiErrorFacts facts;
  TerminalReason terminal_reason = TerminalReason::api_error;
};
FailureWords words_for(const api::Failure& failure, std::string_view model, bool with_token);

/// A picture or document the API refused was removed, and the model is asked again.
ApiErrorFacts media_removed(const api::MediaRefusal& refusal, api::MediaKind removed);

/// The stream of the reply broke off more often than is worth another try.
FailureWords broken_again(const api::Reply& reply, bool with_token);
/// The reply reached its length limit too often.
FailureWords too_long_again(std::int64_t max_tokens);
/// A safety check stopped the reply for the second time.
FailureWords refused_again(const api::Reply& reply, std::string_view model);
/// The model did the same over and over.
FailureWords stopped_by_loop_guard(std::int64_t times, std::string_view repeated);

/// No credential at all.
FailureWords not_logged_in();

/// What the text format shows of a result.
std::string shown(const TurnResult& result, const settings::Options& options);

}  // namespace ralph::session
