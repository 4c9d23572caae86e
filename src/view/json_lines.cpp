#include "view/json_lines.h"

#include "json/mask.h"
#include "stream/event_json.h"

namespace ralph::view {

void JsonLines::on_any(const stream::Event& event) {
  if (is_delta(event.what)) return;
  output_.out(json::mask(stream::encode(event), masker_) + "\n");
}

}  // namespace ralph::view
