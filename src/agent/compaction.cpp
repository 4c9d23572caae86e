#include "agent/compaction.h"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/text.h"
#include "agent/transcript_impl.h"
#include "json/document.h"

namespace ralph::agent {
namespace {

/// For the request that asks for the summary, its answer, and what a tool adds before it.
constexpr std::int64_t kReserve = 23'000;
constexpr std::int64_t kPictureTokens = 1'600;
constexpr std::int64_t kMostDocumentTokens = 100'000;  // a PDF file: about 50 pages
/// So soon after a compaction another one has gained nothing …
constexpr int kSoon = 3;
/// … and so often in a row it is given up.
constexpr int kMostRefills = 3;
constexpr std::size_t kFilesWithState = 5;

constexpr std::string_view kAsk =
    R"(The conversation is about to be replaced by your summary of it, because the context window is nearly full. Answer with text only and call no tool: a call would not be made.

Write what somebody needs who has to go on without having seen any of it. Put it between <summary> and </summary>:
1. Task: what the user wants, with every condition and correction that still holds.
2. State: what is done, what was found out, which commands were run and how they ended.
3. Files: which were read, made or changed, what is in them that matters, with paths, names and the exact lines where the wording counts.
4. Failures: what was tried and did not work, and why, so that it is not tried again.
5. Next: what was being done just now, and the steps that remain.

Be exact and complete rather than short; leave out pleasantries and everything that no longer matters.)";

constexpr std::string_view kLeftOut =
    "[The beginning of this conversation is left out here: it is too long to be sent.]";

std::string text_of_blocks(const json::Document& blocks) {
  std::string text;
  for (const auto& block : blocks) {
    if (text_member(block, "type") != "text") return {};
    text += text_member(block, "text");
  }
  return text;
}

std::string state_of(const std::string& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  return error ? "no longer there, or not readable" : fmt::format("{} bytes now", size);
}

/// The user's own words, marked off so that nobody takes them for the summary's.
std::string prompts_text(const Keepsakes& kept) {
  if (kept.prompts.empty()) return {};
  std::string text = "\n\nWhat the user asked for, word by word, the newest last:";
  for (const auto& prompt : kept.prompts) text += "\n<prompt>\n" + prompt + "\n</prompt>";
  return text;
}

std::string files_text(const Keepsakes& kept) {
  if (kept.files.empty()) return {};
  std::string text =
      "\n\nFiles worked with, the newest first. Their content is no longer before you: read them "
      "again before you rely on it or change them.";
  for (std::size_t i = 0; i < kept.files.size(); ++i) {
    text += "\n- " + kept.files[i];
    if (i < kFilesWithState) text += fmt::format(" ({})", state_of(kept.files[i]));
  }
  return text;
}

}  // namespace

CompactPolicy::CompactPolicy(const Environment& environment, bool enabled)
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

/// An endpoint that tells no usage leaves what is known.
void Context::answered(const api::Usage& usage) {
  if (const auto told = usage.context_tokens(); told > 0) tokens_ = told;
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
  const auto text = trimmed(whole);
  if (!text.starts_with(kName)) return std::nullopt;
  const auto rest = text.substr(kName.size());
  if (!rest.empty() && kBlanks.find(rest.front()) == kBlanks.npos) return std::nullopt;
  return std::string(trimmed(rest));
}

std::vector<api::Message> without_beginning(std::span<const api::Message> messages, double share) {
  std::vector<api::Message> kept(messages.begin(), messages.end());
  std::size_t all = 0, dropped = 0, first = 0;
  for (const auto& message : messages) all += message.content.size();
  const auto wanted = static_cast<std::size_t>(static_cast<double>(all) * share);
  for (std::size_t i = 0; i < messages.size() && (first == 0 || dropped < wanted); ++i) {
    if (i > 0) dropped += messages[i - 1].content.size();
    if (messages[i].role == "assistant") first = i;
  }
  if (wanted == 0 || first == 0) return kept;
  kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(first));
  kept.insert(kept.begin(), api::Message{"user", text_content(kLeftOut)});
  return kept;
}

std::vector<api::Message> with_summary_request(std::vector<api::Message> messages,
                                               std::string_view instructions) {
  auto text = std::string(kAsk);
  if (!instructions.empty()) {
    text += fmt::format("\n\nThe user says about the summary:\n{}", instructions);
  }
  auto request = text_content(text);
  if (messages.empty() || messages.back().role != "user" || messages.back().content == "[]") {
    messages.push_back({"user", std::move(request)});
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
    if (block.type == "text") text += block.text;
  }
  if (const auto open = text.find(kOpen); open != text.npos) {
    const auto from = open + kOpen.size();
    const auto close = text.rfind(kClose);
    const bool closed = close != text.npos && close >= from;
    text = text.substr(from, closed ? close - from : text.npos);
  }
  return std::string(trimmed(text));
}

std::string continuation(std::string_view summary, const Keepsakes& kept) {
  auto text = fmt::format(
      "The conversation so far filled the context window and was replaced by this summary of "
      "it.\n\n<summary>\n{}\n</summary>",
      summary);
  text += prompts_text(kept) + files_text(kept);
  return text +
         "\n\nGo on with the task where it stood, without asking and without telling what you were "
         "given here.";
}

}  // namespace ralph::agent
