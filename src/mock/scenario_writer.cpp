#include <utility>

#include <fmt/core.h>

#include "core/base/utf8.h"
#include "mock/document_impl.h"
#include "mock/scenario_parts_impl.h"

namespace ralph::mock {
namespace {

using json::Document;

void put(Document& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

Document response_headers_json(const http::Headers& headers) {
  auto object = Document::object();
  for (const auto& header : headers) object[header.name] = header.value;
  return object;
}

// --- blocks ---

/// The form that reads back as the very same text.
void put_input(Document& block, const std::string& input) {
  auto document = json::parse(input);
  const bool same = document && document->is_object() && json::write(*document) == input;
  if (same) {
    block["input"] = *std::move(document);
  } else {
    block["raw_input"] = input;
  }
}

Document tool_use_json(const ToolUseBlock& block) {
  Document document{{"type", block.type}, {"name", block.name}};
  put(document, "id", block.id);
  put_input(document, block.input);
  return document;
}

Document scenario_block_json(const Block& block) {
  return std::visit(Overloaded{
                        [](const TextBlock& b) -> Document {
                          Document document{{"text", b.text}};
                          if (!b.citations.empty())
                            document["citations"] = parsed_list(b.citations);
                          return document;
                        },
                        [](const ThinkingBlock& b) -> Document {
                          return {{"thinking", b.thinking}, {"signature", b.signature}};
                        },
                        [](const ToolUseBlock& b) { return tool_use_json(b); },
                        [](const CompactionBlock& b) -> Document {
                          return {{"type", "compaction"}, {"content", b.content}};
                        },
                        [](const VerbatimBlock& b) -> Document {
                          Document document{{"verbatim", parsed(b.json)}};
                          if (!b.deltas.empty()) document["deltas"] = parsed_list(b.deltas);
                          return document;
                        },
                    },
                    block);
}

// --- actions ---

Document usage_json(const UsageWish& usage) {
  auto document = Document::object();
  auto verbatim = Document::object();
  if (usage.input_tokens) document["input_tokens"] = *usage.input_tokens;
  if (usage.output_tokens) document["output_tokens"] = *usage.output_tokens;
  const auto others = parsed(usage.others);
  for (const auto& [key, value] : others.items()) {
    const auto* const known = std::ranges::find(kUsageMembers, key, &UsageMember::key);
    const bool plain = known != kUsageMembers.end() && usage_complaint(*known, value).empty();
    (plain ? document : verbatim)[key] = value;
  }
  if (!verbatim.empty()) document["verbatim"] = std::move(verbatim);
  return document;
}

void put_action(Document& step, const Reply& reply) {
  const Reply usual;
  step["content"] = Document::array();
  for (const auto& block : reply.content) step["content"].push_back(scenario_block_json(block));
  put(step, "stop_reason", reply.stop_reason);
  put(step, "stop_sequence", reply.stop_sequence);
  if (!reply.stop_details.empty()) step["stop_details"] = parsed(reply.stop_details);
  put(step, "id", reply.id);
  put(step, "model", reply.model);
  if (auto usage = usage_json(reply.usage); !usage.empty()) step["usage"] = std::move(usage);
  if (reply.chunk_size != usual.chunk_size) step["chunk_size"] = reply.chunk_size;
  if (reply.chunk_delay != usual.chunk_delay) step["chunk_delay_ms"] = reply.chunk_delay.count();
  if (reply.line_end != usual.line_end) step["line_end"] = name_of(kLineEndNames, reply.line_end);
}

void put_action(Document& step, const Failure& failure) {
  step["error"] = {
      {"status", failure.status}, {"type", failure.type}, {"message", failure.message}};
  if (failure.headers.begin() != failure.headers.end()) {
    step["error"]["headers"] = response_headers_json(failure.headers);
  }
}

/// JSON where it reads back as the very same bytes, text otherwise.
Document response_body_json(const http::Response& response) {
  auto document = json::parse(response.body);
  const bool same =
      document && document->is_structured() && json::write(*document) == response.body;
  return same && response.headers.find("content-type") ? *std::move(document)
                                                       : Document(response.body);
}

void put_action(Document& step, const http::Response& response) {
  Document answer{{"status", response.status}};
  if (response.headers.begin() != response.headers.end()) {
    answer["headers"] = response_headers_json(response.headers);
  }
  if (!response.body.empty()) answer["body"] = response_body_json(response);
  step["http"] = std::move(answer);
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

Document trouble_json(const Trouble& trouble) {
  Document document;
  if (trouble.place == Place::after_events) {
    document["at"] = trouble.events;
  } else {
    document["at"] = name_of(kPlaceNames, trouble.place);
  }
  std::visit(Overloaded{
                 [&](Cut cut) { document["do"] = name_of(kCutNames, cut); },
                 [&](const Bytes& bytes) {
                   const bool text = utf8::valid(bytes.bytes);
                   document[text ? "send" : "send_hex"] = text ? bytes.bytes : hex(bytes.bytes);
                 },
                 [&](const Pause& pause) { document["pause_ms"] = pause.duration.count(); },
                 [&](const ErrorEvent& error) {
                   document["error"] = {{"type", error.type}, {"message", error.message}};
                 },
             },
             trouble.incident);
  return document;
}

// --- steps ---

Document match_json(const Match& match) {
  const Match usual;
  auto document = Document::object();
  for (const auto& member : kMatchTexts) {
    const auto& text = match.*member.text;
    if (text != usual.*member.text) document[std::string(member.key)] = text;
  }
  if (document.empty()) document["path"] = match.path;
  return document;
}

Document step_json(const Step& step) {
  auto document = Document::object();
  if (step.match) document["match"] = match_json(*step.match);
  if (step.times) document["times"] = *step.times;
  std::visit([&](const auto& action) { put_action(document, action); }, step.action);
  if (step.delay > Millis{0}) document["delay_ms"] = step.delay.count();
  if (step.troubles.size() == 1) {
    document["trouble"] = trouble_json(step.troubles.front());
  } else if (!step.troubles.empty()) {
    for (const auto& trouble : step.troubles) document["trouble"].push_back(trouble_json(trouble));
  }
  return document;
}

}  // namespace

std::string write_scenario(const Scenario& scenario) {
  Document document{{"steps", Document::array()}};
  for (const auto& step : scenario.steps) document["steps"].push_back(step_json(step));
  document["then"] = name_of(kThenNames, scenario.then);
  return json::write_pretty(document);
}

}  // namespace ralph::mock
