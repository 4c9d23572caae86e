#include "system/process/descriptor_limit.h"

#include <fmt/core.h>
#include <sys/resource.h>

namespace ralph::process {
namespace {

constexpr rlim_t kNeeded = 64;

}  // namespace

Result<> check_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kNeeded) return {};
  return fail(Code::unavailable,
              fmt::format("the limit on open files is {}; ralph needs {}", limit.rlim_cur, kNeeded),
              "raise it: ulimit -n 1024");
}

}  // namespace ralph::process
