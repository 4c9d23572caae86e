#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/key_shape.h"

namespace ralph {

/// Replaces secrets in text that leaves the machine's private files: console, journal, debug log, exports.
/// Knows the shapes of common keys, and the values of environment variables whose names look secret.
class Masker {
 public:
  /// Key shapes only.
  Masker() = default;
  /// Also the values of these "NAME=value" entries where NAME looks secret and the value has 8 characters
  /// or more, unless it is a file that exists or a word like "postgres"; of other variables the password in an address.
  explicit Masker(const std::vector<std::string>& environment);

  /// The text with every secret replaced by "***" (key shapes keep their public prefix: "sk-ant-***").
  /// Linear in the text; masking twice changes nothing more.
  std::string mask(std::string_view text) const;

  /// Whether mask() would replace anything.
  bool finds_secret(std::string_view text) const;

  /// The name of the first key shape found in the text ("Anthropic API key"); empty: none.
  std::string_view find_key_shape(std::string_view text) const;

 private:
  /// Length of the secret value at the front of the text; 0: none.
  std::size_t value_at(std::string_view text) const;

  std::vector<std::string> values_;     // longest first, plain and as JSON would escape them
  ByteSet starts_ = key_first_bytes();  // first bytes of keys and values
};

/// "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD" …; not "SSH_AUTH_SOCK", "KEY_FILE" or "MAX_TOKENS".
bool looks_secret(std::string_view variable_name);

}  // namespace ralph
