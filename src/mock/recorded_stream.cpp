#include <algorithm>
#include <array>
#include <utility>

#include "core/json/field.h"
#include "mock/recorded_stream_impl.h"
#include "mock/scenario_parts_impl.h"

namespace ralph::mock {
namespace {

using json::Document;

std::string text_or(const Document& object, const char* key, std::string_view otherwise = {}) {
  const auto* const text = json::find_text(object, key);
  return text == nullptr ? std::string(otherwise) : *text;
}

bool has_only(const Document& object, std::initializer_list<std::string_view> keys) {
  return std::ranges::all_of(object.items(), [&](const auto& item) {
    return std::ranges::find(keys, item.key()) != keys.end();
  });
}

std::vector<std::string> written(const std::vector<Document>& documents) {
  std::vector<std::string> texts;
  for (const auto& document : documents) texts.push_back(json::write(document));
  return texts;
}

/// Kinds of deltas, by the member with their text.
struct DeltaKind {
  std::string_view type;
  const char* key;
};
constexpr auto kDeltaKinds = std::to_array<DeltaKind>({
    {"text_delta", "text"},
    {"thinking_delta", "thinking"},
    {"input_json_delta", "partial_json"},
    {"signature_delta", "signature"},
    {"compaction_delta", "content"},
    {"citations_delta", "citation"},
});
constexpr std::string_view kPieces = "text_delta thinking_delta input_json_delta";

/// Adds the deltas to the block; false: a delta has an unknown form.
bool complete(Document& block, const std::vector<Document>& deltas) {
  std::string input;
  for (const auto& delta : deltas) {
    const auto type = text_or(delta, "type");
    const auto* const kind = std::ranges::find(kDeltaKinds, type, &DeltaKind::type);
    if (kind == kDeltaKinds.end() || !has_only(delta, {"type", kind->key})) return false;
    const auto* const text = json::find_text(delta, kind->key);
    if (type == "citations_delta") {
      block["citations"].push_back(delta.value("citation", Document()));
    } else if (text == nullptr) {
      return false;
    } else if (type == "input_json_delta") {
      input += *text;
    } else {
      block[kind->key] = text_or(block, kind->key) + *text;
    }
  }
  if (!input.empty()) block["input"] = input;  // a string that contains JSON
  return true;
}

bool are_objects(const Document& list) {
  return list.is_array() &&
         std::ranges::all_of(list, [](const Document& one) { return one.is_object(); });
}

std::optional<Block> read_text(const Document& block) {
  const auto* const text = json::find_text(block, "text");
  auto citations = block.value("citations", Document());
  if (citations.is_null()) citations = Document::array();
  if (text == nullptr || !has_only(block, {"type", "text", "citations"}) ||
      !are_objects(citations)) {
    return std::nullopt;
  }
  return TextBlock{*text, written({citations.begin(), citations.end()})};
}

std::optional<Block> read_thinking(const Document& block) {
  const auto* const thinking = json::find_text(block, "thinking");
  if (thinking == nullptr || !has_only(block, {"type", "thinking", "signature"})) {
    return std::nullopt;
  }
  return ThinkingBlock{*thinking, text_or(block, "signature")};
}

std::optional<Block> read_call(const Document& block) {
  const auto name = text_or(block, "name");
  const auto id = text_or(block, "id");
  const auto input = block.value("input", Document::object());
  if (name.empty() || id.empty() || !has_only(block, {"type", "id", "name", "input"})) {
    return std::nullopt;
  }
  const auto* const raw = input.get_ptr<const std::string*>();
  const auto document = raw == nullptr ? Result<Document>(input) : json::parse(*raw);
  const bool usual = document && document->is_object();
  if (!usual && raw == nullptr) return std::nullopt;
  return ToolUseBlock{name, usual ? json::write(*document) : *raw, id, text_or(block, "type")};
}

std::optional<Block> read_compaction(const Document& block) {
  const auto* const content = json::find_text(block, "content");
  if (content == nullptr || !has_only(block, {"type", "content"})) return std::nullopt;
  return CompactionBlock{*content};
}

struct Kind {
  std::string_view type;
  std::optional<Block> (*read)(const Document&);
};
constexpr auto kKinds = std::to_array<Kind>({
    {"text", read_text},
    {"thinking", read_thinking},
    {"tool_use", read_call},
    {"server_tool_use", read_call},
    {"compaction", read_compaction},
});

std::optional<Block> known_block(const Document& block) {
  const auto type = text_or(block, "type");
  const auto* const kind = std::ranges::find(kKinds, type, &Kind::type);
  return kind == kKinds.end() ? std::nullopt : kind->read(block);
}

}  // namespace

Block block_of(const Document& block) {
  return known_block(block).value_or(VerbatimBlock{json::write(block), {}});
}

void read_usage_fields(const Document& usage, UsageWish& wish) {
  if (!usage.is_object()) return;
  auto others = json::parse(wish.others).value_or(Document::object());
  for (const auto& [key, value] : usage.items()) {
    const bool count = usage_complaint({key, UsageKind::tokens}, value).empty();
    if (count && key == "input_tokens") {
      wish.input_tokens = value.template get<std::int64_t>();
    } else if (count && key == "output_tokens") {
      wish.output_tokens = value.template get<std::int64_t>();
    } else if (!value.is_null()) {
      others[key] = value;
    }
  }
  wish.others = json::write(others);
}

void read_message_fields(const Document& message, Reply& reply) {
  if (!message.is_object()) return;
  reply.id = text_or(message, "id", reply.id);
  reply.model = text_or(message, "model", reply.model);
  reply.stop_reason = text_or(message, "stop_reason", reply.stop_reason);
  reply.stop_sequence = text_or(message, "stop_sequence", reply.stop_sequence);
  const auto details = message.find("stop_details");
  if (details != message.end() && details->is_object()) reply.stop_details = json::write(*details);
  read_usage_fields(message.value("usage", Document()), reply.usage);
}

void StreamReader::add(const http::SseEvent& event) {
  const auto data = json::parse(event.data);
  if (!data || !data->is_object()) {
    readable_ = false;
    return;
  }
  const auto type = text_or(*data, "type", event.type);
  if (type == "message_start") {
    started_ = true;
    read_message_fields(data->value("message", Document()), reply_);
  } else if (type == "content_block_start") {
    start_block(*data);
  } else if (type == "content_block_delta") {
    add_delta(data->value("delta", Document()));
  } else if (type == "content_block_stop") {
    stop_block();
  } else if (type == "message_delta") {
    has_delta_ = true;
    read_message_fields(data->value("delta", Document()), reply_);
    read_usage_fields(data->value("usage", Document()), reply_.usage);
  } else if (type == "message_stop") {
    whole_ = true;
  } else if (type == "error") {
    const auto error = data->value("error", Document());
    error_ = {text_or(error, "type", "api_error"), text_or(error, "message", "?")};
  }
}

void StreamReader::start_block(const Document& data) {
  if (block_) stop_block();
  block_ = data.value("content_block", Document());
  deltas_.clear();
  pieces_ = 0;
  if (!block_->is_object()) readable_ = false;
}

void StreamReader::add_delta(const Document& delta) {
  if (!block_ || !delta.is_object()) {
    readable_ = false;
    return;
  }
  const auto type = text_or(delta, "type");
  const auto* const kind = std::ranges::find(kDeltaKinds, type, &DeltaKind::type);
  if (kind != kDeltaKinds.end() && kPieces.find(type) != kPieces.npos) {
    const auto size = text_or(delta, kind->key).size();
    pieces_ += size > 0 ? 1 : 0;
    several_pieces_ = several_pieces_ || pieces_ > 1;
    largest_piece_ = std::max(largest_piece_, size);
  }
  deltas_.push_back(delta);
}

void StreamReader::stop_block() {
  if (!block_ || !readable_) return;
  auto finished = *block_;
  auto known = complete(finished, deltas_) ? known_block(finished) : std::nullopt;
  reply_.content.push_back(known ? *std::move(known)
                                 : VerbatimBlock{json::write(*block_), written(deltas_)});
  block_.reset();
}

Trouble StreamReader::here(Incident incident) const {
  if (block_) return {Place::in_block, 0, std::move(incident)};
  if (has_delta_) return {Place::before_message_stop, 0, std::move(incident)};
  if (!reply_.content.empty()) return {Place::after_blocks, 0, std::move(incident)};
  return {Place::after_events, 1, std::move(incident)};  // after message_start
}

std::optional<Step> StreamReader::finish(Ended ended) {
  if (!readable_ || !started_) return std::nullopt;
  Step step;
  if (error_ && !error_->type.empty() && !error_->message.empty()) {
    step.troubles.push_back(here(*error_));
  } else if (!whole_) {
    step.troubles.push_back(here(ended == Ended::cut ? Cut::close : Cut::end));
  }
  stop_block();
  const bool usual = largest_piece_ <= reply_.chunk_size && !several_pieces_;
  if (!usual && largest_piece_ > 0) reply_.chunk_size = largest_piece_;
  step.action = std::move(reply_);
  return step;
}

}  // namespace ralph::mock
