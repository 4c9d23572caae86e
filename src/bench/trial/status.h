#pragma once
#include <optional>
#include <string_view>

#include "harness/stream/outcome.h"
#include "harness/stream/summary.h"

namespace ralph::trial {

enum class TrialStatus { success, failed, timeout, cancelled };
/// "success", "failed", "timeout", "cancelled".
std::string_view to_string(TrialStatus status);
/// The same for files whose format knows no "cancelled": "failed".
std::string_view file_word(TrialStatus status);

/// What the status of an agent's run depends on.
struct EndFacts {
  std::optional<int> exit_code, signal;
  bool cancelled = false;   // we were asked to stop
  bool broken = false;      // output could not be read or stored
  bool time_limit = false;  // the case's timeout
  bool plain_text = false;  // it was not asked for a stream
  bool has_result = false;  // its last turn has ended
  bool result_is_error = false;
};
EndFacts facts_of(const stream::Summary& summary, const stream::ProcessEnd& end, bool plain_text);

/// The only table of trial statuses, first match:
///   cancelled                                       cancelled
///   output lost                                     failed
///   time limit, result before it                    success, or failed if the result is an error
///   time limit                                      timeout
///   signal or exit code other than 0                failed, also after a good result
///   result                                          success, or failed if it is an error
///   stream without a result, or nothing of a stream failed
///   plain text, or nothing, if no stream was asked  success
TrialStatus status_of(const EndFacts& facts);

}  // namespace ralph::trial
