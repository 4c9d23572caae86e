#include "ui/console/json_lines.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/json/document.h"
#include "harness/stream/decoder.h"
#include "harness/stream/event_json.h"
#include "ui/console/fake_output.h"

namespace ralph::console {
namespace {

TEST(JsonLines, EveryEventIsALineThatReadsBack) {
  const Masker masker;
  FakeOutput output;
  JsonLines json_lines(masker, output);
  stream::Decoder decoder(stream::make_claude_dialect(), {&json_lines}, "run-1");
  decoder.feed(*read_file(RALPH_FIXTURES "/demo/session.ndjson"), 7);
  decoder.finish(7);

  stream::EventReader reader;
  std::string_view rest = output.stdout_text;
  std::int64_t seq = 0;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    const auto event = reader.decode(line);
    ASSERT_TRUE(event) << line;
    EXPECT_EQ(event->seq, ++seq);
    EXPECT_EQ(event->run_id, "run-1");
  }
  EXPECT_GT(seq, 30);
  EXPECT_EQ(output.stderr_text, "");
}

TEST(JsonLines, DeltasAreLeftOut) {
  const Masker masker;
  FakeOutput output;
  JsonLines json_lines(masker, output);
  stream::dispatch({1, 0, "claude", "r", 1, {}, stream::Text{"sk-a", true, false, "x"}},
                   json_lines);
  stream::dispatch({2, 0, "claude", "r", 1, {}, stream::Thinking{"nt-", true}}, json_lines);
  EXPECT_EQ(output.stdout_text, "");
}

TEST(JsonLines, SecretsAreMaskedInValuesOnly) {
  const Masker masker({"MY_TOKEN=message_id"});
  FakeOutput output;
  JsonLines json_lines(masker, output);
  const stream::Event event{
      1, 0, "claude", "r", 1, {}, stream::Text{"message_id", false, true, "x"}};
  stream::dispatch(event, json_lines);
  const auto document = json::parse(output.stdout_text);
  ASSERT_TRUE(document);
  EXPECT_EQ((*document)["text"], "***");
  EXPECT_EQ((*document)["message_id"], "x");
}

}  // namespace
}  // namespace ralph::console
