#include "agent/session/session_hooks.h"

#include <nlohmann/json.hpp>

#include "core/json/document.h"

namespace ralph::session {
namespace {

hook::Answer run_hooks(const SessionState& state, hook::Event event, std::string_view subject,
                       const json::Document& details, const std::stop_token& stop) {
  auto& hooks = state.links.hooks;
  if (!hooks.has(event)) return {};
  return hooks.run({.event = event, .subject = subject, .details = details}, stop);
}

}  // namespace

hook::Answer session_started(const SessionState& state, std::string_view source,
                             const std::stop_token& stop) {
  return run_hooks(state, hook::Event::session_start, source, {{"source", source}}, stop);
}

void session_ended(const SessionState& state, std::string_view reason,
                   const std::stop_token& stop) {
  run_hooks(state, hook::Event::session_end, reason, {{"reason", reason}}, stop);
}

hook::Answer before_compaction(const SessionState& state, CompactTrigger trigger,
                               std::string_view instructions, const std::stop_token& stop) {
  const auto word = trigger == CompactTrigger::manual ? "manual" : "auto";
  return run_hooks(state, hook::Event::pre_compact, word,
                   {{"trigger", word}, {"custom_instructions", instructions}}, stop);
}

}  // namespace ralph::session
