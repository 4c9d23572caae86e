#include "system/process/child.h"

#include <utility>

#include "system/process/guard_link.h"
#include "system/process/registry.h"

namespace ralph::process {

namespace {

constexpr Millis kGuardPatience{5000};

/// Returns when nothing of the tree is alive, by the guard or without it.
void end_tree_now(ChildParts parts) {
  const auto deadline = std::chrono::steady_clock::now() + kGuardPatience;
  guard::Report report;
  wake_guard(parts.guard);
  bool answers = send_request(parts.control.get(), guard::RequestKind::end, 0) == Sent::done;
  while (answers) {
    answers = wait_for_report(parts.control.get(), report, deadline) == Heard::report;
    if (answers && report.kind == guard::ReportKind::swept) return retire_guard(parts.guard);
  }
  retire_lost_guard(parts.guard, parts.program);
}

}  // namespace

Child::~Child() {
  if (parts_.guard > 0) end_tree_now(take());
}

Child& Child::operator=(Child&& other) noexcept {
  Child old(take());
  parts_ = other.take();
  return *this;
}

ChildParts Child::take() {
  ChildParts parts = std::move(parts_);
  parts_ = ChildParts{};
  return parts;
}

}  // namespace ralph::process
