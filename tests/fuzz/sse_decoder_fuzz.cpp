// Property: however the bytes are cut, the events, the error and what is unfinished are the same;
// no event is over the limit.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/http/sse_decoder.h"

namespace {

using namespace ralph::http;

struct Decoded {
  std::vector<SseEvent> events;
  std::optional<ralph::Error> error;
  std::size_t unfinished = 0;
  std::optional<ralph::Millis> retry;

  bool operator==(const Decoded&) const = default;
};

Decoded decode(std::string_view bytes, std::size_t chunk, SseLimits limits) {
  Decoded decoded;
  SseDecoder decoder(
      [&](const SseEvent& event) -> ralph::Result<> {
        decoded.events.push_back(event);
        return {};
      },
      limits);
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    if (auto result = decoder.feed(bytes.substr(at, chunk)); !result) {
      decoded.error = result.error();
      return decoded;
    }
  }
  decoded.unfinished = decoder.unfinished();
  decoded.retry = decoder.retry();
  return decoded;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::size_t chunk = 1 + data[0] % 37;
  const SseLimits limits{.line = 1u + data[1], .event = data[2]};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
  const auto whole = decode(bytes, bytes.size() + 1, limits);
  if (whole != decode(bytes, chunk, limits)) std::abort();
  for (const auto& event : whole.events) {
    if (event.data.size() > limits.event || event.type.empty()) std::abort();
    if (event.id.find_first_of("\r\n") != event.id.npos) std::abort();
  }
  if (whole.unfinished > bytes.size()) std::abort();
  return 0;
}
