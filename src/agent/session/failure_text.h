#pragma once
#include <string>
#include <string_view>

#include "agent/api/failure.h"
#include "agent/session/event.h"
#include "agent/settings/options.h"

namespace ralph::session {

/// How a failed turn is reported: the reply that is shown, and the reason.
struct FailureReport {
  ApiErrorFacts facts;
  TerminalReason terminal_reason = TerminalReason::api_error;
};
FailureReport failure_report(const api::Failure& failure, std::string_view model, bool with_token);

/// A picture or document the API refused was removed, and the model is asked again.
ApiErrorFacts media_removed(const api::MediaRefusal& refusal, api::MediaKind removed);

/// The stream of the reply broke off too often.
FailureReport broken_again(const api::Reply& reply, bool with_token);
/// The reply reached its length limit too often.
FailureReport too_long_again(std::int64_t max_tokens);
/// A safety check stopped the reply for the second time.
FailureReport refused_again(const api::Reply& reply, std::string_view model);
/// The model repeated the same calls.
FailureReport stopped_by_loop_guard(std::int64_t times, std::string_view repeated);

/// A hook that can block could not be run, or gave no valid answer.
FailureReport failed_hook(std::string_view why);

/// No credential at all.
FailureReport not_logged_in();

/// A result in the text format.
std::string text_output(const TurnResult& result, const settings::Options& options);

}  // namespace ralph::session
