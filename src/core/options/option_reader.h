#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::options {

/// Which words belong to an option beside its name.
enum class Takes {
  nothing,
  attached,  // a value only after "="; the name alone is valid
  optional,  // the next word, unless it looks like an option
  value,     // the next word, even if it looks like an option
  list,      // the next word, and all words after it that do not look like options
};

struct Declaration {
  std::vector<std::string_view> names;  // "-v", "--verbose"
  Takes takes = Takes::nothing;
};

/// One finding in a command line.
struct Item {
  enum class Kind {
    option,
    operand,           // a word that is neither an option nor a value
    unknown_option,    // looks like an option and is not declared
    missing_value,     // the option is the last word and takes a value
    unexpected_value,  // "--flag=VALUE"
  };
  Kind kind;
  std::string word;                       // as given; "-vq" gives two items, with "-vq" and "-q"
  std::size_t option = 0;                 // index of the declaration, unless operand or unknown
  std::optional<std::string> value = {};  // nullopt: none was given
};

/// Whether a word starts with "-" and is longer than that.
bool looks_like_option(std::string_view word);

/// Assigns the words of a command line to declared options: "--prompt TEXT", "--prompt=TEXT", "-p TEXT", "-pTEXT", "-vq"
/// for "-v -q"; "--" ends the options. Has no error messages: callers make them from the items.
class OptionReader {
 public:
  OptionReader(std::vector<Declaration> declarations, std::span<const std::string> words);

  /// The next item; nullopt at the end and at "--".
  std::optional<Item> next();
  /// The words after "--", once next() has reached it.
  std::span<const std::string> rest() const { return rest_; }

 private:
  std::optional<std::size_t> find(std::string_view name) const;
  bool may_take_value(std::size_t option) const;
  Item read_option(const std::string& word);
  Item read_value(const std::string& word, std::size_t option);
  Item read_short(const std::string& word, std::size_t option);

  std::vector<Declaration> declarations_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::optional<std::size_t> list_;  // the option that takes the next words
  std::span<const std::string> rest_;
};

}  // namespace ralph::options
