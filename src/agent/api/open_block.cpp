#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "agent/api/open_block_impl.h"
#include "core/base/text.h"
#include "core/json/document.h"
#include "core/json/writer.h"

namespace ralph::api {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMostMembers = 64;

struct TypeRow {
  std::string_view text;
  BlockType type;
};

constexpr auto kBlockTypes = std::to_array<TypeRow>({
    {"text", BlockType::text},
    {"thinking", BlockType::thinking},
    {"tool_use", BlockType::tool_use},
});

/// Members that a block must have when it is sent back, even if the stream lacked them.
struct Needed {
  std::string_view type;
  std::string_view text_member;
};

constexpr auto kNeeded = std::to_array<Needed>({
    {"text", "text"},
    {"thinking", "thinking"},
    {"thinking", "signature"},
});

std::string_view string_of(dom::element value) {
  std::string_view text;
  return value.get_string().get(text) == simdjson::SUCCESS ? text : std::string_view();
}

/// What replaces an input that is not a JSON object.
std::string unparsed(std::string_view raw) {
  std::string inner;
  json::ObjectWriter(inner)
      .text("raw", raw)
      .number("len", static_cast<std::int64_t>(raw.size()))
      .close();
  std::string out;
  json::ObjectWriter writer(out);
  writer.raw("__unparsedToolInput", inner).close();
  return out;
}

}  // namespace

BlockType block_type(std::string_view type) {
  const auto* row = std::ranges::find(kBlockTypes, type, &TypeRow::text);
  return row == kBlockTypes.end() ? BlockType::other : row->type;
}

bool has_input(std::string_view type) { return type.ends_with("tool_use"); }

const OpenBlock::Member* OpenBlock::find(std::string_view key) const {
  const auto found = std::ranges::find(members_, key, &Member::key);
  return found == members_.end() ? nullptr : &*found;
}

OpenBlock::Member* OpenBlock::find_or_add(std::string_view key) {
  const auto found = std::ranges::find(members_, key, &Member::key);
  if (found != members_.end()) return &*found;
  if (members_.size() >= kMostMembers) return nullptr;
  return &members_.emplace_back(Member{std::string(key)});
}

void OpenBlock::add_text(std::string_view key, std::string_view text) {
  auto* member = find_or_add(key);
  if (member == nullptr) return;
  if (!member->is_text) member->value.clear();  // null until the first delta
  member->is_text = true;
  member->value += text;
}

void OpenBlock::set(std::string_view key, dom::element value) {
  auto* member = find_or_add(key);
  if (member == nullptr) return;
  member->is_text = value.is_string();
  member->value = member->is_text ? std::string(string_of(value)) : simdjson::to_string(value);
}

void OpenBlock::start(dom::object content_block) {
  for (const auto [key, value] : content_block) {
    if (key != "type") set(key, value);
  }
}

void OpenBlock::add_citation(dom::element citation) {
  if (!citations_.empty()) citations_ += ',';
  citations_ += simdjson::to_string(citation);
}

void OpenBlock::add(std::string_view delta_type, dom::object delta) {
  for (const auto [key, value] : delta) {
    if (key == "type") continue;
    if (delta_type == "input_json_delta" && key == "partial_json") {
      partial_input_ += string_of(value);
    } else if (delta_type == "citations_delta" && key == "citation") {
      add_citation(value);
    } else if (value.is_string()) {
      add_text(key, string_of(value));
    } else if (!value.is_null()) {
      set(key, value);
    }
  }
}

std::string OpenBlock::text_of(std::string_view key) const {
  const auto* member = find(key);
  return member != nullptr && member->is_text ? member->value : "";
}

/// Without a delta the input is that of the block's start.
void OpenBlock::read_input(Block& block) const {
  const auto* given = find("input");
  const bool streamed = !is_blank(partial_input_);
  const std::string_view text = streamed           ? partial_input_
                                : given != nullptr ? std::string_view(given->value)
                                                   : std::string_view();
  block.input = "{}";
  if (is_blank(text) || (!streamed && text == "null")) return;
  const auto parsed = json::parse(text);
  if (parsed && parsed->is_object()) {
    block.input = json::write(*parsed);
  } else {
    block.raw_input = text;
    block.input = unparsed(text);
  }
}

Block OpenBlock::block() const {
  Block block{.type = block_type(type_)};
  block.text = text_of(block.type == BlockType::thinking ? "thinking" : "text");
  block.id = text_of("id");
  block.name = text_of("name");
  if (has_input(type_)) read_input(block);
  block.json = write(block);
  return block;
}

std::string OpenBlock::write(const Block& block) const {
  std::string out;
  json::ObjectWriter writer(out);
  writer.text("type", type_);
  for (const auto& member : members_) {
    const bool written_below = (member.key == "input" && has_input(type_)) ||
                               (member.key == "citations" && !citations_.empty());
    if (written_below) continue;
    if (member.is_text) writer.text(member.key, member.value);
    if (!member.is_text) writer.raw(member.key, member.value);
  }
  for (const auto& needed : kNeeded) {
    if (needed.type == type_ && find(needed.text_member) == nullptr) {
      writer.text(needed.text_member, "");
    }
  }
  if (has_input(type_)) writer.raw("input", block.input);
  if (!citations_.empty()) writer.raw("citations", "[" + citations_ + "]");
  writer.close();
  return out;
}

}  // namespace ralph::api
