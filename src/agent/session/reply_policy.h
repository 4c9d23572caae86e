#pragma once
#include <string_view>

#include "agent/api/reply.h"

namespace ralph::session {

/// What a turn does after a reply.
enum class NextStep {
  run_tools,
  finish,
  resume_broken,     // the stream broke off: continue from there
  continue_reply,    // the length limit was reached: continue from there
  note_refusal,      // a safety check stopped it: ask once more and say so
  ask_for_call,      // a tool call was announced and not made
  ask_for_text,      // it has no visible text
  demand_structure,  // the StructuredOutput tool was not called
  fail_broken,
  fail_length,
  fail_refused,
};

/// Chooses the next step of a turn; every remedy is tried a bounded number of times.
class ReplyPolicy {
 public:
  /// `structure_missing`: the StructuredOutput tool must be called and was not yet.
  NextStep next(const api::Reply& reply, bool structure_missing);

 private:
  NextStep finish_or_demand(const api::Reply& reply, bool structure_missing);

  int breaks_ = 0;
  int continuations_ = 0;
  bool noted_refusal_ = false;
  bool noted_empty_ = false;
  bool noted_missing_call_ = false;
  bool demanded_structure_ = false;
};

/// The text of the last text block; empty: there is none.
std::string_view last_text(const api::Reply& reply);
/// A text block without text. The API rejects a conversation that contains one.
bool is_empty_text(const api::Block& block);

}  // namespace ralph::session
