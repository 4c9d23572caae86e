#include "core/base/key_shape.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace ralph {
namespace {

constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigit = "0123456789";

constexpr ByteSet chars(std::initializer_list<std::string_view> parts) {
  ByteSet set;
  for (const auto part : parts) {
    for (const char c : part) set.add(c);
  }
  return set;
}

constexpr ByteSet kDigits = chars({kDigit});
constexpr ByteSet kCapitals = chars({kUpper, kDigit});
constexpr ByteSet kAlnum = chars({kLower, kUpper, kDigit});
constexpr ByteSet kWord = chars({kLower, kUpper, kDigit, "_"});
constexpr ByteSet kUrlSafe = chars({kLower, kUpper, kDigit, "_-"});
constexpr ByteSet kBearer = chars({kLower, kUpper, kDigit, "_-.~+/="});

/// With `digit`, a run of letters only is taken for ordinary words.
enum class Needs { nothing, digit };

struct Shape {
  std::string_view name;
  std::string_view prefix;
  const ByteSet& allowed;  // after the prefix
  std::size_t least;       // characters after the prefix
  Needs needs;
};

// The longer of two prefixes comes first.
constexpr std::array kShapes{
    Shape{"Anthropic API key", "sk-ant-", kUrlSafe, 16, Needs::digit},
    Shape{"OpenAI API key", "sk-proj-", kUrlSafe, 20, Needs::digit},
    Shape{"OpenAI API key", "sk-svcacct-", kUrlSafe, 20, Needs::digit},
    Shape{"OpenRouter API key", "sk-or-", kUrlSafe, 20, Needs::digit},
    Shape{"OpenAI API key", "sk-", kAlnum, 20, Needs::digit},
    Shape{"GitHub token", "ghp_", kAlnum, 30, Needs::nothing},
    Shape{"GitHub token", "gho_", kAlnum, 30, Needs::nothing},
    Shape{"GitHub token", "ghu_", kAlnum, 30, Needs::nothing},
    Shape{"GitHub token", "ghs_", kAlnum, 30, Needs::nothing},
    Shape{"GitHub token", "ghr_", kAlnum, 30, Needs::nothing},
    Shape{"GitHub token", "github_pat_", kWord, 22, Needs::digit},
    Shape{"GitLab token", "glpat-", kUrlSafe, 20, Needs::digit},
    Shape{"Slack token", "xoxa-", kUrlSafe, 10, Needs::digit},
    Shape{"Slack token", "xoxb-", kUrlSafe, 10, Needs::digit},
    Shape{"Slack token", "xoxp-", kUrlSafe, 10, Needs::digit},
    Shape{"Slack token", "xoxr-", kUrlSafe, 10, Needs::digit},
    Shape{"Slack token", "xoxs-", kUrlSafe, 10, Needs::digit},
    Shape{"AWS access key", "AKIA", kCapitals, 16, Needs::digit},
    Shape{"AWS access key", "ASIA", kCapitals, 16, Needs::digit},
    Shape{"Google API key", "AIza", kUrlSafe, 35, Needs::nothing},
    Shape{"npm token", "npm_", kAlnum, 30, Needs::nothing},
    Shape{"Hugging Face token", "hf_", kAlnum, 30, Needs::nothing},
    Shape{"Stripe key", "sk_live_", kAlnum, 16, Needs::nothing},
    Shape{"Stripe key", "rk_live_", kAlnum, 16, Needs::nothing},
    Shape{"bearer token", "Bearer ", kBearer, 16, Needs::digit},
    Shape{"bearer token", "bearer ", kBearer, 16, Needs::digit},
};

constexpr std::string_view kPemBegin = "-----BEGIN ";
constexpr std::string_view kPemLabelEnd = "PRIVATE KEY-----";
constexpr std::string_view kPemEnd = "-----END ";
constexpr std::string_view kJwtPart = "eyJ";  // {" in base64

constexpr ByteSet first_bytes() {
  ByteSet set;
  for (const auto& shape : kShapes) set.add(shape.prefix.front());
  set.add(kPemBegin.front());
  set.add(kJwtPart.front());
  return set;
}
constexpr ByteSet kFirstBytes = first_bytes();

std::string_view run(std::string_view text, const ByteSet& allowed) {
  std::size_t length = 0;
  while (length < text.size() && allowed(text[length])) ++length;
  return text.substr(0, length);
}

/// "…[1;32m", the end of a terminal's colour code.
bool ends_with_colour_code(std::string_view before) {
  if (!before.ends_with('m')) return false;
  before.remove_suffix(1);
  while (!before.empty() && (kDigits(before.back()) || before.back() == ';')) {
    before.remove_suffix(1);
  }
  return before.ends_with('[');
}

/// "\n" and the like in JSON text.
bool ends_with_escape(std::string_view before) {
  constexpr std::string_view kEscapeLetters = "nrtbf";
  return before.size() >= 2 && before[before.size() - 2] == '\\' &&
         kEscapeLetters.find(before.back()) != kEscapeLetters.npos;
}

/// One "-" may stand between a word's start and a key: a removed line of a diff.
bool at_word_start(std::string_view before) {
  if (before.ends_with('-')) before.remove_suffix(1);
  return before.empty() || !kUrlSafe(before.back()) || ends_with_escape(before) ||
         ends_with_colour_code(before);
}

std::optional<KeyShape> shape_at(std::string_view text) {
  for (const auto& shape : kShapes) {
    if (text.front() != shape.prefix.front() || !text.starts_with(shape.prefix)) continue;
    const auto secret = run(text.substr(shape.prefix.size()), shape.allowed);
    if (secret.size() < shape.least) continue;
    if (shape.needs == Needs::digit && std::none_of(secret.begin(), secret.end(), kDigits))
      continue;
    return KeyShape{shape.name, shape.prefix.size(), shape.prefix.size() + secret.size()};
  }
  return std::nullopt;
}

/// Header, payload and signature: "eyJ….eyJ….…".
std::optional<KeyShape> json_web_token_at(std::string_view text) {
  constexpr std::size_t kLeast = 10;
  const auto header = run(text, kUrlSafe);
  if (!header.starts_with(kJwtPart) || header.size() < kLeast) return std::nullopt;
  std::size_t length = header.size();
  for (const auto start : {kJwtPart, std::string_view()}) {
    if (length >= text.size() || text[length] != '.') return std::nullopt;
    const auto part = run(text.substr(length + 1), kUrlSafe);
    if (!part.starts_with(start) || part.size() < kLeast) return std::nullopt;
    length += 1 + part.size();
  }
  return KeyShape{"JSON web token", kJwtPart.size(), length};
}

/// From the BEGIN line to the END line; without one to the end of the text.
std::optional<KeyShape> pem_at(std::string_view text) {
  constexpr std::size_t kLongestLabel = 40;
  if (!text.starts_with(kPemBegin)) return std::nullopt;
  const auto label = text.substr(0, kPemBegin.size() + kLongestLabel).find(kPemLabelEnd);
  if (label == text.npos) return std::nullopt;
  const auto shown = label + kPemLabelEnd.size();
  return KeyShape{"private key", shown, std::min(text.find(kPemEnd, shown), text.size())};
}

}  // namespace

const ByteSet& key_first_bytes() { return kFirstBytes; }

std::optional<KeyShape> key_shape_at(std::string_view text, std::string_view before) {
  if (!kFirstBytes(text.front())) return std::nullopt;
  if (text.front() == '-') return pem_at(text);
  if (!at_word_start(before)) return std::nullopt;
  if (text.front() == kJwtPart.front()) return json_web_token_at(text);
  return shape_at(text);
}

}  // namespace ralph
