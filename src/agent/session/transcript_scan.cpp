#include <algorithm>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "agent/session/transcript_impl.h"
#include "core/json/field.h"

namespace ralph::session {

using json::Document;

namespace {

std::int64_t count_member(const Document& object, std::string_view key) {
  const auto& value = json::member(object, key);
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    return number > 0 && number < 9e18 ? static_cast<std::int64_t>(number) : 0;
  }
  return value.is_number() ? value.get<std::int64_t>() : 0;
}

std::vector<ModelTotal> read_totals(const Document& line) {
  std::vector<ModelTotal> totals;
  const auto& models = json::member(line, "modelUsage");
  if (!models.is_object()) return totals;
  for (const auto& [name, used] : models.items()) {
    ModelTotal total;
    total.model = name;
    total.usage.input_tokens = count_member(used, "inputTokens");
    total.usage.output_tokens = count_member(used, "outputTokens");
    total.usage.thinking_tokens = count_member(used, "thinkingTokens");
    total.usage.cache_read_input_tokens = count_member(used, "cacheReadInputTokens");
    total.usage.cache_creation_input_tokens = count_member(used, "cacheCreationInputTokens");
    total.usage.cache_creation_5m = count_member(used, "cacheCreationEphemeral5mInputTokens");
    total.usage.cache_creation_1h = count_member(used, "cacheCreationEphemeral1hInputTokens");
    total.usage.web_search_requests = count_member(used, "webSearchRequests");
    total.cost_usd = json::number(used, "costUSD").value_or(0);
    totals.push_back(std::move(total));
  }
  return totals;
}

void read_message(Line& line, const Document& message) {
  line.message_id = json::text(message, "id");
  const auto& content = json::member(message, "content");
  if (!content.is_array()) return;
  for (const auto& block : content) {
    const auto type = json::text(block, "type");
    if (type == "tool_use") line.calls.push_back(json::text(block, "id"));
    if (type == "tool_result") line.results.push_back(json::text(block, "tool_use_id"));
  }
  line.only_results = !line.results.empty() && line.results.size() == content.size();
}

void read_boundary(Line& line, const Document& document) {
  const auto& kept = json::member(json::member(document, "compactMetadata"), "preservedMessages");
  line.boundary = true;
  line.anchor = json::text(kept, "anchorUuid");
  line.preserved = json::texts(kept, "uuids");
}

Line read_line(std::string_view text, const Document& document, std::string_view type) {
  Line line;
  line.text = text;
  line.uuid = json::text(document, "uuid");
  line.parent_uuid = json::text(document, "parentUuid");
  line.root = document.contains("parentUuid") && document["parentUuid"].is_null();
  line.leaf = type != "system" && type != "progress";
  if (type == "user" || type == "assistant") {
    line.kind = type == "user" ? Line::Kind::user : Line::Kind::assistant;
    line.api_error = json::boolean(document, "isApiErrorMessage");
    read_message(line, json::member(document, "message"));
  } else if (type == "attachment") {
    const auto what = json::text(json::member(document, "attachment"), "type");
    if (what == "queued_command") line.kind = Line::Kind::queued;
    if (what == "prompt_snapshot") line.kind = Line::Kind::snapshot;
  } else if (json::text(document, "subtype") == "compact_boundary") {
    read_boundary(line, document);
  }
  return line;
}

bool is_conversation(const Document& document, std::string_view type) {
  if (json::boolean(document, "isSidechain")) return false;
  if (type == "user" || type == "assistant") return json::member(document, "message").is_object();
  return document.contains("uuid") && document.contains("parentUuid");
}

void read_note(Scan& scan, const Document& document, std::string_view type) {
  const auto put = [](std::string& place, std::string text) {
    if (!text.empty()) place = std::move(text);
  };
  if (type == "custom-title") scan.custom_title = json::text(document, "customTitle");
  if (type == "ai-title") put(scan.other_title, json::text(document, "aiTitle"));
  if (type == "summary") put(scan.other_title, json::text(document, "summary"));
  if (type == "cost-state") scan.totals = read_totals(document);
}

using PlaceByUuid = std::unordered_map<std::string_view, std::size_t>;

/// If the parent is not in the file, because its line is broken or has no uuid, the previous line is used.
void link_parents(std::vector<Line>& lines, const PlaceByUuid& places) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto& line = lines[i];
    if (line.root || line.boundary) continue;
    const auto found = places.find(line.parent_uuid);
    line.parent = found != places.end() ? found->second : i > 0 ? i - 1 : Line::kNone;
  }
}

}  // namespace

Document blocks_of(const Document& content) {
  if (content.is_array()) return content;
  auto blocks = Document::array();
  if (content.is_string()) blocks.push_back({{"type", "text"}, {"text", content}});
  return blocks;
}

Scan scan_session(std::string_view text) {
  Scan scan;
  for_each_line(text, [&](std::string_view line) {
    if (is_request_copy(line)) return;
    const auto document = json::parse(line, "line");
    if (!document || !document->is_object()) return;
    const auto type = json::text(*document, "type");
    const bool spoken = is_conversation(*document, type);
    if (auto id = json::text(*document, "sessionId");
        !id.empty() && (spoken || scan.session_id.empty())) {
      scan.session_id = std::move(id);
    }
    if (!spoken) return read_note(scan, *document, type);
    scan.lines.push_back(read_line(line, *document, type));
  });

  // Of lines with the same uuid the first is used. The views stay valid: the lines are not moved afterwards.
  std::unordered_map<std::string, std::size_t> seen;
  std::erase_if(scan.lines, [&](const Line& line) {
    return !line.uuid.empty() && !seen.emplace(line.uuid, 0).second;
  });
  PlaceByUuid places;
  for (std::size_t i = 0; i < scan.lines.size(); ++i) {
    if (!scan.lines[i].uuid.empty()) places.emplace(scan.lines[i].uuid, i);
  }
  link_parents(scan.lines, places);
  return scan;
}

}  // namespace ralph::session
