#include "harness/stream/decoder.h"

#include <fmt/core.h>

#include "core/base/log.h"
#include "core/base/utf8.h"

namespace ralph::stream {

Decoder::Decoder(std::unique_ptr<Dialect> dialect, std::vector<Handler*> handlers,
                 std::string run_id, std::size_t max_line)
    : dialect_(std::move(dialect)),
      handlers_(std::move(handlers)),
      splitter_(max_line),
      run_id_(std::move(run_id)) {}

void Decoder::feed(std::string_view bytes, std::int64_t t_ms) {
  now_ms_ = t_ms;
  const auto overlong_before = splitter_.overlong();
  splitter_.feed(bytes);
  while (const auto line = splitter_.next()) take_line(*line);
  if (log::enabled() && splitter_.overlong() != overlong_before) {
    log::debug("stream",
               fmt::format("overlong line skipped near line {}", splitter_.line_number()));
  }
}

void Decoder::finish(std::int64_t t_ms, std::optional<int> exit_code) {
  now_ms_ = t_ms;
  if (const auto line = splitter_.rest()) take_line(*line);
  line_ = -1;
  dialect_->finish(exit_code, *this);
}

void Decoder::publish(const Payload& payload, std::int64_t t_ms) {
  now_ms_ = t_ms;
  line_ = -1;
  emit({}, payload);
}

void Decoder::take_line(std::string_view line) {
  line_ = splitter_.line_number();
  if (dialect_->decode(line, *this) != LineStatus::malformed) return;
  ++malformed_;
  if (log::enabled()) {
    log::debug("stream",
               fmt::format("malformed line {} skipped: {}", line_, utf8::prefix(line, 4096)));
  }
}

void Decoder::emit(std::string_view parent, const Payload& payload) {
  const Event event{++seq_, now_ms_, dialect_->agent(), run_id_, line_, parent, payload};
  for (auto* handler : handlers_) dispatch(event, *handler);
}

}  // namespace ralph::stream
