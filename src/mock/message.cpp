#include "mock/message.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/base/utf8.h"
#include "core/json/writer.h"
#include "mock/document_impl.h"

namespace ralph::mock {
namespace {

using json::Document;

Document usage_document(const Usage& usage) {
  Document document{{"input_tokens", usage.input_tokens},
                    {"cache_creation_input_tokens", 0},
                    {"cache_read_input_tokens", 0},
                    {"output_tokens", usage.output_tokens}};
  document.update(parsed(usage.others));
  return document;
}

/// Usage as known before the first output token.
Document usage_at_start(const Usage& usage) {
  auto others = parsed(usage.others);
  for (const auto* key : {"output_tokens", "output_tokens_details", "server_tool_use"}) {
    others.erase(key);
  }
  return usage_document(
      {usage.input_tokens, std::min<std::int64_t>(usage.output_tokens, 1), json::write(others)});
}

Document text_or_null(const std::string& text) {
  return text.empty() ? Document(nullptr) : Document(text);
}

/// Input that is not JSON becomes a string.
Document tool_input(const std::string& input) {
  if (input.empty()) return Document::object();
  return json::parse(input).value_or(Document(input));
}

Document block_json(const Block& block) {
  return std::visit(
      Overloaded{
          [](const TextBlock& b) -> Document {
            Document document{{"type", "text"}, {"text", b.text}};
            if (!b.citations.empty()) document["citations"] = parsed_list(b.citations);
            return document;
          },
          [](const ThinkingBlock& b) -> Document {
            return {{"type", "thinking"}, {"thinking", b.thinking}, {"signature", b.signature}};
          },
          [](const ToolUseBlock& b) -> Document {
            return {
                {"type", b.type}, {"id", b.id}, {"name", b.name}, {"input", tool_input(b.input)}};
          },
          [](const CompactionBlock& b) -> Document {
            return {{"type", "compaction"}, {"content", b.content}};
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
    finish();
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
    head["usage"] = usage_at_start(message_.usage);
    event("message_start", {{"message", std::move(head)}});
  }

  void finish() {
    Document delta{{"stop_reason", message_.stop_reason},
                   {"stop_sequence", text_or_null(message_.stop_sequence)}};
    if (!message_.stop_details.empty()) delta["stop_details"] = parsed(message_.stop_details);
    event("message_delta",
          {{"delta", std::move(delta)}, {"usage", usage_document(message_.usage)}});
    event("message_stop", Document::object());
  }

  void start_block(Document block) {
    event("content_block_start", {{"index", index_}, {"content_block", std::move(block)}});
    if (index_ == 0) event("ping", Document::object());
  }

  void delta(std::string_view json) {
    events_.push_back(
        {"content_block_delta",
         fmt::format(R"({{"type":"content_block_delta","index":{},"delta":{}}})", index_, json)});
  }
  void delta(std::string_view type, std::string_view key, std::string_view text) {
    std::string json;
    json::ObjectWriter(json).text("type", type).text(key, text).close();
    delta(json);
  }
  void deltas(std::string_view type, std::string_view key, std::string_view text) {
    while (!text.empty()) delta(type, key, take_piece(text, chunk_size_));
  }

  void add(const TextBlock& block) {
    Document empty{{"type", "text"}, {"text", ""}};
    if (!block.citations.empty()) empty["citations"] = Document::array();
    start_block(std::move(empty));
    deltas("text_delta", "text", block.text);
    for (const auto& citation : block.citations) {
      delta(fmt::format(R"({{"type":"citations_delta","citation":{}}})", citation));
    }
  }
  void add(const ThinkingBlock& block) {
    start_block({{"type", "thinking"}, {"thinking", ""}, {"signature", ""}});
    deltas("thinking_delta", "thinking", block.thinking);
    if (!block.signature.empty()) delta("signature_delta", "signature", block.signature);
  }
  void add(const ToolUseBlock& block) {
    start_block({{"type", block.type},
                 {"id", block.id},
                 {"name", block.name},
                 {"input", Document::object()}});
    delta("input_json_delta", "partial_json", "");
    deltas("input_json_delta", "partial_json", block.input);
  }
  void add(const CompactionBlock& block) {
    start_block({{"type", "compaction"}, {"content", nullptr}});
    delta("compaction_delta", "content", block.content);
  }
  void add(const VerbatimBlock& block) {
    start_block(parsed(block.json));
    for (const auto& one : block.deltas) delta(one);
  }

  const Message& message_;
  std::size_t chunk_size_;
  std::size_t index_ = 0;
  std::vector<Event> events_;
};

constexpr std::string_view line_end_bytes(LineEnd line_end) {
  switch (line_end) {
    case LineEnd::lf: return "\n";
    case LineEnd::crlf: return "\r\n";
    case LineEnd::cr: return "\r";
  }
  return "\n";
}

}  // namespace

std::string event_bytes(const Event& event, LineEnd line_end) {
  const auto end = line_end_bytes(line_end);
  return fmt::format("event: {}{}data: {}{}{}", event.name, end, event.data, end, end);
}

std::string usage_json(const Usage& usage) { return json::write(usage_document(usage)); }

std::string message_json(const Message& message) {
  auto document = head_json(message);
  for (const auto& block : message.content) document["content"].push_back(block_json(block));
  document["stop_reason"] = message.stop_reason;
  document["stop_sequence"] = text_or_null(message.stop_sequence);
  if (!message.stop_details.empty()) document["stop_details"] = parsed(message.stop_details);
  document["usage"] = usage_document(message.usage);
  return json::write(document);
}

std::vector<Event> message_events(const Message& message, std::size_t chunk_size) {
  return Streamer(message, chunk_size).run();
}

std::int64_t estimated_tokens(std::size_t bytes) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / 4));
}

std::size_t content_bytes(const std::vector<Block>& content) {
  const auto bytes_of_block = Overloaded{
      [](const TextBlock& block) { return block.text.size(); },
      [](const ThinkingBlock& block) { return block.thinking.size(); },
      [](const ToolUseBlock& block) { return block.name.size() + block.input.size(); },
      [](const CompactionBlock& block) { return block.content.size(); },
      [](const VerbatimBlock& block) { return block.json.size(); },
  };
  std::size_t sum = 0;
  for (const auto& block : content) sum += std::visit(bytes_of_block, block);
  return sum;
}

}  // namespace ralph::mock
