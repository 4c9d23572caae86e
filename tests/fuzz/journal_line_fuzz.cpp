// Properties: any object becomes one line; every event stays an event of its type and place,
// however much of it is cut.
#include <cstdint>
#include <cstdlib>

#include "harness/store/shorten.h"
#include "harness/stream/decoder.h"
#include "harness/stream/event_json.h"

namespace {

using namespace ralph;

class Check final : public stream::Handler {
 public:
  explicit Check(std::size_t longest) : longest_(longest) {}

  void on_any(const stream::Event& event) override {
    const auto shorter = store::shorten_members(stream::encode(event), longest_);
    if (!shorter) return;  // nested too deeply
    const auto back = reader_.decode(*shorter);
    if (!back || back->what.index() != event.what.index() || back->seq != event.seq ||
        back->line != event.line) {
      std::abort();
    }
  }

 private:
  std::size_t longest_;
  stream::EventReader reader_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t longest = 20 + data[0];  // the name of a type is never cut
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto line = store::shorten_members(bytes, longest);
  if (line && line->find('\n') != line->npos) std::abort();

  Check check(longest);
  stream::Decoder decoder(stream::make_claude_dialect(), {&check}, "run", 1 << 16);
  decoder.feed(bytes, 1);
  decoder.finish(2);
  return 0;
}
