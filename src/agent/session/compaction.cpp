#include "agent/session/compaction.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/session/json_text.h"
#include "agent/session/media.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/json/document.h"
#include "core/json/field.h"

namespace ralph::session {
namespace {

/// Tokens for the summary request, its reply, and what a tool adds before it.
constexpr std::int64_t kReserve = 23'000;
constexpr std::int64_t kPictureTokens = 1'600;
constexpr std::int64_t kMostDocumentTokens = 100'000;  // a PDF file: about 50 pages
/// A compaction so few replies after the last one gained nothing …
constexpr int kSoon = 3;
/// … and after so many of them in a row no more are made.
constexpr int kMostRefills = 3;
/// Bytes of messages. The API accepts 32 MB with system prompt and tools; the largest PDF file is 27 MB as base64.
constexpr std::size_t kLargestRequest = std::size_t{30} << 20;
constexpr std::size_t kLargeConversation = std::size_t{28} << 20;
constexpr std::size_t kFilesWithState = 5;
constexpr std::size_t kUncutBlock = 2'000;
/// The share of the room that a summary request fills, attempt after attempt, while it is too long.
constexpr std::array<double, 4> kShares{1, 0.5, 0.25, 0.1};

constexpr std::string_view kAsk =
    R"(The context window is nearly full. A summary that you write now will replace this conversation. Reply with text only and do not call tools: calls are not executed.

Write down everything that is needed to continue the work without access to the conversation. Put it between <summary> and </summary>:
1. Task: what the user wants, with every requirement and correction that still applies.
2. State: what is done, what was found out, which commands were run and their results.
3. Files: which files were read, created or changed, and what matters in them, with paths, names and exact lines where the wording is important.
4. Failures: what was tried and did not work, and why, so that it is not repeated.
5. Next: what was in progress, and the remaining steps.

Be exact and complete rather than short; omit pleasantries and everything that no longer matters.)";

constexpr std::string_view kLeftOut =
    "[The beginning of this conversation was removed here: it is too long for a request.]";

std::string text_of_blocks(const json::Document& blocks) {
  std::string text;
  for (const auto& block : blocks) {
    if (json::text(block, "type") != "text") return {};
    text += json::text(block, "text");
  }
  return text;
}

std::string cut_middle(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto first = utf8::prefix(text, most / 2);
  const auto last = utf8::suffix(text, most / 2);
  return fmt::format("{}\n[… {} bytes removed here: too long for a request …]\n{}", first,
                     text.size() - first.size() - last.size(), last);
}

/// Texts keep their beginning and end; pictures and documents are replaced by their type.
void cut_block(json::Document& block, std::size_t most) {
  if (json::write(block).size() <= most) return;
  const auto type = json::text(block, "type");
  const auto* const key = type == "tool_result" ? "content" : "text";
  if (type == "tool_result" && block.contains(key) && block[key].is_array()) {
    for (auto& part : block[key]) cut_block(part, most);
  } else if (block.contains(key) && block[key].is_string()) {
    block[key] = cut_middle(block[key].get<std::string>(), most);
  } else {
    block = {{"type", "text"}, {"text", fmt::format("[{} removed here]", type)}};
  }
}

void cut_blocks(api::Message& message, std::size_t most) {
  auto blocks = json::parse(message.content);
  if (!blocks || !blocks->is_array()) return;
  for (auto& block : *blocks) cut_block(block, most);
  message.content = json::write(*blocks);
}

std::vector<std::size_t> block_sizes(std::span<const api::Message> messages) {
  std::vector<std::size_t> sizes;
  for (const auto& message : messages) {
    if (message.role != api::Role::user) continue;
    const auto blocks = json::parse(message.content);
    if (!blocks || !blocks->is_array()) continue;
    for (const auto& block : *blocks) sizes.push_back(json::write(block).size());
  }
  return sizes;
}

/// The length to which blocks are cut so that all have `most` bytes. Small blocks are not cut.
std::size_t longest_block(const std::vector<std::size_t>& sizes, std::size_t all,
                          std::size_t most) {
  auto longest = sizes.empty() ? kUncutBlock : std::max(kUncutBlock, std::ranges::max(sizes));
  while (longest > kUncutBlock && all > most) {
    longest = std::max(kUncutBlock, longest / 2);
    std::size_t saved = 0;
    for (const auto size : sizes) saved += size - std::min(size, longest);
    if (all - std::min(all, saved) <= most) break;
  }
  return longest;
}

void drop_beginning(std::vector<api::Message>& messages, std::size_t most) {
  const auto all = size_of(messages);
  std::size_t dropped = 0, first = 0;
  if (all <= most) return;
  for (std::size_t i = 1; i < messages.size(); ++i) {
    dropped += messages[i - 1].content.size();
    if (messages[i].role != api::Role::assistant) continue;
    first = i;
    if (all - dropped <= most) break;
  }
  if (first == 0) return;
  messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(first));
  messages.insert(messages.begin(), api::Message{api::Role::user, text_content(kLeftOut)});
}

