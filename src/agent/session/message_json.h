#pragma once
#include <string>
#include <string_view>

#include "agent/api/reply.h"
#include "agent/session/compact_facts.h"
#include "agent/session/event.h"
#include "core/json/document.h"

/// Messages as JSON, for transcripts and clients.
namespace ralph::session {

/// The message object of a reply that the agent wrote itself.
std::string api_error_message(const ApiErrorFacts& facts);
/// The message object of one block as the API sent it, with the given stop reason and usage (JSON).
std::string message_json(const api::Reply& reply, std::string_view block,
                         const api::ReplyStop& stop_reason, std::string_view usage);
std::string usage_json(const api::Usage& usage);
/// A block of thinking, redacted or not.
bool is_thinking(const json::Document& block);
/// In the form of a `message_delta`.
std::string usage_so_far_json(const api::Usage& usage);
/// The members of the transcript line that marks a compaction.
std::string boundary_members(const CompactFacts& facts);

}  // namespace ralph::session
