#include "agent/api/assembler.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

#include "agent/api/event_parser_impl.h"
#include "agent/api/open_block_impl.h"
#include "core/json/document.h"

namespace ralph::api {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kMostBlocks = 4'096;
constexpr std::size_t kMostOpenBlocks = 64;

Failure garbage(std::string message) {
  return {.kind = FailureKind::garbage, .message = std::move(message)};
}

std::string_view text_in(dom::object object, std::string_view key) {
  std::string_view text;
  return object.at_key(key).get_string().get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::optional<dom::object> object_in(dom::object object, std::string_view key) {
  dom::object found;
  if (object.at_key(key).get_object().get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

bool has(dom::object object, std::string_view key) {
  return object.at_key(key).error() == simdjson::SUCCESS;
}

void merge_usage(Usage& usage, dom::object usage_json) {
  if (const auto document = json::parse(simdjson::to_string(usage_json))) usage.merge(*document);
}

void take_ending(Reply& reply, dom::object from) {
  if (const auto reason = text_in(from, "stop_reason"); !reason.empty())
    reply.stop_reason = ReplyStop::parse(reason);
  if (const auto text = text_in(from, "stop_sequence"); !text.empty()) reply.stop_sequence = text;
  if (const auto details = object_in(from, "stop_details")) {
    reply.stop_details = simdjson::to_string(*details);
  }
}

/// The id, model and usage, as in message_start and in a message that was not streamed.
void take_head(Reply& reply, dom::object message) {
  reply.id = text_in(message, "id");
  reply.model = text_in(message, "model");
  if (const auto usage = object_in(message, "usage")) {
    reply.usage_at_start = simdjson::to_string(*usage);
    merge_usage(reply.usage, *usage);
  }
}

/// The type of block a delta belongs to when no event started one.
std::string_view block_type_for(std::string_view delta_type) {
  if (delta_type == "text_delta") return "text";
  return delta_type == "thinking_delta" || delta_type == "signature_delta" ? "thinking" : "";
}

/// A delta has a type and what it adds: text that is not empty, or something other than text.
bool brings_something(dom::object delta) {
  for (const auto [key, value] : delta) {
    std::string_view text;
    if (key == "type" || value.is_null()) continue;
    if (value.get_string().get(text) != simdjson::SUCCESS || !text.empty()) return true;
  }
  return false;
}

}  // namespace

struct Assembler::State {
  State(Listener& hears, std::string request_id) : listener(hears) {
    reply.request_id = std::move(request_id);
  }

  Listener& listener;
  EventParser parser;
  Reply reply;
  std::vector<std::size_t> indexes;  // of reply.content
  std::vector<OpenBlock> open;
  std::size_t next_index = 0;
  std::size_t bytes = 0;
  std::size_t progress = 0;
  bool started = false;
  bool reported = false;

  std::optional<Failure> take(const http::SseEvent& event);
  std::optional<Failure> apply(EventType type, dom::object event);

  std::optional<Failure> start_message(dom::object event);
  std::optional<Failure> start_block(dom::object event);
  std::optional<Failure> add_delta(dom::object event);
  std::optional<Failure> stop_block(dom::object event);
  std::optional<Failure> end_message(dom::object event);
  std::optional<Failure> stop_message(dom::object event);

  OpenBlock* open_block(dom::object event);
  std::optional<Failure> add_open(std::size_t index, std::string_view type);
  void close(std::size_t place);
  void close_all();
};

namespace {

struct EventRow {
  std::string_view text;
  EventType type;
};

constexpr auto kEventTypes = std::to_array<EventRow>({
    {"message_start", EventType::message_start},
    {"content_block_start", EventType::block_start},
    {"content_block_delta", EventType::block_delta},
    {"content_block_stop", EventType::block_stop},
    {"message_delta", EventType::message_delta},
    {"message_stop", EventType::message_stop},
});

/// nullopt: an event that does not extend the reply.
std::optional<EventType> event_type(std::string_view text) {
  const auto* row = std::ranges::find(kEventTypes, text, &EventRow::text);
  return row == kEventTypes.end() ? std::nullopt : std::optional(row->type);
}

std::optional<BlockType> started_block(EventType type, dom::object event) {
  if (type != EventType::block_start) return std::nullopt;
  const auto block = object_in(event, "content_block");
  return block ? block_type(text_in(*block, "type")) : BlockType::other;
}

std::optional<std::size_t> index_in(dom::object event) {
  std::uint64_t index = 0;
  if (event.at_key("index").get_uint64().get(index) != simdjson::SUCCESS) return std::nullopt;
  return static_cast<std::size_t>(index);
}

}  // namespace

std::optional<Failure> Assembler::State::take(const http::SseEvent& event) {
  if (reply.whole || event.type == "ping" || event.data == "[DONE]") return std::nullopt;
  bytes += event.data.size();
  if (bytes > kMostBytes) {
    return garbage(fmt::format("the response is larger than {} MB", kMostBytes >> 20));
  }
  const bool matters = event.type == "message" || event.type == "error" || event_type(event.type);
  const auto parsed = parser.parse(event.data);
  if (!parsed) {
    if (!matters) return std::nullopt;
    return garbage("an event of the stream is not JSON: " + parser.why());
  }
  auto type = text_in(*parsed, "type");
  if (type.empty()) type = event.type;
  const bool unnamed = type == "message" && has(*parsed, "error");
  if (type == "error" || unnamed) {
    return failure_of_event(parser.text(), reply.request_id);
  }
  const auto known = event_type(type);
  if (!known) return std::nullopt;
  if (auto failure = apply(*known, *parsed)) return failure;
  reported = true;
  listener.on_event(reply, {*known, started_block(*known, *parsed), parser.text()});
  return std::nullopt;
}

std::optional<Failure> Assembler::State::apply(EventType type, dom::object event) {
  switch (type) {
    case EventType::message_start: return start_message(event);
    case EventType::block_start: return start_block(event);
    case EventType::block_delta: return add_delta(event);
    case EventType::block_stop: return stop_block(event);
    case EventType::message_delta: return end_message(event);
    case EventType::message_stop: return stop_message(event);
  }
  return std::nullopt;
}

std::optional<Failure> Assembler::State::start_message(dom::object event) {
  if (!started) ++progress;
  started = true;
  if (const auto message = object_in(event, "message")) take_head(reply, *message);
  return std::nullopt;
}

std::optional<Failure> Assembler::State::start_block(dom::object event) {
  const auto block = object_in(event, "content_block");
  const auto index = index_in(event).value_or(next_index);
  const auto same = std::ranges::find(open, index, &OpenBlock::index);
  if (same != open.end()) close(static_cast<std::size_t>(same - open.begin()));
  const auto type = block ? text_in(*block, "type") : std::string_view();
  if (auto failure = add_open(index, type.empty() ? "text" : type)) return failure;
  if (block) open.back().start(*block);
  return std::nullopt;
}

std::optional<Failure> Assembler::State::add_open(std::size_t index, std::string_view type) {
  if (index >= kMostBlocks || reply.content.size() >= kMostBlocks) {
    return garbage(fmt::format("the response has more than {} blocks", kMostBlocks));
  }
  if (open.size() >= kMostOpenBlocks) {
    return garbage(
        fmt::format("more than {} blocks of the response are open at once", kMostOpenBlocks));
  }
  ++progress;
  open.emplace_back(index, type);
  next_index = index + 1;
  return std::nullopt;
}

/// The open block of an event: the one with its index, or the last one if it has no index.
OpenBlock* Assembler::State::open_block(dom::object event) {
  const auto index = index_in(event);
  if (!index) return open.empty() ? nullptr : &open.back();
  const auto found = std::ranges::find(open, *index, &OpenBlock::index);
  return found == open.end() ? nullptr : &*found;
}

std::optional<Failure> Assembler::State::add_delta(dom::object event) {
  const auto delta = object_in(event, "delta");
  if (!delta) return std::nullopt;
  const auto type = text_in(*delta, "type");
  auto* block = open_block(event);
  if (block == nullptr) {
    const auto implied = block_type_for(type);
    if (implied.empty()) return std::nullopt;
    if (auto failure = add_open(index_in(event).value_or(next_index), implied)) return failure;
    block = &open.back();
  }
  block->add(type, *delta);
  if (brings_something(*delta)) ++progress;
  if (const auto text = text_in(*delta, "thinking"); !text.empty()) listener.on_thinking(text);
  return std::nullopt;
}

std::optional<Failure> Assembler::State::stop_block(dom::object event) {
  const auto* block = open_block(event);
  if (block != nullptr) close(static_cast<std::size_t>(block - open.data()));
  return std::nullopt;
}

void Assembler::State::close(std::size_t place) {
  const auto index = open[place].index();
  auto block = open[place].block();
  open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
  const auto at = std::ranges::upper_bound(indexes, index) - indexes.begin();
  indexes.insert(indexes.begin() + at, index);
  const auto& whole = *reply.content.insert(reply.content.begin() + at, std::move(block));
  ++progress;
  reported = true;
  listener.on_block(reply, whole);
}

void Assembler::State::close_all() {
  std::ranges::sort(open, {}, &OpenBlock::index);
  while (!open.empty()) close(0);
}

std::optional<Failure> Assembler::State::end_message(dom::object event) {
  const bool ended = reply.stop_reason.reported();
  if (const auto delta = object_in(event, "delta")) take_ending(reply, *delta);
  if (const auto usage = object_in(event, "usage")) merge_usage(reply.usage, *usage);
  if (reply.stop_reason.reported()) close_all();
  if (!ended && reply.stop_reason.reported()) ++progress;
  return std::nullopt;
}

std::optional<Failure> Assembler::State::stop_message(dom::object) {
  close_all();
  reply.whole = true;
  return std::nullopt;
}

Assembler::Assembler(Listener& listener, std::string request_id)
    : state_(std::make_unique<State>(listener, std::move(request_id))) {}
Assembler::~Assembler() = default;

std::optional<Failure> Assembler::take(const http::SseEvent& event) { return state_->take(event); }

const Reply& Assembler::reply() const { return state_->reply; }

std::size_t Assembler::progress() const { return state_->progress; }

bool Assembler::reported() const { return state_->reported; }

Reply Assembler::release() {
  if (!state_->open.empty()) state_->reply.open = state_->open.back().block();
  return std::move(state_->reply);
}

std::optional<Failure> read_message(std::string_view body, Reply& reply, Listener& listener) {
  reply.streamed = false;
  EventParser parser;
  const auto message = parser.parse(body);
  if (!message) {
    return garbage("the endpoint is not a Messages API (check ANTHROPIC_BASE_URL): " +
                   parser.why());
  }
  dom::array content;
  if (message->at_key("content").get_array().get(content) != simdjson::SUCCESS) {
    if (!has(*message, "error")) return garbage("the response is not a message of the API");
    return failure_of_event(body, reply.request_id);
  }
  take_head(reply, *message);
  take_ending(reply, *message);
  for (const auto element : content) {
    dom::object object;
    if (element.get_object().get(object) != simdjson::SUCCESS) continue;
    if (reply.content.size() >= kMostBlocks) return garbage("the response has too many blocks");
    OpenBlock block(reply.content.size(), text_in(object, "type"));
    block.start(object);
    reply.content.push_back(block.block());
    const auto& whole = reply.content.back();
    if (whole.type == BlockType::thinking && !whole.text.empty()) listener.on_thinking(whole.text);
    listener.on_block(reply, whole);
  }
  reply.whole = true;
  return std::nullopt;
}

}  // namespace ralph::api
