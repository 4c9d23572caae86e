#pragma once
#include <string>

#include "agent/session/event.h"
#include "agent/settings/options.h"
#include "agent/wire/event_writer.h"

namespace ralph::wire {

/// One event as a line of Claude Code's stream-json, without its newline.
std::string claude_json(const session::Identity& from, const session::Event& event);
/// The result of a turn. `with_recent`: with the recent usage, which stream-json has and the json format has not.
std::string result_json(const session::Identity& from, const session::TurnResult& result,
                        bool with_recent);

/// Writes the events of sessions to the client.
class ClaudeEvents final : public session::EventSink {
 public:
  ClaudeEvents(EventWriter& writer, const settings::Options& options)
      : writer_(writer), options_(options) {}
  void emit(const session::Identity& from, const session::Event& event) override;

 private:
  EventWriter& writer_;
  const settings::Options& options_;
};

}  // namespace ralph::wire
