#include "view/json_lines.h"

#include "json/mask.h"
#include "stream/event_json.h"

namespace ralph::view {

namespace {

bool is_delta(const stream::Payload& payload) {
  const auto* text = std::get_if<stream::Text>(&payload);
  const auto* thinking = std::get_if<stream::Thinking>(&payload);
  return (text != nullptr && text->delta) || (thinking != nullptr && thinking->delta);
}

}  // namespace

void JsonLines::on_any(const stream::Event& event) {
  if (is_delta(event.what)) return;
  output_.out(json::mask(stream::encode(event), masker_) + "\n");
}

}  // namespace ralph::view
