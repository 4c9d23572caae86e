#pragma once
#include <string>
#include <string_view>

#include "harness/stream/outcome.h"
#include "support/collect.h"
#include "support/fixtures.h"

namespace ralph::stream {

/// The verdict on a run of Claude that printed these bytes.
inline Verdict judge(std::string_view bytes, const ProcessEnd& end) {
  Summary summary(model::Table::builtin());
  Decoder decoder(make_claude_dialect(), {&summary}, "run");
  decoder.feed(bytes, 0);
  decoder.finish(0);
  return classify(summary, end);
}

inline Verdict judge_fixture(const std::string& name, const ProcessEnd& end = {.exit_code = 0}) {
  return judge(test::fixture("claude/" + name + ".ndjson"), end);
}

}  // namespace ralph::stream
