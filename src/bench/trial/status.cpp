#include "bench/trial/status.h"

namespace ralph::trial {

std::string_view to_string(TrialStatus status) {
  switch (status) {
    case TrialStatus::success: return "success";
    case TrialStatus::failed: return "failed";
    case TrialStatus::timeout: return "timeout";
    case TrialStatus::cancelled: return "cancelled";
  }
  return "failed";
}

std::string_view file_word(TrialStatus status) {
  return to_string(status == TrialStatus::cancelled ? TrialStatus::failed : status);
}

EndFacts facts_of(const stream::Summary& summary, const stream::ProcessEnd& end, bool plain_text) {
  EndFacts facts;
  facts.exit_code = end.exit_code;
  facts.signal = end.signal;
  facts.cancelled = end.cancelled_by.has_value();
  facts.broken = end.storage_error || end.read_error;
  facts.time_limit = end.time_limit.has_value();
  facts.plain_text = plain_text;
  facts.has_result = summary.result_count > 0 && !summary.turn_open();
  facts.result_is_error = !summary.results.empty() && summary.results.back().is_error;
  return facts;
}

TrialStatus status_of(const EndFacts& facts) {
  using enum TrialStatus;
  const auto by_result = facts.result_is_error ? failed : success;
  if (facts.cancelled) return cancelled;
  if (facts.broken) return failed;
  if (facts.time_limit) return facts.has_result ? by_result : timeout;
  if (facts.signal || facts.exit_code.value_or(1) != 0) return failed;
  if (facts.has_result) return by_result;
  return facts.plain_text ? success : failed;
}

}  // namespace ralph::trial
