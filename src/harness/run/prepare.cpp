#include "harness/run/bookkeeping.h"
#include "harness/run/run.h"
#include "harness/run/sandbox.h"
#include "harness/store/raw_log.h"

namespace ralph::run {

std::filesystem::path raw_log_base(const Request& request, UtcTime start) {
  return request.log_dir / request.backend->name /
         store::raw_log_name(start, request.mode, request.task);
}

Result<backend::Plan> prepare(Request& request, std::vector<std::string>& warnings,
                              stream::Summary* summary) {
  TRY(check_price(request));
  const double known_total = find_session(request, warnings);
  if (summary != nullptr) summary->know_total(known_total);
  auto plan = backend::plan(*request.backend, request.ask, request.host, request.run_id);
  // A program that cannot be executed counts as not installed.
  if (!plan && plan.error().code == Code::permission) plan.error().code = Code::not_found;
  if (!plan || !request.host.sandboxed()) return plan;
  if (auto done = put_into_sandbox(*plan, request.host, request.run_id); !done) {
    return fail(Code::usage, done.error().message, done.error().hint);
  }
  return plan;
}

}  // namespace ralph::run
