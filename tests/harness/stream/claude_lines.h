#pragma once
#include <memory>
#include <vector>

#include "support/collect.h"

namespace ralph::stream {

/// Keeps the payloads of one kind, with the text they borrow.
template <typename Wanted>
class Only final : public Handler {
 public:
  void on_any(const Event& event) override {
    if (!std::holds_alternative<Wanted>(event.what)) return;
    readers.push_back(std::make_unique<EventReader>());
    events.push_back(readers.back()->decode(encode(event)).value());
  }
  const Wanted& at(std::size_t i) const { return std::get<Wanted>(events.at(i).what); }
  std::vector<std::unique_ptr<EventReader>> readers;
  std::vector<Event> events;
};

/// The events of one kind in these lines.
template <typename Wanted>
std::unique_ptr<Only<Wanted>> only(std::string_view bytes) {
  auto collected = std::make_unique<Only<Wanted>>();
  Decoder decoder(make_claude_dialect(), {collected.get()}, "run");
  decoder.feed(bytes, 0);
  decoder.finish(0);
  return collected;
}

/// The number of lines that are not read.
inline std::int64_t skipped(std::string_view bytes) {
  Decoder decoder(make_claude_dialect(), {}, "run");
  decoder.feed(bytes, 0);
  decoder.finish(0);
  return decoder.skipped();
}

}  // namespace ralph::stream
