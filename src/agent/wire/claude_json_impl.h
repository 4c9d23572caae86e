#pragma once
// Private to this module's .cpp files.
#include <string>

#include "agent/session/event.h"
#include "core/json/writer.h"

/// One function per event: its JSON, as Claude Code writes it.
namespace ralph::wire {

std::string line(const session::Identity& from, const session::TurnStarted& event);
std::string line(const session::Identity& from, const session::RequestStarted& event);
std::string line(const session::Identity& from, const session::RequestRetried& event);
std::string line(const session::Identity& from, const session::ThinkingProgress& event);
std::string line(const session::Identity& from, const session::ReplyProgress& event);
std::string line(const session::Identity& from, const session::ReplyBlock& event);
std::string line(const session::Identity& from, const session::ErrorReply& event);
std::string line(const session::Identity& from, const session::UserInput& event);
std::string line(const session::Identity& from, const session::MessageProgress& event);
std::string line(const session::Identity& from, const session::ModelChanged& event);
std::string line(const session::Identity& from, const session::Notice& event);
std::string line(const session::Identity& from, const session::ReplyRefused& event);
std::string line(const session::Identity& from, const session::CallDenied& event);
std::string line(const session::Identity& from, const session::TasksChanged& event);
std::string line(const session::Identity& from, const session::TaskStarted& event);
std::string line(const session::Identity& from, const session::TaskProgress& event);
std::string line(const session::Identity& from, const session::TaskUpdated& event);
std::string line(const session::Identity& from, const session::TaskEnded& event);
std::string line(const session::Identity& from, const session::CommandStarted& event);
std::string line(const session::Identity& from, const session::CommandRunning& event);
std::string line(const session::Identity& from, const session::CommandEnded& event);
std::string line(const session::Identity& from, const session::CompactionStarted& event);
std::string line(const session::Identity& from, const session::CompactionEnded& event);
std::string line(const session::Identity& from, const session::ConversationCompacted& event);
std::string line(const session::Identity& from, const session::ConversationReset& event);
std::string line(const session::Identity& from, const session::ModeChanged& event);
std::string line(const session::Identity& from, const session::TitleChanged& event);
std::string line(const session::Identity& from, const session::TranscriptLost& event);
std::string line(const session::Identity& from, const session::HookStarted& event);
std::string line(const session::Identity& from, const session::HookEnded& event);
std::string line(const session::Identity& from, const session::PromptBlocked& event);
std::string line(const session::Identity& from, const session::LocalReply& event);

/// `modelUsage`.
std::string usage_by_model(const std::vector<session::ModelTotal>& totals);
/// The parent's call as JSON: null without one.
std::string parent_json(const session::Identity& from);
/// Names the subagent an event is from, if it is from one.
void add_agent(json::ObjectWriter& writer, const session::Identity& from);
/// Names the messages an event answers, if they have ids.
void add_answers(json::ObjectWriter& writer, const session::MessageIds& answers);

}  // namespace ralph::wire
