#include "core/base/mask.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/base/key_shape.h"
#include "core/base/text.h"

namespace ralph {
namespace {

constexpr std::size_t kShortestValue = 8;
constexpr std::string_view kMask = "***";

/// A part of a name is secret when it ends with one of these: DB_PASSWORD, PGPASSWORD, npm's
/// authToken.
constexpr std::string_view kSecretEndings[] = {"TOKEN",  "SECRET",     "PASSWORD",   "PASSWD",
                                               "APIKEY", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS"};
/// Or when it is one of these; as endings they would catch MONKEY and COMPASS.
constexpr std::string_view kSecretWords[] = {"KEY",  "KEYS", "AUTH",   "AUTHORIZATION",
                                             "PASS", "PAT",  "SECRETS"};
/// PWD and OLDPWD are the shell's.
constexpr std::string_view kPassword = "PWD";
/// A name whose last part is one of these says something about a secret, not the secret itself.
constexpr std::string_view kHarmlessLastWords[] = {
    "SOCK", "FILE",   "PATH", "DIR",   "ID",    "NAME", "TYPE",    "METHOD", "URL",      "URI",
    "HOST", "HELPER", "MODE", "LIMIT", "COUNT", "TTL",  "TIMEOUT", "MS",     "ALGORITHM"};
/// Words people and images use as values; hiding them would hide ordinary text.
constexpr std::string_view kHarmlessValues[] = {"password", "postgres", "changeme",  "disabled",
                                                "required", "optional", "anonymous", "undefined"};

template <std::size_t N>
bool contains(const std::string_view (&list)[N], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

/// "npm_config_authToken" becomes NPM, CONFIG, AUTHTOKEN.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const bool lower = c >= 'a' && c <= 'z';
    if (lower || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
      words.back() += lower ? static_cast<char>(c - 'a' + 'A') : c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_secret_word(const std::string& word) {
  return contains(kSecretWords, word) ||
         std::any_of(std::begin(kSecretEndings), std::end(kSecretEndings),
                     [&](std::string_view ending) { return word.ends_with(ending); });
}

/// An existing file's name is no secret, whatever the variable is called.
bool is_path(std::string_view value) {
  std::error_code ignored;
  return value.front() == '/' && std::filesystem::exists(value, ignored);
}

std::string json_escaped(std::string_view text) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  constexpr std::string_view kNamed = "\"\\\n\r\t\b\f";
  constexpr std::string_view kLetters = "\"\\nrtbf";
  std::string out;
  for (const char c : text) {
    if (const auto i = kNamed.find(c); i != kNamed.npos) {
      out.append(1, '\\').append(1, kLetters[i]);
    } else if (static_cast<unsigned char>(c) < ' ') {
      out.append("\\u00").append(1, kHexDigits[c >> 4]).append(1, kHexDigits[c & 15]);
    } else {
      out += c;
    }
  }
  return out;
}

/// The password of "postgres://user:password@host"; empty: none.
std::string_view password_in(std::string_view value) {
  const auto scheme = value.find("://");
  if (scheme == value.npos) return {};
  auto authority = value.substr(scheme + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  const auto at = authority.rfind('@');
  const auto colon = authority.find(':');
  if (at == authority.npos || colon > at) return {};
  return authority.substr(colon + 1, at - colon - 1);
}

/// The value in an entry that has to be hidden; empty: none. A value with the mask itself in it
/// would make masking twice differ from masking once.
std::string_view secret_in(std::string_view entry) {
  const auto equals = entry.find('=');
  if (equals == entry.npos) return {};
  const auto whole = trim(entry.substr(equals + 1));
  const auto value = looks_secret(entry.substr(0, equals)) ? whole : password_in(whole);
  if (value.size() < kShortestValue || contains(kHarmlessValues, value) || is_path(value) ||
      value.find(kMask) != value.npos) {
    return {};
  }
  return value;
}

}  // namespace

bool looks_secret(std::string_view variable_name) {
  const auto words = words_of(variable_name);
  if (words.empty() || contains(kHarmlessLastWords, words.back())) return false;
  return (words.size() > 1 && words.back() == kPassword) ||
         std::any_of(words.begin(), words.end(), is_secret_word);
}

Masker::Masker(const std::vector<std::string>& environment) {
  for (const auto& entry : environment) {
    const auto value = secret_in(entry);
    if (value.empty()) continue;
    values_.emplace_back(value);
    values_.push_back(json_escaped(value));
  }
  std::sort(values_.begin(), values_.end(), [](const auto& a, const auto& b) {
    return std::pair(b.size(), std::string_view(a)) < std::pair(a.size(), std::string_view(b));
  });
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  for (const auto& value : values_) starts_.add(value.front());
}

std::size_t Masker::value_at(std::string_view text) const {
  for (const auto& value : values_) {
    if (text.front() == value.front() && text.starts_with(value)) return value.size();
  }
  return 0;
}

std::string Masker::mask(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  // What stands before a key is asked of `out`: there a second masking sees the same as the first.
  for (std::size_t at = 0; at < text.size();) {
    auto next = at;
    while (next < text.size() && !starts_(text[next])) ++next;
    out.append(text, at, next - at);
    if (next == text.size()) break;
    at = next;
    const auto rest = text.substr(at);
    if (const auto key = key_shape_at(rest, out)) {
      out.append(rest, 0, key->shown).append(kMask);
      at += key->length;
    } else if (const auto length = value_at(rest); length > 0) {
      out.append(kMask);
      at += length;
    } else {
      out += text[at++];
    }
  }
  return out;
}

bool Masker::finds_secret(std::string_view text) const {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!starts_(text[at])) continue;
    const auto rest = text.substr(at);
    if (key_shape_at(rest, text.substr(0, at)) || value_at(rest) > 0) return true;
  }
  return false;
}

std::string_view Masker::find_key_shape(std::string_view text) const {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (const auto key = key_shape_at(text.substr(at), text.substr(0, at))) return key->name;
  }
  return {};
}

}  // namespace ralph
