#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/session/transcript_impl.h"
#include "core/base/id.h"
#include "core/json/document.h"
#include "core/json/field.h"

namespace ralph::session {

using json::Document;

namespace {

constexpr std::size_t kLargest = std::size_t{256} << 20;

/// Parses a line again, in full.
Document reread(const Line& line) {
  return json::parse(line.text, "line").value_or(Document::object());
}

Document message_blocks(const Document& line) {
  const auto message = line.find("message");
  if (message == line.end() || !message->contains("content")) return Document::array();
  return blocks_of((*message)["content"]);
}

Document queued_blocks(const Document& line) {
  const auto attachment = line.find("attachment");
  if (attachment == line.end() || !attachment->contains("prompt")) return Document::array();
  return blocks_of((*attachment)["prompt"]);
}

std::optional<std::string> snapshot_prompt(const Document& line) {
  const auto& attachment = line["attachment"];
  const auto prompt = attachment.find("systemPrompt");
  if (prompt == attachment.end() || !(prompt->is_array() || prompt->is_string()))
    return std::nullopt;
  if (prompt->is_string()) return prompt->get<std::string>();
  std::string all;
  for (const auto& part : *prompt) {
    if (!part.is_string()) continue;
    if (!all.empty()) all += "\n\n";
    all += part.get<std::string>();
  }
  return all;
}

/// Reads what a compaction or fork preserved; false: the line has nothing preserved.
bool read_preserved(Resumed& resumed, const Document& line) {
  if (!line.contains("keptPrompts")) return false;
  resumed.preserved = {json::texts(line, "keptPrompts"), json::texts(line, "keptFiles")};
  return true;
}

/// Reads model, usage and calls of a reply.
void note_answer(Resumed& resumed, const Document& line, const Document& blocks) {
  const auto& message = line["message"];
  auto model = json::text(message, "model");
  if (!model.empty() && model != "<synthetic>") resumed.model = std::move(model);
  if (const auto found = message.find("usage"); found != message.end()) {
    api::Usage usage;
    usage.merge(*found);
    if (const auto tokens = usage.context_tokens(); tokens > 0) resumed.context_tokens = tokens;
  }
  if (read_preserved(resumed, line)) return;
  for (const auto& block : blocks) {
    if (json::text(block, "type") != "tool_use" || !block.contains("input")) continue;
    resumed.preserved.add_call(json::text(block, "name"), json::write(block["input"]));
  }
}

void note_prompt(Resumed& resumed, const Document& line, const Document& blocks) {
  if (read_preserved(resumed, line)) return;
  if (json::boolean(line, "isMeta") || json::boolean(line, "isCompactSummary")) return;
  resumed.preserved.add_prompt(json::write(blocks));
}

void add_answer(MessageMaker& conversation, Resumed& resumed, const std::vector<Line>& lines,
                const std::vector<std::size_t>& answer) {
  auto all = Document::array();
  for (const auto at : answer) {
    if (lines[at].api_error) {
      conversation.failed();
      continue;
    }
    const auto line = reread(lines[at]);
    auto blocks = message_blocks(line);
    note_answer(resumed, line, blocks);
    for (auto& block : blocks) all.push_back(std::move(block));
  }
  conversation.assistant(std::move(all));
}

void add_user(MessageMaker& conversation, Resumed& resumed, const Line& line) {
  switch (line.kind) {
    case Line::Kind::user: {
      const auto document = reread(line);
      auto blocks = message_blocks(document);
      if (!line.only_results) note_prompt(resumed, document, blocks);
      conversation.user(std::move(blocks));
      if (json::boolean(document, "isCompactSummary")) conversation.failed();
      return;
    }
    case Line::Kind::queued: return conversation.user(queued_blocks(reread(line)));
    case Line::Kind::snapshot:
      if (auto prompt = snapshot_prompt(reread(line))) resumed.system_prompt = std::move(prompt);
      return;
    case Line::Kind::assistant:
    case Line::Kind::link: return;
  }
}

bool is_session_id(std::string_view text) {
  return text.size() == 36 && std::ranges::all_of(text, [](unsigned char c) {
           return c == '-' || std::isxdigit(c) != 0;
         });
}

/// The agent was killed while it wrote the first line.
bool is_stillborn(std::string_view text) { return !text.contains('\n') && !json::parse(text); }

}  // namespace

Result<Resumed> parse_session(std::string_view text, const std::filesystem::path& path) {
  auto scan = scan_session(text);
  Resumed resumed;
  resumed.path = path;
  resumed.session_id = path.stem().string();
  if (!is_session_id(resumed.session_id) && !scan.session_id.empty()) {
    resumed.session_id = scan.session_id;
  }
  resumed.title = scan.custom_title.empty() ? scan.other_title : scan.custom_title;
  resumed.totals = std::move(scan.totals);

  const auto leaf = std::ranges::find_if(scan.lines.rbegin(), scan.lines.rend(), &Line::leaf);
  if (leaf != scan.lines.rend()) {
    const auto place = static_cast<std::size_t>(scan.lines.rend() - leaf) - 1;
    // A line with an unknown parent follows the line before it, so a new uuid works for a leaf without one.
    resumed.last_uuid = leaf->uuid.empty() ? make_uuid() : leaf->uuid;
    MessageMaker conversation;
    for (const auto& part : arrange(scan.lines, place)) {
      if (!part.answer.empty()) add_answer(conversation, resumed, scan.lines, part.answer);
      for (const auto at : part.user) add_user(conversation, resumed, scan.lines[at]);
      conversation.close_calls();
    }
    resumed.messages = conversation.finish();
  }
  if (resumed.messages.empty() && scan.session_id.empty() && !is_stillborn(text)) {
    return fail(Code::malformed,
                fmt::format("session file '{}' contains no conversation", path.native()),
                "start a new session");
  }
  return resumed;
}

Result<Resumed> read_session(const std::filesystem::path& path) {
  std::string text;
  bool too_large = false;
  TRY_ASSIGN(const auto skipped, read_session_lines(path, [&](std::string_view line, bool whole) {
               if (is_request_copy(line)) return true;
               too_large = text.size() + line.size() > kLargest;
               if (!too_large) text.append(line).append(whole ? "\n" : "");
               return !too_large;
             }));
  if (too_large) {
    auto message =
        fmt::format("session file '{}' is larger than {} MB", path.native(), kLargest >> 20);
    return fail(Code::limit, std::move(message), "start a new session");
  }
  TRY_ASSIGN(auto session, parse_session(text, path));
  if (skipped > 0) {
    session.notes.push_back(fmt::format("skipped {} lines over {} MB of session file '{}'", skipped,
                                        kLongestSessionLine >> 20, path.native()));
  }
  return session;
}

}  // namespace ralph::session
