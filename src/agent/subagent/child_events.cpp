#include "agent/subagent/child_events.h"

#include <chrono>
#include <variant>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/json/document.h"
#include "core/json/field.h"

namespace ralph::subagent {
namespace {

constexpr std::size_t kLongestProgress = 80;  // code points

/// Whether a client is shown an event as it is.
template <typename Each>
constexpr bool kShown = false;
template <>
constexpr bool kShown<session::RequestRetried> = true;
template <>
constexpr bool kShown<session::ModelChanged> = true;
template <>
constexpr bool kShown<session::Notice> = true;
template <>
constexpr bool kShown<session::CallDenied> = true;
template <>
constexpr bool kShown<session::CommandStarted> = true;
template <>
constexpr bool kShown<session::CommandRunning> = true;
template <>
constexpr bool kShown<session::CommandEnded> = true;
template <>
constexpr bool kShown<session::TranscriptLost> = true;

/// "Running make -j2", "Read src/main.cpp".
std::string doing(const std::string& tool, const json::Document& input) {
  if (tool == "Bash") {
    return utf8::shortened("Running " + json::text(input, "command"), kLongestProgress);
  }
  for (const auto* const key : {"file_path", "notebook_path", "pattern", "url", "query", "skill"}) {
    if (const auto text = json::text(input, key); !text.empty()) {
      return utf8::shortened(fmt::format("{} {}", tool, text), kLongestProgress);
    }
  }
  return tool;
}

}  // namespace

ChildEvents::ChildEvents(session::EventSink& sink, const session::Identity& parent,
                         const tool::BackgroundTask& task, CountingModel& model, bool texts)
    : sink_(sink),
      parent_(parent),
      task_(task),
      model_(model),
      texts_(texts),
      began_(std::chrono::steady_clock::now()) {}

void ChildEvents::emit(const session::Identity& from, const session::Event& event) {
  if (const auto* block = std::get_if<session::ReplyBlock>(&event)) {
    return show_block(from, *block);
  }
  if (const auto* input = std::get_if<session::UserInput>(&event)) {
    auto extras = input->extras;
    extras.tool_use_result.clear();
    return sink_.emit(from, session::UserInput{input->content, extras});
  }
  const bool shown =
      std::visit([](const auto& each) { return kShown<std::decay_t<decltype(each)>>; }, event);
  if (shown) sink_.emit(from, event);
}

void ChildEvents::show_block(const session::Identity& from, const session::ReplyBlock& event) {
  const auto block = json::parse(event.block).value_or(json::Document::object());
  const bool call = json::text(block, "type") == "tool_use";
  if (call || texts_) sink_.emit(from, event);
  if (!call) return;
  const auto name = json::text(block, "name");
  model_.add_call(name);
  const auto answered = model_.answered();
  const tool::TaskUsage usage{tokens_of(event.reply.usage), answered.tool_uses, elapsed()};
  const auto now = doing(name, json::member(block, "input"));
  sink_.emit(parent_, session::TaskProgress{task_, now, name, usage});
}

}  // namespace ralph::subagent
