// Properties: nothing crashes; chunking never changes the events; every event survives its JSON
// form; every line is an event, blank, or counted.
#include <cstdint>
#include <cstdlib>

#include "harness/stream/decoder.h"
#include "harness/stream/event_json.h"
#include "harness/stream/summary.h"
#include "support/collect.h"

namespace {

using namespace ralph;

class Check final : public stream::Handler {
 public:
  void on_any(const stream::Event& event) override {
    text_.clear();
    stream::encode(event, text_);
    const auto back = reader_.decode(text_);
    if (!back || *back != event) std::abort();
  }

 private:
  stream::EventReader reader_;
  std::string text_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t chunk = 1 + data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Check check;
  stream::Summary summary(model::Table::builtin());
  stream::Decoder decoder(stream::make_claude_dialect(), {&check, &summary}, "run", 1 << 16);
  decoder.feed(bytes, 1);
  decoder.finish(2);
  (void)summary.cost_usd();
  (void)summary.context_percent();
  if (test::claude_events(bytes, chunk, 1 << 16) !=
      test::claude_events(bytes, bytes.size() + 1, 1 << 16)) {
    std::abort();
  }
  return 0;
}
