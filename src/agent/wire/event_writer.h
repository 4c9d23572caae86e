#pragma once
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agent/settings/options.h"
#include "agent/wire/io.h"

namespace ralph::wire {

/// Writes events to stdout in Claude Code's formats. Thread-safe; an event is one line.
class EventWriter {
 public:
  /// `on_closed` is called once, when the reader is gone.
  EventWriter(const Io& io, settings::Format format, bool verbose, std::function<void()> on_closed);

  /// A JSON object on one line, without its newline.
  void event(std::string_view json);
  /// The event that ends a turn, and what the text format shows of it. `plain` is the event as the json format has it.
  void result(std::string_view json, std::string_view plain, std::string_view text);
  /// Prints what the json format prints at the end.
  void finish();

 private:
  void write(std::string_view lines);

  const Io& io_;
  settings::Format format_;
  bool verbose_;
  std::function<void()> on_closed_;
  std::mutex mutex_;
  bool closed_ = false;
  bool printed_text_ = false;
  std::string last_result_;
  std::string all_;  // of json with verbose: the events so far, joined by commas
};

}  // namespace ralph::wire
