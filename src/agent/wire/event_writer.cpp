#include "agent/wire/event_writer.h"

#include <utility>

namespace ralph::wire {

EventWriter::EventWriter(const Io& io, settings::Format format, bool verbose,
                         std::function<void()> on_closed)
    : io_(io), format_(format), verbose_(verbose), on_closed_(std::move(on_closed)) {}

void EventWriter::event(std::string_view json) {
  if (format_ == settings::Format::text || (format_ == settings::Format::json && !verbose_)) return;
  const std::lock_guard lock(mutex_);
  if (format_ == settings::Format::json) {
    if (!all_.empty()) all_ += ',';
    all_ += json;
    return;
  }
  std::string line;
  line.reserve(json.size() + 1);
  line.append(json).append("\n");
  write(line);
}

void EventWriter::result(std::string_view json, std::string_view plain, std::string_view text) {
  event(format_ == settings::Format::json ? plain : json);
  const std::lock_guard lock(mutex_);
  if (format_ == settings::Format::json) last_result_ = plain;
  if (format_ == settings::Format::text) {
    write(std::string(std::exchange(printed_text_, true) ? "\n" : "").append(text).append("\n"));
  }
}

void EventWriter::finish() {
  const std::lock_guard lock(mutex_);
  if (format_ != settings::Format::json) return;
  if (verbose_ && !all_.empty()) write("[" + all_ + "]\n");
  if (!verbose_ && !last_result_.empty()) write(last_result_ + "\n");
}

void EventWriter::write(std::string_view lines) {
  if (closed_ || io_.out(lines)) return;
  closed_ = true;
  on_closed_();
}

}  // namespace ralph::wire
