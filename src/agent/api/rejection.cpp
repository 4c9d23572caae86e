#include <algorithm>
#include <array>

#include "agent/api/rejection_impl.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/utf8.h"

namespace ralph::api {
namespace {

constexpr std::size_t kLongestReason = 300;
constexpr std::string_view kMessages = "messages.";
constexpr std::string_view kTooLong = "rompt is too long";  // "Prompt" or "prompt"

enum class Topic { credit, cache_marks, feature, too_much_media, picture, document };
enum class Match { exact, any_case };

struct Phrase {
  std::string_view text;
  Topic topic;
  Match match = Match::exact;
};

constexpr auto kPhrases = std::to_array<Phrase>({
    {"credit balance", Topic::credit},
    {"cache_control", Topic::cache_marks},
    {"thinking", Topic::feature},
    {"display", Topic::feature},
    {"effort", Topic::feature},
    {"output_config", Topic::feature},
    {"beta", Topic::feature},
    {"context_management", Topic::feature},
    {"budget_tokens", Topic::feature},
    {"temperature", Topic::feature},
    {"Too much media", Topic::too_much_media},
    {"image", Topic::picture, Match::any_case},
    {"pdf", Topic::document, Match::any_case},
    {".document", Topic::document, Match::any_case},
});

/// A message that starts so is about the conversation or the tools, not about an optional feature.
constexpr std::array<std::string_view, 2> kNoFeature{kMessages, "tools."};

bool is_about(std::string_view message, Topic topic) {
  const auto lower = to_lower(message);
  return std::ranges::any_of(kPhrases, [&](const Phrase& phrase) {
    if (phrase.topic != topic) return false;
    return phrase.match == Match::exact ? message.contains(phrase.text)
                                        : lower.contains(phrase.text);
  });
}

bool is_about_feature(std::string_view message) {
  return is_about(message, Topic::feature) &&
         std::ranges::none_of(kNoFeature,
                              [&](std::string_view start) { return message.starts_with(start); });
}

/// The next number in the text; the text up to its end is removed.
std::optional<std::int64_t> next_number(std::string_view& text) {
  const auto begin = text.find_first_of("0123456789");
  if (begin == text.npos) return std::nullopt;
  text.remove_prefix(begin);
  return take_number<std::int64_t>(text);
}

std::optional<PromptTooLong> read_prompt_too_long(std::string_view message) {
  const auto at = message.find(kTooLong);
  if (at == message.npos) return std::nullopt;
  message.remove_prefix(at + kTooLong.size());
  PromptTooLong found;
  found.tokens = next_number(message).value_or(0);
  found.limit = next_number(message).value_or(0);
  return found;
}

/// The number after `word` at the beginning of `rest`; both are removed.
std::optional<std::size_t> take_index(std::string_view& rest, std::string_view word) {
  if (!rest.starts_with(word)) return std::nullopt;
  auto digits = rest.substr(word.size());
  const auto number = take_number<std::size_t>(digits);
  if (number) rest = digits;
  return number;
}

std::optional<MediaPlace> read_place(std::string_view rest) {
  const auto message = take_index(rest, kMessages);
  const auto block = message ? take_index(rest, ".content.") : std::nullopt;
  if (!block) return std::nullopt;
  return MediaPlace{*message, *block, take_index(rest, ".tool_result.content.")};
}

/// What follows "messages.…: ".
std::string_view reason_in(std::string_view message) {
  const auto end = message.find(": ");
  return message.starts_with(kMessages) && end != message.npos ? message.substr(end + 2) : message;
}

std::optional<MediaRefusal> read_media(std::string_view message) {
  const bool too_much = is_about(message, Topic::too_much_media);
  const auto kind = too_much                             ? MediaKind::any
                    : is_about(message, Topic::picture)  ? MediaKind::picture
                    : is_about(message, Topic::document) ? MediaKind::document
                                                         : MediaKind::any;
  if (kind == MediaKind::any && !too_much) return std::nullopt;
  return MediaRefusal{kind, read_place(message),
                      utf8::shortened(reason_in(message), kLongestReason)};
}

}  // namespace

Rejection read_rejection(int status, std::string_view message) {
  Rejection rejection;
  rejection.credit = is_about(message, Topic::credit);
  rejection.prompt_too_long = read_prompt_too_long(message);
  if (status != 400) return rejection;
  rejection.cache_marks = is_about(message, Topic::cache_marks);
  rejection.feature = is_about_feature(message);
  if (!rejection.prompt_too_long) rejection.media = read_media(message);
  return rejection;
}

}  // namespace ralph::api
