#include <algorithm>
#include <charconv>

#include "agent/api/failure.h"
#include "agent/api/status_impl.h"
#include "core/base/utf8.h"

namespace ralph::api {
namespace {

constexpr std::size_t kLongestReason = 300;
constexpr std::string_view kMessages = "messages.";

MediaKind kind_of(std::string_view message) {
  std::string words(message);
  std::ranges::transform(words, words.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (words.contains("image")) return MediaKind::picture;
  if (words.contains("pdf") || words.contains(".document")) return MediaKind::document;
  return MediaKind::any;
}

/// A number behind a word that the rest begins with; both are removed.
std::optional<std::size_t> take(std::string_view& rest, std::string_view word) {
  std::size_t number = 0;
  if (!rest.starts_with(word)) return std::nullopt;
  const auto digits = rest.substr(word.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{}) return std::nullopt;
  rest = digits.substr(static_cast<std::size_t>(end - digits.data()));
  return number;
}

std::optional<MediaPlace> place_in(std::string_view rest) {
  const auto message = take(rest, kMessages);
  const auto block = message ? take(rest, ".content.") : std::nullopt;
  if (!block) return std::nullopt;
  return MediaPlace{*message, *block, take(rest, ".tool_result.content.")};
}

/// What stands behind "messages.…: ".
std::string_view reason_in(std::string_view message) {
  const auto end = message.find(": ");
  return message.starts_with(kMessages) && end != message.npos ? message.substr(end + 2) : message;
}

}  // namespace

std::optional<MediaRefusal> media_refusal(const Failure& failure) {
  if (status_of(failure) != 400 || is_too_long(failure)) return std::nullopt;
  const std::string_view message = failure.message;
  const bool too_many = message.contains("Too much media");
  const auto kind = too_many ? MediaKind::any : kind_of(message);
  if (kind == MediaKind::any && !too_many) return std::nullopt;
  return MediaRefusal{kind, place_in(message), utf8::shortened(reason_in(message), kLongestReason)};
}

}  // namespace ralph::api
