#include "mock/message.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "json/document.h"

namespace ralph::mock {
namespace {

using json::Document;

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

Document parsed(const std::string& text) { return json::parse(text).value_or(Document::object()); }

Document usage_json(const Usage& usage) {
  return {{"input_tokens", usage.input_tokens},
          {"cache_creation_input_tokens", usage.cache_creation_input_tokens},
          {"cache_read_input_tokens", usage.cache_read_input_tokens},
          {"output_tokens", usage.output_tokens}};
}

Document block_json(const Block& block) {
  return std::visit(
      Overloaded{
          [](const TextBlock& b) -> Document { return {{"type", "text"}, {"text", b.text}}; },
          [](const ThinkingBlock& b) -> Document {
            return {{"type", "thinking"}, {"thinking", b.thinking}, {"signature", b.signature}};
          },
          [](const ToolUseBlock& b) -> Document {
            return {
                {"type", "tool_use"}, {"id", b.id}, {"name", b.name}, {"input", parsed(b.input)}};
          },
          [](const VerbatimBlock& b) { return parsed(b.json); },
      },
      block);
}

Document head_json(const Message& message) {
  return {{"id", message.id},
          {"type", "message"},
          {"role", "assistant"},
          {"model", message.model},
          {"content", Document::array()},
          {"stop_reason", nullptr},
          {"stop_sequence", nullptr}};
}

/// The next delta's text: whole characters, at least one.
std::string_view take_piece(std::string_view& rest, std::size_t size) {
  auto piece = utf8::prefix(rest, size);
  for (auto more = size; piece.empty();) piece = utf8::prefix(rest, ++more);
  rest.remove_prefix(piece.size());
  return piece;
}

/// Collects the events of one message.
class Streamer {
 public:
  Streamer(const Message& message, std::size_t chunk_size)
      : message_(message), chunk_size_(chunk_size) {}

  std::vector<Event> run() {
    start();
    for (const auto& block : message_.content) {
      std::visit([this](const auto& one) { add(one); }, block);
      event("content_block_stop", {{"index", index_++}});
    }
    event("message_delta",
          {{"delta", {{"stop_reason", message_.stop_reason}, {"stop_sequence", nullptr}}},
           {"usage", usage_json(message_.usage)}});
    event("message_stop", Document::object());
    return std::move(events_);
  }

 private:
  void event(std::string_view name, const Document& fields) {
    Document data{{"type", name}};
    data.update(fields);
    events_.push_back({name, json::write(data)});
  }

  void start() {
    auto head = head_json(message_);
    auto usage = message_.usage;
    usage.output_tokens = std::min<std::int64_t>(usage.output_tokens, 1);
    head["usage"] = usage_json(usage);
    event("message_start", {{"message", std::move(head)}});
  }

  void start_block(Document block) {
    event("content_block_start", {{"index", index_}, {"content_block", std::move(block)}});
    if (index_ == 0) event("ping", Document::object());
  }

  void delta(std::string_view type, std::string_view key, std::string_view text) {
    event("content_block_delta",
          {{"index", index_}, {"delta", {{"type", type}, {std::string(key), text}}}});
  }
  void deltas(std::string_view type, std::string_view key, std::string_view text) {
    while (!text.empty()) delta(type, key, take_piece(text, chunk_size_));
  }

  void add(const TextBlock& block) {
    start_block({{"type", "text"}, {"text", ""}});
    deltas("text_delta", "text", block.text);
  }
  void add(const ThinkingBlock& block) {
    start_block({{"type", "thinking"}, {"thinking", ""}, {"signature", ""}});
    deltas("thinking_delta", "thinking", block.thinking);
    delta("signature_delta", "signature", block.signature);
  }
  void add(const ToolUseBlock& block) {
    start_block({{"type", "tool_use"},
                 {"id", block.id},
                 {"name", block.name},
                 {"input", Document::object()}});
    delta("input_json_delta", "partial_json", "");
    deltas("input_json_delta", "partial_json", block.input);
  }
  void add(const VerbatimBlock& block) { start_block(parsed(block.json)); }

  const Message& message_;
  std::size_t chunk_size_;
  std::size_t index_ = 0;
  std::vector<Event> events_;
};

}  // namespace

std::string event_bytes(const Event& event) {
  return fmt::format("event: {}\ndata: {}\n\n", event.name, event.data);
}

std::string message_json(const Message& message) {
  auto document = head_json(message);
  for (const auto& block : message.content) document["content"].push_back(block_json(block));
  document["stop_reason"] = message.stop_reason;
  document["usage"] = usage_json(message.usage);
  return json::write(document);
}

std::vector<Event> message_events(const Message& message, std::size_t chunk_size) {
  return Streamer(message, chunk_size).run();
}

std::int64_t estimated_tokens(std::size_t bytes) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / 4));
}

std::size_t content_bytes(const std::vector<Block>& content) {
  const auto bytes_of = Overloaded{
      [](const TextBlock& block) { return block.text.size(); },
      [](const ThinkingBlock& block) { return block.thinking.size(); },
      [](const ToolUseBlock& block) { return block.name.size() + block.input.size(); },
      [](const VerbatimBlock& block) { return block.json.size(); },
  };
  std::size_t sum = 0;
  for (const auto& block : content) sum += std::visit(bytes_of, block);
  return sum;
}

}  // namespace ralph::mock
