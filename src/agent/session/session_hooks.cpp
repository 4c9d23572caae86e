#include "agent/session/session_hooks.h"

#include <nlohmann/json.hpp>

#include "core/base/words.h"
#include "core/json/document.h"

namespace ralph::session {
namespace {

constexpr Words<StartSource, 4> kSources{{"startup", "resume", "clear", "compact"}};
constexpr Words<EndReason, 2> kReasons{{"clear", "other"}};

hook::Answer run_hooks(const SessionState& state, hook::Event event, std::string_view subject,
                       const json::Document& details, const std::stop_token& stop) {
  auto& hooks = state.links.hooks;
  if (!hooks.has(event)) return {};
  return hooks.run({.event = event, .subject = subject, .details = details}, stop);
}

}  // namespace

hook::Answer session_started(const SessionState& state, StartSource source,
                             const std::stop_token& stop) {
  const auto word = kSources.of(source);
  return run_hooks(state, hook::Event::session_start, word, {{"source", word}}, stop);
}

void session_ended(const SessionState& state, EndReason reason, const std::stop_token& stop) {
  const auto word = kReasons.of(reason);
  run_hooks(state, hook::Event::session_end, word, {{"reason", word}}, stop);
}

hook::Answer before_compaction(const SessionState& state, CompactTrigger trigger,
                               std::string_view instructions, const std::stop_token& stop) {
  const auto word = trigger == CompactTrigger::manual ? "manual" : "auto";
  return run_hooks(state, hook::Event::pre_compact, word,
                   {{"trigger", word}, {"custom_instructions", instructions}}, stop);
}

}  // namespace ralph::session
