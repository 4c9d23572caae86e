#pragma once
#include <string>
#include <string_view>

#include "harness/stream/outcome.h"
#include "support/collect.h"
#include "support/fixtures.h"

namespace ralph::stream {

inline Summary summary_of(std::string_view bytes, double known_total = 0) {
  Summary summary(model::Table::builtin(), known_total);
  Decoder decoder(make_claude_dialect(), {&summary}, "run");
  decoder.feed(bytes, 0);
  decoder.finish(0);
  return summary;
}

inline Summary summary_of_fixture(const std::string& name, double known_total = 0) {
  return summary_of(test::fixture("claude/" + name + ".ndjson"), known_total);
}

/// The verdict on a run of Claude that printed these bytes.
inline Verdict judge(std::string_view bytes, const ProcessEnd& end) {
  return classify(summary_of(bytes), end);
}

inline Verdict judge_fixture(const std::string& name, const ProcessEnd& end = {.exit_code = 0}) {
  return judge(test::fixture("claude/" + name + ".ndjson"), end);
}

}  // namespace ralph::stream
