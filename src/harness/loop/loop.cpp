#include "harness/loop/loop.h"

#include "harness/loop/step_record.h"

namespace ralph::loop {

LoopStop Loop::run(Before before) {
  auto stop = recovery_.recover();
  if (!stop) stop = recorded_stop(before);
  while (!stop) stop = step();
  return *stop;
}

/// The last ralph was killed between the record of the last iteration and the state that says the loop is over.
MaybeStop Loop::recorded_stop(Before before) const {
  const auto& records = context_.keeper.records();
  if (before != Before::not_over || records.empty()) return std::nullopt;
  const auto& last = records.back();
  return last.step == store::LoopRecord::Step::iteration ? stop_of(last) : std::nullopt;
}

MaybeStop Loop::step() {
  if (const auto& error = context_.keeper.storage_error()) return storage_stop(*error);
  if (auto asked = context_.waiter.stop_request()) return asked;
  if (const auto limit = context_.budget.limit_reached()) {
    return LoopStop{*limit, context_.budget.detail(*limit)};
  }
  if (!summarizer_.is_due()) return worker_.iterate();
  worker_.forget_content();
  return summarizer_.summarize();
}

}  // namespace ralph::loop
