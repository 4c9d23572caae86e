#include "harness/loop/loop_reporter.h"

#include <algorithm>

namespace ralph::loop {

void LoopReporter::write_to(store::LoopEventLog log) {
  const std::scoped_lock hold(mutex_);
  log_.emplace(std::move(log));
}

void LoopReporter::step(store::LoopStep step) {
  const store::LoopEvent event{clock_.now(), std::move(step)};
  {
    const std::scoped_lock hold(mutex_);
    if (log_) {
      auto written = log_->append(event);
      failure_ = written ? std::nullopt : std::optional(std::move(written.error()));
    }
  }
  observer_.on(event);
}

void LoopReporter::note(stream::Level level, std::string_view text) {
  step(store::LoopNote{level, std::string(text)});
}

void LoopReporter::warn_at_start(std::string text) { at_start_.push_back(std::move(text)); }

void LoopReporter::silent_finding(store::Finding finding) {
  findings_.push_back(std::move(finding));
}

void LoopReporter::show_start_warnings() {
  for (const auto& text : at_start_) warn(text);
  at_start_.clear();
}

void LoopReporter::finding(store::Finding finding) {
  if (std::ranges::find(findings_, finding) != findings_.end()) return;
  warn(finding.text);
  findings_.push_back(std::move(finding));
}

}  // namespace ralph::loop
