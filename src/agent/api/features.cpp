#include "agent/api/features_impl.h"

namespace ralph::api {

void remove_parts(Request& request, const UnsupportedParts& unsupported) {
  auto& shape = request.shape;
  if (unsupported.betas || unsupported.thinking) {
    shape.betas.clear();
    shape.thinking_display.clear();
  }
  if (unsupported.thinking) {
    shape.thinking = ThinkingMode::omitted;
    shape.effort.clear();
  }
  if (unsupported.cache_marks) request.cache_marks = false;
}

bool note_unsupported(const Request& sent, const Failure& failure, UnsupportedParts& unsupported) {
  if (failure.kind != FailureKind::status || failure.status != 400) return false;
  const auto before = unsupported;
  const auto& shape = sent.shape;
  if (failure.rejection.cache_marks) {
    unsupported.cache_marks = true;
  } else if (!failure.rejection.feature) {
    return false;
  } else if (!shape.betas.empty() || !shape.thinking_display.empty()) {
    unsupported.betas = true;
  } else if (shape.thinking != ThinkingMode::omitted || !shape.effort.empty()) {
    unsupported.thinking = true;
  }
  return unsupported != before;
}

}  // namespace ralph::api
