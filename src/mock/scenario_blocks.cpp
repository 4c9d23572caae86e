#include <array>

#include <fmt/core.h>

#include "mock/scenario_parts_impl.h"

namespace ralph::mock {
namespace {

Result<> read_list(const Node& node, std::vector<std::string>& into) {
  if (!node.value.is_array()) return node.wrong_type("an array of objects");
  for (std::size_t n = 0; n < node.value.size(); ++n) {
    TRY(node.element(n).must_be_object());
    into.push_back(json::write(node.value[n]));
  }
  return {};
}

constexpr Field<TextBlock> kText[] = {
    {"text", [](const Node& value, TextBlock& block) { return set(block.text, value); }},
    {"citations",
     [](const Node& value, TextBlock& block) -> Result<> {
       if (value.value.is_null()) return {};
       return read_list(value, block.citations);
     }},
    {"type", [](const Node&, TextBlock&) -> Result<> { return {}; }},
};
constexpr Field<ThinkingBlock> kThinking[] = {
    {"thinking",
     [](const Node& value, ThinkingBlock& block) { return set(block.thinking, value); }},
    {"signature",
     [](const Node& value, ThinkingBlock& block) { return set(block.signature, value); }},
    {"type", [](const Node&, ThinkingBlock&) -> Result<> { return {}; }},
};
constexpr Field<ToolUseBlock> kToolUse[] = {
    {"name", [](const Node& value, ToolUseBlock& block) { return set(block.name, value); }},
    {"input",
     [](const Node& value, ToolUseBlock& block) -> Result<> {
       TRY(value.must_be_object());
       block.input = json::write(value.value);
       return {};
     }},
    {"raw_input", [](const Node& value, ToolUseBlock& block) { return set(block.input, value); }},
    {"id", [](const Node& value, ToolUseBlock& block) { return set(block.id, value); }},
    {"type", [](const Node& value, ToolUseBlock& block) { return set(block.type, value); }},
};
constexpr Field<CompactionBlock> kCompaction[] = {
    {"content",
     [](const Node& value, CompactionBlock& block) { return set(block.content, value); }},
    {"type", [](const Node&, CompactionBlock&) -> Result<> { return {}; }},
};
constexpr Field<VerbatimBlock> kVerbatim[] = {
    {"verbatim",
     [](const Node& value, VerbatimBlock& block) -> Result<> {
       TRY(value.must_be_object());
       block.json = json::write(value.value);
       return {};
     }},
    {"deltas",
     [](const Node& value, VerbatimBlock& block) { return read_list(value, block.deltas); }},
};

template <typename T, const auto& fields>
Result<Block> read_as(const Node& node) {
  T block;
  TRY(read_fields<T>(node, fields, block));
  return block;
}

Result<Block> read_verbatim(const Node& node) { return VerbatimBlock{json::write(node.value), {}}; }

struct Type {
  std::string_view name;
  Result<Block> (*read)(const Node&);
};

constexpr auto kTypes = std::to_array<Type>({
    {"text", read_as<TextBlock, kText>},
    {"thinking", read_as<ThinkingBlock, kThinking>},
    {"redacted_thinking", read_verbatim},
    {"tool_use", read_tool_use},
    {"server_tool_use", read_tool_use},
    {"compaction", read_as<CompactionBlock, kCompaction>},
    {"web_search_tool_result", read_verbatim},
    {"web_fetch_tool_result", read_verbatim},
    {"code_execution_tool_result", read_verbatim},
    {"bash_code_execution_tool_result", read_verbatim},
    {"text_editor_code_execution_tool_result", read_verbatim},
    {"tool_search_tool_result", read_verbatim},
    {"mcp_tool_use", read_verbatim},
    {"mcp_tool_result", read_verbatim},
    {"container_upload", read_verbatim},
});

/// A type that resembles a known one is an error; any other one may be new in the API and is sent unchanged.
Result<Block> read_typed_block(const Node& node, std::string_view type) {
  const auto* const found = std::ranges::find(kTypes, type, &Type::name);
  if (found != kTypes.end()) return found->read(node);
  const auto suggestion = question(type, words_of(kTypes, &Type::name));
  if (suggestion.empty()) return read_verbatim(node);
  return node.member("type").fail_here(fmt::format("is '{}'{}", type, suggestion),
                                       "to send it anyway, use {\"verbatim\": {\"type\": …}}");
}

}  // namespace

Result<Block> read_tool_use(const Node& node) {
  ToolUseBlock block;
  TRY(read_fields<ToolUseBlock>(node, kToolUse, block));
  if (block.name.empty()) return node.fail_here("has no 'name'", "add the name of the tool");
  if (node.value.contains("input") && node.value.contains("raw_input")) {
    return node.fail_here("has both 'input' and 'raw_input'", "remove one of them");
  }
  return block;
}

Result<Block> read_block(const Node& node) {
  TRY(node.must_be_object());
  const auto& value = node.value;
  if (value.contains("type")) {
    TRY_ASSIGN(const auto type, node.member("type").text());
    return read_typed_block(node, type);
  }
  if (value.contains("verbatim")) return read_as<VerbatimBlock, kVerbatim>(node);
  if (value.contains("tool_use")) return read_tool_use(node.member("tool_use"));
  if (value.contains("thinking")) return read_as<ThinkingBlock, kThinking>(node);
  if (value.contains("text")) return read_as<TextBlock, kText>(node);
  return node.fail_here("is not a block", "add 'text', 'thinking', 'tool_use' or a 'type'");
}

}  // namespace ralph::mock