std::string state_of(const std::string& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  return error ? "missing or not readable" : fmt::format("{} bytes now", size);
}

/// The user's prompts, separated from the summary.
std::string prompts_text(const PreservedContext& kept) {
  if (kept.prompts.empty()) return {};
  std::string text = "\n\nThe user's prompts, verbatim, newest last:";
  for (const auto& prompt : kept.prompts) text += "\n<prompt>\n" + prompt + "\n</prompt>";
  return text;
}

std::string files_text(const PreservedContext& kept) {
  if (kept.files.empty()) return {};
  std::string text =
      "\n\nFiles in use, newest first. Their content is not part of this summary: read a file "
      "again "
      "before you rely on its content or change it.";
  for (std::size_t i = 0; i < kept.files.size(); ++i) {
    text += "\n- " + kept.files[i];
    if (i < kFilesWithState) text += fmt::format(" ({})", state_of(kept.files[i]));
  }
  return text;
}

}  // namespace

CompactPolicy::CompactPolicy(const settings::Environment& environment, bool enabled)
    : automatic_(enabled && !environment.on("DISABLE_AUTO_COMPACT") &&
                 !environment.on("DISABLE_COMPACT")),
      on_demand_(!environment.on("DISABLE_COMPACT")),
      window_(environment.number("CLAUDE_CODE_AUTO_COMPACT_WINDOW").value_or(0)),
      percent_(environment.number("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE").value_or(0)) {}

std::int64_t CompactPolicy::limit(std::int64_t window) const {
  if (window_ > 0) window = std::min(window, window_);
  const auto usual = window - std::min(kReserve, window / 4);
  if (percent_ <= 0 || percent_ > 100) return usual;
  return std::min(usual, window / 100 * percent_);
}

/// Without usage in the reply the last known count stays.
void Context::answered(const api::Usage& usage) {
  if (const auto tokens = usage.context_tokens(); tokens > 0) tokens_ = tokens;
  if (answers_since_) ++*answers_since_;
}

bool Context::may_compact() {
  const bool soon = answers_since_ && *answers_since_ <= kSoon;
  refills_ = soon ? refills_ + 1 : 0;
  return refills_ < kMostRefills;
}

std::int64_t Context::compacted(std::int64_t before, std::int64_t after) {
  answers_since_ = 0;
  tokens_ = 0;
  dropped_ += std::max<std::int64_t>(0, before - after);
  return dropped_;
}

std::int64_t content_tokens(std::string_view content) {
  const auto flat = static_cast<std::int64_t>(content.size() / 4);
  if (!content.contains(R"("type":"image")") && !content.contains(R"("type":"document")")) {
    return flat;
  }
  const auto blocks = json::parse(content);
  if (!blocks || !blocks->is_array()) return flat;
  std::int64_t tokens = 0;
  for (const auto& block : *blocks) {
    const auto text = json::write(block);
    const auto size = static_cast<std::int64_t>(text.size() / 4);
    const bool document = text.contains(R"("type":"document")");
    const bool picture = text.contains(R"("type":"image")");
    tokens += picture ? kPictureTokens : document ? std::min(size / 3, kMostDocumentTokens) : size;
  }
  return tokens;
}

