#pragma once
#include "core/base/mask.h"
#include "harness/stream/handler.h"
#include "ui/console/output.h"

namespace ralph::console {

/// Every event in its JSON form, one per line, for programs (`--json`). Secrets in values are masked; deltas
/// are left out, since a secret that is split over them cannot be seen: the whole block follows.
class JsonLines final : public stream::Handler {
 public:
  /// Both outlive it.
  JsonLines(const Masker& masker, Output& output) : masker_(masker), output_(output) {}
  void on_any(const stream::Event& event) override;

 private:
  const Masker& masker_;
  Output& output_;
};

}  // namespace ralph::console
