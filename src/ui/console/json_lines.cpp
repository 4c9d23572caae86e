#include "ui/console/json_lines.h"

#include "core/json/mask.h"
#include "harness/stream/event_json.h"

namespace ralph::console {

void JsonLines::on_any(const stream::Event& event) {
  if (is_delta(event.what)) return;
  output_.out(json::mask(stream::encode(event), masker_) + "\n");
}

}  // namespace ralph::console
