#include "agent/wire/event_writer.h"

#include <utility>

namespace ralph::wire {

using settings::Format;

EventWriter::EventWriter(const Io& io, Format format, bool verbose, std::function<void()> on_closed)
    : io_(io), format_(format), verbose_(verbose), on_closed_(std::move(on_closed)) {}

void EventWriter::event(std::string_view json) {
  if (format_ == Format::stream_json) {
    std::string line;
    line.reserve(json.size() + 1);
    return write(line.append(json).append("\n"));
  }
  if (format_ != Format::json || !verbose_) return;
  const std::lock_guard lock(mutex_);
  if (!all_.empty()) all_ += ',';
  all_ += json;
}

void EventWriter::result(std::string_view json, std::string_view plain, std::string_view text) {
  event(format_ == Format::json ? plain : json);
  std::string shown;
  {
    const std::lock_guard lock(mutex_);
    if (format_ == Format::json) last_result_ = plain;
    if (format_ != Format::text) return;
    if (std::exchange(printed_text_, true)) shown = "\n";
  }
  write(shown.append(text).append("\n"));
}

void EventWriter::finish() {
  std::string rest;
  {
    const std::lock_guard lock(mutex_);
    if (format_ != Format::json) return;
    if (verbose_ && !all_.empty()) rest = "[" + all_ + "]\n";
    if (!verbose_ && !last_result_.empty()) rest = last_result_ + "\n";
  }
  if (!rest.empty()) write(rest);
}

/// The handler runs without the lock: it may write events itself.
void EventWriter::write(std::string_view lines) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || io_.out(lines)) return;
    closed_ = true;
  }
  on_closed_();
}

}  // namespace ralph::wire
