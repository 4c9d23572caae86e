#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "harness/stream/decoder.h"
#include "harness/stream/event_json.h"
#include "harness/stream/handler.h"

namespace ralph::test {

/// Keeps every event in its JSON form, which owns its text.
class Collector final : public stream::Handler {
 public:
  void on_any(const stream::Event& event) override { events.push_back(stream::encode(event)); }
  std::vector<std::string> events;
};

/// The events of a whole Claude stream, fed in pieces of `chunk` bytes.
inline std::vector<std::string> claude_events(std::string_view bytes, std::size_t chunk = 1 << 16,
                                              std::size_t max_line = stream::Decoder::kMaxLine) {
  Collector collector;
  stream::Decoder decoder(stream::make_claude_dialect(), {&collector}, "run", max_line);
  for (std::size_t at = 0; at < bytes.size(); at += chunk) decoder.feed(bytes.substr(at, chunk), 0);
  decoder.finish(0);
  return collector.events;
}

}  // namespace ralph::test