std::optional<std::string> compact_command(std::string_view content) {
  constexpr std::string_view kName = "/compact";
  const auto blocks = json::parse(content);
  if (!blocks || !blocks->is_array()) return std::nullopt;
  const auto whole = text_of_blocks(*blocks);
  const auto text = trim(whole);
  if (!text.starts_with(kName)) return std::nullopt;
  const auto rest = text.substr(kName.size());
  if (!rest.empty() && kBlanks.find(rest.front()) == kBlanks.npos) return std::nullopt;
  return std::string(trim(rest));
}

std::size_t size_of(std::span<const api::Message> messages) {
  std::size_t size = 0;
  for (const auto& message : messages) size += message.content.size();
  return size;
}

tool::Media media_room(std::span<const api::Message> messages, std::int64_t window) {
  return {static_cast<std::int64_t>(kLargestRequest) - static_cast<std::int64_t>(size_of(messages)),
          most_media(window)};
}

/// The last message is not counted: the model must see it once.
bool is_large(std::span<const api::Message> messages) {
  if (!messages.empty() && messages.back().role == api::Role::user) {
    messages = messages.first(messages.size() - 1);
  }
  return size_of(messages) > kLargeConversation;
}

std::vector<api::Message> shortened(std::span<const api::Message> messages, std::size_t most) {
  std::vector<api::Message> kept(messages.begin(), messages.end());
  if (size_of(kept) <= most) return kept;
  const auto longest = longest_block(block_sizes(kept), size_of(kept), most);
  for (auto& message : kept) {
    if (message.role == api::Role::user && message.content.size() > longest)
      cut_blocks(message, longest);
  }
  drop_beginning(kept, most);
  return kept;
}

ShrinkingHistory::ShrinkingHistory(std::span<const api::Message> all, std::size_t room,
                                   bool refused)
    : all_(all),
      room_(
          std::max(static_cast<double>(room), static_cast<double>(size_of(all)) * kShares.back())),
      messages_(shortened(all, static_cast<std::size_t>(room_))) {
  if (refused && size_of(messages_) == size_of(all)) shrink();
}

bool ShrinkingHistory::shrink() {
  const auto before = size_of(messages_);
  while (cut_ + 1 < kShares.size()) {
    messages_ = shortened(all_, static_cast<std::size_t>(room_ * kShares[++cut_]));
    if (size_of(messages_) < before) return true;
  }
  return false;
}

std::vector<api::Message> with_summary_request(std::vector<api::Message> messages,
                                               std::string_view instructions) {
  auto text = std::string(kAsk);
  if (!instructions.empty()) {
    text += fmt::format("\n\nInstructions of the user for the summary:\n{}", instructions);
  }
  auto request = text_content(text);
  if (messages.empty() || messages.back().role != api::Role::user ||
      messages.back().content == "[]") {
    messages.push_back({api::Role::user, std::move(request)});
    return messages;
  }
  auto& last = messages.back().content;
  last.back() = ',';
  last.append(request, 1);
  return messages;
}

std::string summary_in(const api::Reply& answer) {
  constexpr std::string_view kOpen = "<summary>", kClose = "</summary>";
  std::string text;
  for (const auto& block : answer.content) {
    if (block.type == api::BlockType::text) text += block.text;
  }
  if (const auto open = text.find(kOpen); open != text.npos) {
    const auto from = open + kOpen.size();
    const auto close = text.rfind(kClose);
    const bool closed = close != text.npos && close >= from;
    text = text.substr(from, closed ? close - from : text.npos);
  }
  return std::string(trim(text));
}

std::string continuation(std::string_view summary, const PreservedContext& kept) {
  auto text = fmt::format(
      "The context window was full. This summary replaces the conversation so "
      "far.\n\n<summary>\n{}\n</summary>",
      summary);
  text += prompts_text(kept) + files_text(kept);
  return text +
         "\n\nContinue the task where it stopped. Do not ask questions and do not repeat this "
         "summary.";
}

}  // namespace ralph::session
