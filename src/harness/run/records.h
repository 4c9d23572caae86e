#pragma once
#include <optional>
#include <string>

#include "core/base/result.h"
#include "harness/backend/plan.h"
#include "harness/run/request.h"
#include "harness/stream/outcome.h"
#include "harness/stream/summary.h"
#include "system/git/git.h"
#include "system/process/supervise.h"

namespace ralph::run {

// The journal's own records, as JSON objects.

using GitHead = Result<std::optional<git::Head>>;

std::string started_record(const Request& request, const backend::Plan& plan, const GitHead& git);
std::string attempt_record(int attempt, const std::string& raw_log);
std::string attempt_ended_record(int attempt, const stream::Verdict& verdict,
                                 const std::optional<process::Exit>& exit,
                                 std::optional<Millis> retry_in);
std::string ended_record(const stream::Verdict& verdict, const stream::Summary& summary,
                         Millis duration, int attempts, const GitHead& git);

}  // namespace ralph::run
