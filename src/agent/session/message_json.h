#pragma once
#include <string>
#include <string_view>

#include "agent/api/reply.h"
#include "agent/session/compact_facts.h"
#include "agent/session/event.h"

/// Messages as JSON: transcripts and clients get the same.
namespace ralph::session {

/// The message object of an answer the agent made up.
std::string api_error_message(const ApiErrorFacts& facts);
/// The message object of one block as the API sent it, with the stop reason and usage it is given (JSON; "null").
std::string message_json(const api::Reply& reply, std::string_view block,
                         std::string_view stop_reason, std::string_view usage);
std::string usage_json(const api::Usage& usage);
/// As a `message_delta` has it.
std::string usage_so_far_json(const api::Usage& usage);
/// The members of a transcript's line where it was compacted.
std::string boundary_members(const CompactFacts& facts);

}  // namespace ralph::session
