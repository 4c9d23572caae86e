#pragma once
#include <string>
#include <vector>

#include "harness/loop/setup.h"

namespace ralph::loop {

/// The agent answers by a schema, and can be corrected in the same session.
bool answers_by_schema(const backend::Backend& backend);
/// It takes a model and answers by a schema: it can summarize the history.
bool can_summarize(const backend::Backend& backend);

/// The raw log of a run is named by it: "iteration-0007", of a further attempt "iteration-0007-attempt-2".
struct RunNumber {
  std::int64_t iteration = 0;  // of the summarizer: the one before it
  std::int64_t attempt = 1;
};
run::Request worker_request(const Setup& setup, const std::string& run_id, RunNumber number,
                            std::string prompt);
run::Request summarizer_request(const Setup& setup, const std::string& run_id, RunNumber number,
                                std::string prompt);

/// The same run once more, in its session: the answer was not what was asked for. `sent`: corrections before it.
run::Request correction_request(run::Request request, const std::string& run_id,
                                const std::string& session, std::string correction, int sent);

}  // namespace ralph::loop
